#!/bin/sh
# Makes .venv hold the packages of one lock file. Does nothing, in milliseconds, when it does already.
#   ./environment.sh requirements.txt | requirements-dev.txt
#   ./environment.sh find      prints the Python that a new .venv would be made with
# PYTHON names the Python to use; without it, one of version 3.12 or newer is searched for.
set -eu
cd "$(dirname "$0")"
python=.venv/bin/python

# For a package, .venv/locks/ holds the lock files whose packages are all installed; `unfinished` is there while pip
# works, so that a .venv whose making was killed half way is never taken for a whole one.
locks=.venv/locks
unfinished=.venv/unfinished

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; }
makes_venvs() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
say() { printf '%s\n' "$*" >&2; }

candidates() {
    # 3.12 first, the version that the tests run on. A pyenv shim may exist for a version that is not chosen here.
    for name in python3.12 python3.13 python3.14 python3 python; do command -v "$name" || true; done
    printf '%s\n' "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python | sort -rV
    if command -v uv >/dev/null; then uv python find '>=3.12' 2>/dev/null || true; fi
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_new_enough "$PYTHON" || { say "PYTHON=$PYTHON is not a Python of version 3.12 or newer."; return 1; }
        makes_venvs "$PYTHON" || { say "PYTHON=$PYTHON lacks venv: on Debian or Ubuntu install python3-venv."; return 1; }
        printf '%s\n' "$PYTHON"
        return
    fi
    without_venv=
    found=$(candidates | while read -r candidate; do
        is_new_enough "$candidate" || continue
        if makes_venvs "$candidate"; then printf '%s\n' "$candidate"; break; fi
        printf 'without venv: %s\n' "$candidate"
    done)
    case $(printf '%s\n' "$found" | tail -n 1) in
        '') say "Python 3.12 or newer is needed and was not found. Install it (Debian, Ubuntu: python3.12 and" \
                "python3.12-venv; pyenv: pyenv install 3.12; uv: uv python install 3.12) or name it: make PYTHON=..."
            return 1 ;;
        'without venv: '*)
            say "${found##*: } lacks venv: on Debian or Ubuntu install $("${found##*: }" -c \
                'import sys; print("python%d.%d-venv" % sys.version_info[:2])'), or name another: make PYTHON=..."
            return 1 ;;
        *) printf '%s\n' "$found" | tail -n 1 ;;
    esac
}

install() {
    lock=$1
    if [ -e "$unfinished" ] || ! is_new_enough "$python" || ! "$python" -c 'import pip' 2>/dev/null; then
        base=$(find_python)
        say "Making .venv with $base"
        rm -rf .venv
        mkdir .venv && : > "$unfinished"
        "$base" -m venv .venv
    fi
    say "Installing the packages of $lock"
    : > "$unfinished"
    if ! "$python" -m pip install -qq --no-input --disable-pip-version-check --no-compile \
        --require-hashes -r "$lock"; then
        # pip has ended by itself, so what was installed before is whole.
        rm -f "$unfinished"
        say "The packages of $lock could not be installed. pip says why above."
        return 1
    fi
    mkdir -p "$locks"
    cp "$lock" "$locks/"
    # The packages for tests include those of the product, in the same versions.
    if [ "$lock" = requirements-dev.txt ]; then cp requirements.txt "$locks/"; fi
    rm -f "$unfinished"
}

case ${1:-} in
    find) find_python ;;
    requirements.txt | requirements-dev.txt)
        if [ -e "$unfinished" ] || [ ! -x "$python" ] || ! cmp -s "$1" "$locks/$1"; then install "$1"; fi ;;
    *) say "usage: $0 requirements.txt | requirements-dev.txt | find"; exit 1 ;;
esac
