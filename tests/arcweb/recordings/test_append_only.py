from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from arcweb.games.models import Game
from arcweb.recordings.append_only import lay_triggers
from arcweb.recordings.erasure import erase
from arcweb.recordings.models import Erasure, Origin, Recording, State, Step

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def make_recording(steps: int = 3) -> Recording:
    game, _ = Game.objects.get_or_create(game_id="ab12-1", defaults={"name": "ab12"})
    recording = Recording.objects.create(game=game, origin=Origin.HUMAN, created_at=NOW)
    Step.objects.bulk_create(make_step(recording, number) for number in range(steps))
    return recording


def make_step(recording: Recording, number: int) -> Step:
    return Step(
        recording=recording,
        step=number,
        action=number,
        received_at=NOW,
        answered_at=NOW,
        state=State.NOT_FINISHED,
        levels_completed=0,
        win_levels=3,
        available_actions=2,
    )


def refused(text: str) -> Any:
    return pytest.raises(IntegrityError, match=text)


def update_by_orm(recording: Recording) -> None:
    recording.steps.update(action=5)


def update_by_save(recording: Recording) -> None:
    step = recording.steps.get(step=1)
    step.action = 5
    step.save()


def update_by_bulk_update(recording: Recording) -> None:
    steps = list(recording.steps.all())
    for step in steps:
        step.levels_completed = 2
    Step.objects.bulk_update(steps, ["levels_completed"])


def update_by_sql(recording: Recording) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE recordings_step SET frames = NULL WHERE recording_id = %s", [recording.pk])


def update_by_bulk_create(recording: Recording) -> None:
    Step.objects.bulk_create(
        [make_step(recording, 1)],
        update_conflicts=True,
        update_fields=["action"],
        unique_fields=["recording_id", "step"],
    )


@pytest.mark.parametrize(
    "update", [update_by_orm, update_by_save, update_by_bulk_update, update_by_sql, update_by_bulk_create]
)
def test_update_of_a_step_is_refused_by_the_database(update):
    recording = make_recording()
    before = list(recording.steps.values_list())
    with refused("append-only"), transaction.atomic():
        update(recording)
    assert list(recording.steps.values_list()) == before


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="INSERT OR REPLACE is SQLite's")
def test_insert_or_replace_of_a_step_is_refused():
    recording = make_recording()
    with refused("erasure only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT OR REPLACE INTO recordings_step SELECT * FROM recordings_step WHERE recording_id = %s",
            [recording.pk],
        )


def test_second_step_of_one_number_is_refused():
    recording = make_recording()
    with pytest.raises(IntegrityError), transaction.atomic():
        make_step(recording, 1).save(force_insert=True)


def delete_by_orm(recording: Recording) -> None:
    recording.steps.filter(step=2).delete()


def delete_by_instance(recording: Recording) -> None:
    recording.steps.get(step=2).delete()


def delete_by_sql(recording: Recording) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM recordings_step WHERE recording_id = %s AND step = 2", [recording.pk])


@pytest.mark.parametrize("delete", [delete_by_orm, delete_by_instance, delete_by_sql])
def test_delete_of_a_step_is_refused_by_the_database(delete):
    recording = make_recording()
    with refused("erasure only"), transaction.atomic():
        delete(recording)
    assert recording.steps.count() == 3


def test_erasure_deletes_one_recording_whole_and_leaves_its_trace():
    gone, kept = make_recording(), make_recording()
    key = gone.pk
    erase(gone, by="ada", reason="asked for by the participant", now=NOW)
    assert list(Recording.objects.all()) == [kept]
    assert set(Step.objects.values_list("recording_id", flat=True)) == {kept.pk}
    trace = Erasure.objects.get()
    assert (trace.recording_id, trace.game_id, trace.steps, trace.erased_by) == (key, "ab12-1", 3, "ada")
    with refused("erasure only"), transaction.atomic():
        kept.steps.all().delete()


@pytest.mark.parametrize(("by", "reason"), [("", "because"), ("ada", "")])
def test_erasure_without_a_name_or_a_reason_deletes_nothing(by, reason):
    recording = make_recording()
    with pytest.raises(ValueError, match="needs a name and a reason"):
        erase(recording, by=by, reason=reason, now=NOW)
    assert recording.steps.count() == 3


@pytest.mark.parametrize("values", [{"action": 8}, {"x": 3}, {"x": 64, "y": 1}, {"available_actions": 256}])
def test_step_out_of_range_is_refused_by_the_database(values):
    step = make_step(make_recording(), 9)
    for column, value in values.items():
        setattr(step, column, value)
    with pytest.raises(IntegrityError), transaction.atomic():
        step.save(force_insert=True)


def test_triggers_come_back_with_the_next_migrate():
    recording = make_recording()
    with connection.cursor() as cursor:
        on_table = " ON recordings_step" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER step_refuse_update{on_table}")
    with transaction.atomic():
        update_by_sql(recording)
    lay_triggers()
    with refused("append-only"), transaction.atomic():
        update_by_sql(recording)
