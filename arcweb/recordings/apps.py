from django.apps import AppConfig
from django.db.models.signals import post_migrate

from arcweb.recordings.append_only import lay_triggers


class RecordingsConfig(AppConfig):
    name = "arcweb.recordings"

    def ready(self) -> None:
        post_migrate.connect(lay_triggers, sender=self)
