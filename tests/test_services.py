"""What the other tests stand on, shown to hold."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from channels_redis.core import RedisChannelLayer
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from arcweb.games.models import Game
from arcweb.recordings.models import Origin, Recording, State, Step
from tests.services import not_run
from tests.services.daphne import Server
from tests.services.environment import ROOT
from tests.services.postgresql import PostgreSQL


def make_step() -> Step:
    """The opening step of a new recording."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    game, _ = Game.objects.get_or_create(game_id="aaaa-1", name="aaaa", version="1")
    recording = Recording.objects.create(game=game, origin=Origin.HUMAN, created_at=now)
    return Step.objects.create(
        recording=recording,
        step=0,
        action=0,
        received_at=now,
        answered_at=now,
        state=State.NOT_FINISHED,
        levels_completed=0,
        win_levels=1,
        available_actions=2,
    )


@pytest.mark.parametrize(("require_all", "outcome"), [("", pytest.skip.Exception), ("1", pytest.fail.Exception)])
def test_not_run_is_a_failure_only_where_all_is_required(
    monkeypatch: pytest.MonkeyPatch, require_all: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("REQUIRE_ALL", require_all)
    with pytest.raises(outcome, match="Not run: no such thing"):
        not_run("no such thing")


def test_data_of_the_run_lies_outside_the_project(pytestconfig: pytest.Config) -> None:
    database = settings.DATABASES["default"]
    assert ROOT not in Path(settings.VAR_DIR).parents
    if pytestconfig.getoption("--database") == "sqlite":
        assert Path(settings.VAR_DIR) in Path(str(database["NAME"])).parents
    else:
        assert database["ENGINE"] == "django.db.backends.postgresql"


@pytest.mark.django_db
def test_database_is_the_chosen_one(pytestconfig: pytest.Config) -> None:
    assert connection.vendor == pytestconfig.getoption("--database")


@pytest.mark.django_db(transaction=True)
def test_steps_are_emptied_by_a_flush_and_append_only_again_after_it() -> None:
    make_step()
    call_command("flush", interactive=False, verbosity=0)
    assert not Step.objects.exists()
    make_step()
    for refused in (lambda: Step.objects.update(action=1), lambda: Step.objects.all().delete()):
        with pytest.raises(DatabaseError, match="steps are"):
            refused()


@pytest.mark.parametrize("time", ["first", "second"])
@pytest.mark.django_db(transaction=True)
def test_transactional_tests_leave_no_steps_behind(time: str) -> None:
    assert not Step.objects.exists(), f"seen by the {time}"
    make_step()


def test_killed_server_comes_back_on_its_port_and_database(server: Server) -> None:
    server.manage("createsuperuser", "--noinput", "--username=somebody", "--email=a@example.org")
    url, pid = server.url, server.pid
    server.kill()
    server.restart()
    assert server.url == url
    assert server.pid != pid
    assert server.rows("SELECT username FROM staff_user") == [{"username": "somebody"}]


def test_failing_command_says_why(server: Server) -> None:
    with pytest.raises(RuntimeError, match="Unknown command: 'no_such_command'"):
        server.manage("no_such_command")


def test_postgresql_databases_are_made_with_durable_commits(postgresql_server: PostgreSQL) -> None:
    assert postgresql_server.query("SHOW synchronous_commit") == [{"synchronous_commit": "on"}]


async def test_redis_carries_messages_between_layers(redis_url: str) -> None:
    sender, receiver = (RedisChannelLayer(hosts=[redis_url]) for _ in range(2))
    channel = await receiver.new_channel()
    await sender.send(channel, {"type": "hello"})
    assert await receiver.receive(channel) == {"type": "hello"}
    await sender.flush()
    await receiver.close_pools()
    await sender.close_pools()
