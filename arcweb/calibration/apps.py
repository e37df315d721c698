from django.apps import AppConfig


class CalibrationConfig(AppConfig):
    name = "arcweb.calibration"
