"""Settings. Everything that differs between machines comes from the environment; `.env.example` lists it all."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import dj_database_url
import django_stubs_ext
from django.utils.csp import CSP
from environs import Env

django_stubs_ext.monkeypatch()  # lets `ModelAdmin[Study]` and the like be written at run time

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()
env.read_env(str(BASE_DIR / ".env"), recurse=False)


def _folder(name: str, default: str) -> Path:
    """A folder from the environment; relative ones lie in the project."""
    return BASE_DIR / (env.str(name, "") or default)


VAR_DIR = _folder("VAR_DIR", "var")
VAR_DIR.mkdir(parents=True, exist_ok=True)


def _secret_key() -> str:
    """The key from the environment, else one made once and kept in the data folder, readable by its owner only."""
    if key := env.str("SECRET_KEY", ""):
        return key
    path = VAR_DIR / "secret_key"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=VAR_DIR) as made:
            made.write(secrets.token_urlsafe(50))
            made.flush()
            with suppress(FileExistsError):  # another process was first: its key holds
                os.link(made.name, path)
    return path.read_text()


SECRET_KEY = _secret_key()
DEBUG = env.bool("DEBUG", False)
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "daphne",  # first, so that `runserver` serves WebSockets too
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "arcweb.games",
    "arcweb.recordings",
    "arcweb.studies",
    "arcweb.play",
    "arcweb.calibration",
    "arcweb.staff",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "arcweb.urls"
ASGI_APPLICATION = "arcweb.asgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# The database. Durable means: survives a power cut, on either kind.
DATABASE_URL = env.str("DATABASE_URL", "") or f"sqlite:///{VAR_DIR / 'db.sqlite3'}"
DATABASES: dict[str, dict[str, Any]] = {"default": {**dj_database_url.parse(DATABASE_URL)}}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["CONN_MAX_AGE"] = None
    DATABASES["default"]["OPTIONS"] = {
        # recursive_triggers: without it, INSERT OR REPLACE could replace a step unseen by the append-only triggers.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA recursive_triggers=ON;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
    }
else:
    DATABASES["default"]["OPTIONS"] = {"options": "-c synchronous_commit=on", "pool": True} | DATABASES["default"].get(
        "OPTIONS", {}
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", "")
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
    if REDIS_URL
    else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
}

AUTH_USER_MODEL = "staff.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "staff:games"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "arcweb.staticfiles.HashedStaticFilesStorage"},
}

# Nothing inline, nothing from elsewhere; the socket is on the same origin.
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"  # a participant's address is their key: it must not leak in a referrer

# Games
ENVIRONMENTS_DIR = _folder("ENVIRONMENTS_DIR", "fixtures/environment_files")
GAME_ACTION_SECONDS = env.float("GAME_ACTION_SECONDS", 10.0)
GAME_MEMORY_MB = env.int("GAME_MEMORY_MB", 512)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {"daphne": {"level": "WARNING"}},  # what it says while it starts is of no use to anybody
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", "INFO")},
}
