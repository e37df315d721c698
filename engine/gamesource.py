"""The module that the classes of loaded games name as theirs (`__module__`); it is empty of games.

A loaded game has a namespace of its own that is not in `sys.modules`. The standard library looks a class's module up
there all the same: `dataclasses` needs one to tell what the text "ClassVar[int]" means in a source that begins with
`from __future__ import annotations`. The names below are what it looks for.
"""

import dataclasses
import typing
from dataclasses import KW_ONLY, InitVar
from typing import ClassVar

__all__ = ["KW_ONLY", "ClassVar", "InitVar", "dataclasses", "typing"]
