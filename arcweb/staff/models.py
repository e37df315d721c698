"""Staff accounts. Participants have none."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """Ours from the first migration, so that it can grow without replacing Django's table."""
