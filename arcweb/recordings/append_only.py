"""The database's own refusal to change history: triggers on the steps table, on SQLite and PostgreSQL.

They are laid after every `migrate`, not by a migration, because SQLite loses the triggers of a table that a later
migration rebuilds.
"""

from typing import Any

from django.db import connections

NAMES = ("step_refuse_update", "step_refuse_delete")

SQLITE = (
    """CREATE TRIGGER IF NOT EXISTS step_refuse_update BEFORE UPDATE ON recordings_step
       BEGIN SELECT RAISE(ABORT, 'steps are append-only'); END""",
    """CREATE TRIGGER IF NOT EXISTS step_refuse_delete BEFORE DELETE ON recordings_step
       WHEN NOT EXISTS (SELECT 1 FROM recordings_erasure WHERE recording_id = OLD.recording_id)
       BEGIN SELECT RAISE(ABORT, 'steps are deleted by an erasure only'); END""",
)

POSTGRESQL = (
    """CREATE OR REPLACE FUNCTION step_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF TG_OP = 'UPDATE' THEN
           RAISE EXCEPTION 'steps are append-only' USING ERRCODE = 'integrity_constraint_violation';
         ELSIF NOT EXISTS (SELECT 1 FROM recordings_erasure WHERE recording_id = OLD.recording_id) THEN
           RAISE EXCEPTION 'steps are deleted by an erasure only' USING ERRCODE = 'integrity_constraint_violation';
         END IF;
         RETURN OLD;
       END $$""",
    """CREATE OR REPLACE TRIGGER step_refuse_update BEFORE UPDATE ON recordings_step
       FOR EACH ROW EXECUTE FUNCTION step_refuse()""",
    """CREATE OR REPLACE TRIGGER step_refuse_delete BEFORE DELETE ON recordings_step
       FOR EACH ROW EXECUTE FUNCTION step_refuse()""",
)


def lay_triggers(using: str = "default", **_signal: Any) -> None:
    """Make the triggers where they are missing. Connected to `post_migrate`."""
    connection = connections[using]
    if "recordings_step" not in connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        for statement in POSTGRESQL if connection.vendor == "postgresql" else SQLITE:
            cursor.execute(statement)
