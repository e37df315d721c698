"""An attempt's record in the database, as the session sees it: moves out, transitions in."""

from channels.db import database_sync_to_async
from django.db import transaction

from arcweb.play.protocol import step_message
from arcweb.play.session import RESET, Move, Position, Refused, Transition
from arcweb.recordings import store
from arcweb.recordings.models import Recording, State, Step, mask_of
from arcweb.studies.models import Attempt, Outcome
from engine.frames import GameState


class AttemptJournal:
    """The steps of one attempt's recording. The attempt's clock starts with step 0."""

    def __init__(self, attempt: Attempt, recording: Recording) -> None:
        self._attempt = attempt
        self._recording = recording

    @database_sync_to_async
    def moves(self, first: int) -> list[Move]:
        """The recorded moves from this step on."""
        steps = self._recording.steps.filter(step__gte=first).order_by("step")
        return [Move(*row) for row in steps.values_list("action", "x", "y")]

    @database_sync_to_async
    def position(self, number: int) -> Position:
        """The recorded position after a step.

        Raises:
            Step.DoesNotExist: there is no such step.
        """
        return self._position(self._recording.steps.get(step=number))

    @database_sync_to_async
    def last(self) -> Position:
        """The last recorded position.

        Raises:
            Step.DoesNotExist: nothing is recorded.
        """
        return self._position(self._recording.steps.latest("step"))

    @database_sync_to_async
    def append(self, done: Transition) -> bytes:
        """Store a step durably, then return its frames as stored. The last step of a won game ends the attempt too.

        Raises:
            Refused: `ended`: the attempt has ended, perhaps elsewhere; nothing is stored.
        """
        frames = store.encode_frames(done.after.step, done.frames, None if done.before is None else done.before.grid)
        step = Step(
            recording=self._recording,
            step=done.after.step,
            action=done.after.move.action,
            x=done.after.move.x,
            y=done.after.move.y,
            received_at=done.received_at,
            answered_at=done.answered_at,
            key_down_ms=done.key_down_ms,
            state=State[done.after.state.name],
            levels_completed=done.after.levels_completed,
            win_levels=done.after.win_levels,
            full_reset=done.after.full_reset,
            available_actions=mask_of(done.after.available),
            frames=frames,
        )
        this = Attempt.objects.filter(pk=self._attempt.pk)
        with transaction.atomic():
            if not this.unfinished().select_for_update().exists():
                raise Refused("ended", step.step)
            store.append(step)
            if step.step == 0:
                this.update(started_at=done.answered_at)
            if done.after.state is GameState.WIN:
                this.end(Outcome.WON, done.answered_at)
        if step.step == 0:
            self._attempt.started_at = done.answered_at
        return frames

    @database_sync_to_async
    def message(self, number: int) -> bytes | None:
        """The step message of a stored step; None where there is no such step."""
        step = self._recording.steps.filter(step=number).first()
        if step is None:
            return None
        return step_message(self._position(step), bytes(step.frames or b""))

    def _position(self, step: Step) -> Position:
        """A stored step as the session knew it. What may be done next follows from it and the step before."""
        earlier = self._recording.steps.filter(step__lt=step.step).order_by("-step").first()
        began = earlier is None or step.action == RESET or step.levels_completed != earlier.levels_completed
        return Position(
            step=step.step,
            move=Move(step.action, step.x, step.y),
            grid=store.last_grid(self._recording, step.step),
            state=GameState[State(step.state).name],
            levels_completed=step.levels_completed,
            win_levels=step.win_levels,
            available=tuple(step.available),
            full_reset=step.full_reset,
            resettable=not began,
        )
