"""A participant's way through the pages, over HTTP, up to the address of a game."""

import re
from http.cookiejar import CookieJar
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, ProxyHandler, Request, build_opener

FIELD = re.compile(r'<input type="hidden" name="(?P<name>\w+)" value="(?P<value>[^"]*)">')


def open_browser() -> OpenerDirector:
    """Something that keeps cookies."""
    return build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))


def press_start(browser: OpenerDirector, page: str) -> str:
    """Open a page with a Start button, press it, and return the address that it leads to."""
    with browser.open(page, timeout=10) as answer:
        fields = dict(FIELD.findall(answer.read().decode()))
    form = Request(page, urlencode(fields).encode(), {"Referer": page})
    with browser.open(form, timeout=10) as answer:
        return str(answer.url)


def join(link: str) -> str:
    """Follow a study's link as a new participant; returns the token of the attempt."""
    return press_start(open_browser(), link).rstrip("/").rpartition("/")[2]
