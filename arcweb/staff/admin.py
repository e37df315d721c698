"""Staff accounts."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from arcweb.staff.models import User

admin.site.register(User, UserAdmin)
