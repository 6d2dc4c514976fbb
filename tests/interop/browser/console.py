"""Drives a console that the controller serves in headless Chromium, as a person does.

Standard input: JSON with `url`, where the console is, and the `users` by their names, each with its `password`, and
its `secret` of TOTP or null. Arguments: names of scenarios. What does not hold ends it with an exception.
"""

import json
import sys
import urllib.parse

from playwright.sync_api import expect, sync_playwright

import chromium
from authenticator import Authenticator

GIVEN = json.load(sys.stdin)
URL = GIVEN["url"]
ORIGIN = URL.removesuffix("/zac/")


class Console:
    """A tab with the console, and what the browser asked for and complained about meanwhile."""

    def __init__(self, window):
        self.window = window
        self.page = window.new_page()
        self.asked = []
        self.problems = []
        self.page.on("response", self.note)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self.hear)

    def note(self, response):
        url = urllib.parse.urlsplit(response.url)
        assert response.url.startswith(ORIGIN), f"{response.url} is not of the controller"
        self.asked.append((response.request.method, url.path, response.status))

    def hear(self, message):
        # Of statuses it complains too, which the scenarios judge.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.problems.append(message.text)

    def load(self, url=URL):
        self.page.goto(url)
        self.expect("ready")

    def press(self, button):
        self.page.get_by_role("button", name=button, exact=True).click()

    def expect(self, status):
        expect(self.page.get_by_role("status")).to_have_text(status)

    def expect_refused(self):
        expect(self.page.get_by_role("status")).to_contain_text("refused: ")

    def sign_in(self, user, password=None):
        self.page.get_by_label("User name").fill(user)
        self.page.get_by_label("Password").fill(password or GIVEN["users"][user]["password"])
        self.press("Sign in")

    def verify(self, code):
        self.page.get_by_label("Code").fill(code)
        self.press("Verify")

    def create(self, name):
        self.page.get_by_label("Name of a service").fill(name)
        self.press("Create")

    def listed(self, kind):
        return self.page.locator(f"#{kind} li").all_inner_texts()

    def count(self, method, path, status):
        return self.asked.count((method, path, status))

    def log_out(self):
        """The tokens are gone where they came from."""
        self.press("Log out")
        self.expect("200 401 null")
        self.load()
        expect(self.page.get_by_label("User name")).to_be_visible()


def administrator(console):
    """Whoever has to give a code does everything, and stays logged in across pages."""
    console.sign_in("anne", "not-her-password")
    console.expect_refused()
    console.sign_in("anne")
    console.expect("a code is asked for")
    app = Authenticator.in_use(GIVEN["users"]["anne"]["secret"])
    console.verify(app.wrong_code())
    console.expect_refused()
    assert not console.count("GET", "/auth/callback", 404), console.asked
    console.verify(app.code())
    console.expect("signed in")
    # What stands there is nobody's, and is asked for all the same.
    assert console.count("GET", "/auth/callback", 404) == 1, console.asked
    assert {"admin", "anne", "bert"} <= set(console.listed("identities")), console.listed("identities")

    console.create("made in the console")
    console.expect("created")
    assert console.listed("services") == ["made in the console", "printer"]
    console.press("Renew")
    console.expect("renewed")
    # A path without a file is the console's own.
    console.load(f"{URL}identities/some-id")
    assert console.page.locator("h1").inner_text() == "anne"
    assert not any(status == 401 for _, path, status in console.asked if path.startswith("/edge/")), console.asked
    console.log_out()


def restricted(console):
    """Whoever may do a few things is refused others, and nothing worse happens."""
    console.sign_in("bert")
    restricted_at_work(console)


def restricted_with_code(console):
    console.sign_in("cleo")
    console.expect("a code is asked for")
    console.verify(Authenticator.in_use(GIVEN["users"]["cleo"]["secret"]).code())
    restricted_at_work(console)


def restricted_at_work(console):
    identities = "/edge/management/v1/identities"
    console.expect("signed in")
    assert console.listed("identities") == ["not permitted"]
    assert "printer" in console.listed("services")
    assert console.count("GET", identities, 401) == 2, console.asked
    console.create("of somebody else")
    console.expect("not permitted")
    console.load()
    assert "printer" in console.listed("services")
    # Each renewal is of the token that came last.
    assert console.count("GET", identities, 401) == 6, console.asked
    assert console.count("POST", "/oidc/oauth/token", 200) == 5, console.asked
    console.log_out()


def tabs(console):
    """Two tabs renew the session at the same time, and both have it after that."""
    console.sign_in("bert")
    console.expect("signed in")
    held = []

    def hold(route):
        held.append(route)
        if len(held) == 2:
            for one in held:
                one.continue_()
        elif len(held) > 2:
            route.continue_()

    pair = [console, Console(console.window)]
    for tab in pair:
        tab.page.route("**/oidc/oauth/token", hold)
        tab.page.goto(URL)
    for tab in pair:
        tab.expect("ready")
        tab.page.unroute("**/oidc/oauth/token")
        assert "printer" in tab.listed("services")
    refused = [tab.count("POST", "/oidc/oauth/token", 503) for tab in pair]
    assert sum(refused) >= 1, [tab.asked for tab in pair]
    assert not any(tab.count("POST", "/oidc/oauth/token", 400) for tab in pair), [tab.asked for tab in pair]
    pair[1].load()
    console.load()
    assert not pair[1].problems, pair[1].problems
    console.log_out()


def unenrolled(console):
    """Whoever has to set up a second factor first learns it, and is not asked for a code that nobody has."""
    console.sign_in("dora")
    console.expect("set up a second factor first")
    expect(console.page.get_by_label("Code")).to_be_hidden()


SCENARIOS = [administrator, restricted, restricted_with_code, tabs, unenrolled]

with sync_playwright() as playwright:
    browser = chromium.launch(playwright)
    for scenario in SCENARIOS:
        if scenario.__name__ in sys.argv[1:]:
            console = Console(browser.new_context(ignore_https_errors=True))
            console.load()
            color = console.page.locator("main").evaluate("it => getComputedStyle(it).color")
            assert color == "rgb(1, 2, 3)", f"the style sheet does not count: {color}"
            scenario(console)
            assert not console.problems, console.problems
            legacy = [path for _, path, _ in console.asked if "/authenticate" in path]
            assert not legacy, legacy
            print(f"{scenario.__name__} done")
