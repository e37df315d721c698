"""What can be wrong with a game's folder. The message says so in words that a game's author understands."""

from __future__ import annotations


class GameLoadError(ValueError):
    """A game that cannot be read or constructed."""


class MetadataError(GameLoadError):
    """metadata.json cannot be used."""


class MetadataMissing(MetadataError):
    """There is no metadata.json, or it cannot be opened."""


class MetadataNotJSON(MetadataError):
    """metadata.json is not UTF-8 text with one JSON value."""


class MetadataNotObject(MetadataError):
    """metadata.json holds another JSON value than an object."""


class GameIdMissing(MetadataError):
    """metadata.json has no `game_id`, or one that is not a text."""


class BaselineChanged(MetadataError):
    """The baseline in metadata.json is another one than the caller expected to replace."""


class SourceMissing(GameLoadError):
    """There is no source file of the expected name, or it cannot be opened."""


class SourceDoesNotCompile(GameLoadError):
    """The source is not valid Python."""


class SourceRaises(GameLoadError):
    """Running the source raised an exception."""


class ClassMissing(GameLoadError):
    """The source defines no class of the expected name."""


class ClassNotGame(GameLoadError):
    """The class is not a subclass of ARCBaseGame."""


class ConstructorRaises(GameLoadError):
    """The game's constructor raised an exception."""
