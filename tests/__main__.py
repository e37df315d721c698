"""`python -m tests`: style, types, all tests on SQLite, then those that use a database on PostgreSQL; one summary.

`python -m tests lint`: style and types only.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

from tests.services import NOT_RUN
from tests.services.environment import ROOT

CHECKS = (("ruff", "check"), ("ruff", "format", "--check"), ("mypy",))
DATABASES = ("sqlite", "postgresql")


def run(*module_and_arguments: str) -> bool:
    """Run a Python module in the project's folder. True when it ended well."""
    print(f"$ python -m {' '.join(module_and_arguments)}", flush=True)
    return subprocess.run([sys.executable, "-m", *module_and_arguments], check=False, cwd=ROOT).returncode == 0


def counts(report: Path) -> tuple[str, set[str]]:
    """What a JUnit report of pytest counts, in words, and the reasons of parts that could not run."""
    if not report.exists():
        return "0 passed, 1 failed", set()
    cases = list(ElementTree.parse(report).iter("testcase"))
    skips = [skip for case in cases if (skip := case.find("skipped")) is not None]
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    reasons = {reason for skip in skips if (reason := skip.get("message", "")).startswith(NOT_RUN)}
    return f"{len(cases) - len(skips) - failed} passed, {failed} failed, {len(skips)} skipped", reasons


def main(arguments: list[str]) -> int:
    """Run everything, whatever fails on the way. 0 when all is well."""
    failed = [" ".join(check) for check in CHECKS if not run(*check)]
    summary: list[str] = []
    not_run: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="arc-reports-") as folder:
        for database in DATABASES if arguments != ["lint"] else ():
            start = time.monotonic()
            report = Path(folder) / f"{database}.xml"
            if not run("pytest", f"--database={database}", f"--junit-xml={report}", "-q"):
                failed.append(f"pytest --database={database}")
            words, reasons = counts(report)
            summary += [f"{database}: {words}", f"  in {time.monotonic() - start:.0f} s"]
            not_run |= reasons
    print("\n".join(["", *summary, *sorted(not_run), *(f"FAILED: {name}" for name in failed)]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
