"""The settings that tests run under: the defaults of `.env.example`, whatever the developer's `.env` says.

`.env` only fills in names that the environment lacks, so a complete environment keeps it out.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTING = re.compile(r"^# (?P<name>[A-Z][A-Z0-9_]*)=(?P<value>\S*)", re.MULTILINE)


def documented_settings() -> dict[str, str]:
    """Every setting that `.env.example` names, with the default it gives, in its order."""
    return dict(SETTING.findall((ROOT / ".env.example").read_text()))


def settings_environment(var_dir: Path, database_url: str = "") -> dict[str, str]:
    """Environment variables for one installation of the product, with all its data in `var_dir`."""
    return {
        **documented_settings(),
        "VAR_DIR": str(var_dir),
        "SECRET_KEY": "for-tests-only-" + "0" * 50,
        "DATABASE_URL": database_url or f"sqlite:///{var_dir / 'db.sqlite3'}",
        "ENVIRONMENTS_DIR": str(ROOT / "fixtures" / "environment_files"),
        "DJANGO_SETTINGS_MODULE": "arcweb.settings",
    }
