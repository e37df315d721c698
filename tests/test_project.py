"""The project's own order: sizes of files, lock files, settings, templates, and what it says about machines."""

import ast
import re
import subprocess
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

import pytest

from tests.services.environment import ROOT, documented_settings

LONGEST = 350
MAY_BE_LONGER = {  # file: reason
    "engine/game.py": "one class, whose public surface is the reference's",
    "engine/sprites.py": "one class, whose public surface is the reference's",
}
# Read by `manage.py play`, not by the settings module.
READ_ELSEWHERE = {"PORT"}
PINNED = re.compile(r"^([a-z0-9._-]+)==(\S+)", re.MULTILINE)
SETTING_NAME = re.compile(r"[A-Z][A-Z0-9_]+")
MACHINE_PATH = re.compile(r"(?<![\w.~$}-])/(?:work|root|home|Users)/\w")


def tracked_files() -> list[str]:
    """What git keeps, or would keep at the next `git add`."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    ).stdout
    return [name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def pins(lock: str) -> list[tuple[str, str]]:
    """Package and version of each pin of a lock file; a package has one for each kind of system where they differ."""
    return PINNED.findall((ROOT / lock).read_text())


def test_source_files_are_short_enough_to_read() -> None:
    files = chain(
        (ROOT / "engine").rglob("*.py"), (ROOT / "arcweb").rglob("*.py"), (ROOT / "static" / "js").rglob("*.js")
    )
    lengths = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in files}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST and name not in MAY_BE_LONGER} == {}
    assert {name for name in MAY_BE_LONGER if lengths.get(name, 0) <= LONGEST} == set(), "no exception needed any more"


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-dev.txt"])
def test_lock_file_has_hashes_for_all_packages_and_names_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert [line for line in text.splitlines() if line.startswith("-")] == [], "options such as --index-url"
    packages = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(packages) == len(pins(lock)), "every package is pinned"
    assert [package for package in packages if "--hash=sha256:" not in package] == []


def test_lock_file_for_tests_includes_that_of_the_product_unchanged() -> None:
    runtime, dev = set(pins("requirements.txt")), set(pins("requirements-dev.txt"))
    packages = {name for name, _ in runtime}
    assert packages
    assert {(name, version) for name, version in dev if name in packages} == runtime


def test_env_example_lists_exactly_the_settings_that_are_read() -> None:
    settings = ast.parse((ROOT / "arcweb" / "settings.py").read_text())
    calls = [node for node in ast.walk(settings) if isinstance(node, ast.Call) and node.args]
    readers = [call for call in calls if re.match(r"env\.|_folder$", ast.unparse(call.func))]
    names = {argument.value for call in readers if isinstance(argument := call.args[0], ast.Constant)}
    read = {name for name in names if isinstance(name, str) and SETTING_NAME.fullmatch(name)}
    assert set(documented_settings()) == read | READ_ELSEWHERE


class InlineFinder(HTMLParser):
    """Collects what the content security policy would refuse: inline scripts, styles and event handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_script_without_source = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        line, _ = self.getpos()
        self._in_script_without_source = tag == "script" and "src" not in names
        if tag == "style" or "style" in names:
            self.found.append(f"line {line}: inline style in <{tag}>")
        self.found += [f"line {line}: {name}= in <{tag}>" for name in names if name.startswith("on")]
        if any((value or "").strip().lower().startswith("javascript:") for _, value in attrs):
            self.found.append(f"line {line}: javascript: address in <{tag}>")

    def handle_data(self, data: str) -> None:
        if self._in_script_without_source and data.strip():
            self.found.append(f"line {self.getpos()[0]}: inline script")
        self._in_script_without_source = False


def inline_parts(template: str) -> list[str]:
    """Inline scripts, styles and event handlers of a template, by line."""
    finder = InlineFinder()
    finder.feed(template)
    return finder.found


@pytest.mark.parametrize(
    ("template", "parts"),
    [
        ('<script src="{% static "js/play.js" %}" type="module"></script><a class="on" href="/one">x</a>', 0),
        ("<script>start()</script>", 1),
        ('<p style="color: red">', 1),
        ("<style>p {}</style>", 1),
        ('<button onclick="x()">', 1),
        ('<a href="javascript:x()">', 1),
    ],
)
def test_inline_parts_are_found(template: str, parts: int) -> None:
    assert len(inline_parts(template)) == parts


def test_templates_have_nothing_inline() -> None:
    templates = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "arcweb").rglob("*.html")]
    assert {str(path.relative_to(ROOT)): found for path in templates if (found := inline_parts(path.read_text()))} == {}


def test_files_name_no_folder_of_somebodys_machine() -> None:
    named = []
    for name in tracked_files():
        data = Path(ROOT / name).read_bytes()
        if b"\0" not in data:
            lines = data.decode(errors="replace").splitlines()
            named += [f"{name}:{number}" for number, line in enumerate(lines, 1) if MACHINE_PATH.search(line)]
    assert named == []
