"""The engine of 64x64 grid games: the names and behaviour of arcengine, in plain Python and numpy."""

from engine.actions import MAX_REASONING_BYTES, ActionInput, ComplexAction, GameAction, SimpleAction
from engine.camera import Camera
from engine.displays import RenderableUserDisplay, ToggleableUserDisplay
from engine.frames import FrameData, FrameDataRaw, GameState
from engine.game import ARCBaseGame
from engine.levels import Level, PlaceableArea
from engine.records import ValidationError
from engine.sprites import BlockingMode, InteractionMode, Sprite

__version__ = "0.1.0"
"""The version that recordings store: it rises when the same actions may give other frames."""

__all__ = [
    "MAX_REASONING_BYTES",
    "ARCBaseGame",
    "ActionInput",
    "BlockingMode",
    "Camera",
    "ComplexAction",
    "FrameData",
    "FrameDataRaw",
    "GameAction",
    "GameState",
    "InteractionMode",
    "Level",
    "PlaceableArea",
    "RenderableUserDisplay",
    "SimpleAction",
    "Sprite",
    "ToggleableUserDisplay",
    "ValidationError",
]
