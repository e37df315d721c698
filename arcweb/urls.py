"""Addresses of all pages."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path

from arcweb.staff.views import home

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
    path("", include("arcweb.play.urls")),
    path("staff/", include("arcweb.staff.urls")),
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
]
