"""Drives the pages of a login in headless Chromium, as a person does.

Standard input: JSON with `issuer`, `ca`, the `users` by their names, and `screenshots`, a folder or null.
Arguments: names of scenarios. What does not hold ends it with an exception.
"""

import base64
import hashlib
import http.server
import json
import pathlib
import secrets
import ssl
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

import html5lib
from playwright.sync_api import Error, sync_playwright

import chromium
from authenticator import Authenticator

GIVEN = json.load(sys.stdin)
ISSUER = GIVEN["issuer"]
PASSWORD = GIVEN["password"]
TLS = ssl.create_default_context(cafile=GIVEN["ca"])

# Names of others that lead to this machine.
EVIL = "evil.example.test"
OTHER = "other.example.test"

PHONE = {"width": 320, "height": 640}
DESKTOP = {"width": 1000, "height": 800}


class Site(http.server.ThreadingHTTPServer):
    """A website on loopback: pages, or addresses to go on to, by path; and every request that it got."""

    def __init__(self, pages=None):
        super().__init__(("127.0.0.1", 0), Visit)
        self.pages = pages or {}
        self.visits = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Visit(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        self.server.visits.append((url.path, dict(urllib.parse.parse_qsl(url.query))))
        page = self.server.pages.get(url.path, "<title>Application</title><p>Welcome").encode()
        if page.startswith(b"http://"):
            self.send_response(302)
            self.send_header("location", page.decode())
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


def post(endpoint, **form):
    """What the provider answers to a form of a program: status and JSON."""
    request = urllib.request.Request(f"{ISSUER}{endpoint}", urllib.parse.urlencode(form).encode())
    try:
        with urllib.request.urlopen(request, context=TLS) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Application:
    """A native application, which listens on loopback for the end of its login, and may go on elsewhere."""

    def __init__(self, goes_on=False):
        pages = {"/auth/callback": f"http://{OTHER}:{Site().server_port}/"} if goes_on else {}
        self.site = Site(pages)
        self.redirect_uri = f"http://localhost:{self.site.server_port}/auth/callback"
        self.verifier = secrets.token_urlsafe(32)
        self.state = secrets.token_urlsafe(8)

    def url(self, **more):
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return f"{ISSUER}/authorize?" + urllib.parse.urlencode({
            "client_id": "native", "response_type": "code", "scope": "openid offline_access",
            "state": self.state, "redirect_uri": self.redirect_uri, "code_challenge_method": "S256",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), **more,
        })

    def begin(self):
        """Begins a login as a program does, and returns the address of its page."""
        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None
        opener = urllib.request.build_opener(Stay, urllib.request.HTTPSHandler(context=TLS))
        try:
            opener.open(self.url())
        except urllib.error.HTTPError as redirect:
            return urllib.parse.urljoin(ISSUER, redirect.headers["location"])
        raise AssertionError("the authorization request was not redirected")

    def code(self):
        """The one code that the application got."""
        visits = [query for path, query in self.site.visits if path == "/auth/callback"]
        assert len(visits) == 1, self.site.visits
        assert visits[0]["state"] == self.state, visits
        return visits[0]["code"]

    def tokens(self):
        status, tokens = post(
            "/oauth/token", grant_type="authorization_code", code=self.code(), client_id="native",
            code_verifier=self.verifier, redirect_uri=self.redirect_uri,
        )
        assert status == 200, tokens
        return tokens

    def is_waiting(self):
        return not any(path == "/auth/callback" for path, _ in self.site.visits)


def claims(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


class Tab:
    """A tab. Every page of the provider that it shows is judged."""

    def __init__(self, window, name):
        self.page = window.context.new_page()
        self.name = name
        self.shots = 0
        self.page.on("console", self.note)
        self.page.on("pageerror", lambda error: window.problems.append(str(error)))
        self.window = window

    def note(self, message):
        if "Content Security Policy" in message.text or "content security policy" in message.text:
            self.window.problems.append(message.text)

    def load(self, url):
        return self.judged(self.page.goto(url))

    def press(self, button):
        return self.after(self.page.get_by_role("button", name=button, exact=True).click)

    def type(self, key):
        return self.after(lambda: self.page.keyboard.press(key))

    def after(self, action):
        """What is loaded because of an action."""
        with self.page.expect_navigation() as navigation:
            action()
        return self.judged(navigation.value)

    def back(self):
        return self.judged(self.page.go_back())

    def judged(self, response):
        if response is None or not response.url.startswith(ISSUER):
            return response
        headers = response.headers
        policy = headers["content-security-policy"]
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]:
            assert part in policy, policy
        assert "script-src" not in policy and "unsafe" not in policy, policy
        expected = {"cache-control": "no-store", "referrer-policy": "same-origin", "x-content-type-options": "nosniff"}
        assert {name: headers.get(name) for name in expected} == expected, headers
        try:
            html = response.text()
        except Error:
            html = None
        if html is None or 'http-equiv="refresh"' in html:
            # It goes on by itself, maybe before it could be read.
            self.page.wait_for_url(lambda url: not url.startswith(ISSUER))
        else:
            html5lib.HTMLParser(strict=True).parse(html)
            self.judge_layout()
        return response

    def judge_layout(self):
        page = self.page
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.locator("h1").count() == 1
        unlabelled = page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden])')].filter(it => !it.labels.length).length")
        assert unlabelled == 0, page.content()
        for scheme in ["light", "dark"]:
            for size in [PHONE, DESKTOP]:
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size(size)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= size["width"], f"{page.title()} is {width} wide in {size}"
                self.shoot(f"{scheme}-{size['width']}")

    def shoot(self, what):
        folder = GIVEN["screenshots"]
        if folder:
            self.shots += 1
            name = f"{self.name}-{self.shots:02}-{self.heading().replace(' ', '-')}-{what}.png"
            self.page.screenshot(path=pathlib.Path(folder) / name, full_page=True)

    def heading(self):
        return self.page.locator("h1").inner_text()

    def alert(self):
        return self.page.get_by_role("alert").inner_text()

    def focused(self):
        return self.page.evaluate("document.activeElement.name || document.activeElement.innerText")

    def has_visible_focus(self):
        return self.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"

    def expect(self, heading):
        assert self.heading() == heading, self.page.content()

    def sign_in(self, user, password=PASSWORD):
        self.expect("Sign in")
        self.page.get_by_label("User name").fill(user)
        self.page.get_by_label("Password").fill(password)
        return self.press("Sign in")

    def enter(self, code, button="Continue"):
        self.page.locator("#code").fill(code)
        return self.press(button)

    def expect_application(self, application):
        assert self.page.url.startswith(application.redirect_uri), (self.page.url, self.page.content())


class Window:
    """The cookies of a person, and the tabs that have them."""

    def __init__(self, browser, name, **more):
        self.context = browser.new_context(ignore_https_errors=True, **more)
        self.name = name
        self.problems = []

    def tab(self):
        return Tab(self, self.name)


def password(browser):
    window, application = browser.window("password"), Application()
    tab = window.tab()
    tab.load(application.url())
    tab.expect("Sign in")
    assert f"localhost:{application.site.server_port}" in tab.page.locator(".purpose").inner_text()
    assert tab.focused() == "username"

    response = tab.sign_in("anne", "not-her-password")
    assert response.status == 401
    assert "wrong" in tab.alert()
    assert tab.page.get_by_label("User name").input_value() == "anne"
    assert tab.page.get_by_label("Password").input_value() == ""
    assert tab.focused() == "password" and tab.has_visible_focus()
    field = tab.page.get_by_label("Password")
    assert field.get_attribute("aria-describedby") == tab.page.get_by_role("alert").get_attribute("id")

    # The form that one comes back to still works.
    tab.back()
    hostile = "\"><script>alert(1)</script>\u202e"
    tab.sign_in(hostile, "x")
    assert tab.page.get_by_label("User name").input_value() == hostile

    tab.sign_in("anne")
    tab.expect_application(application)
    tokens = application.tokens()
    assert claims(tokens["id_token"])["amr"] == ["password"], claims(tokens["id_token"])
    assert not window.context.cookies(), window.context.cookies()

    # The page of a login that is over does not begin another one.
    application = Application(goes_on=True)
    tab.load(application.url())
    tab.sign_in("anne")
    tab.page.wait_for_url(f"http://{OTHER}:*/")
    application.tokens()
    response = tab.back()
    assert response.status == 401
    tab.expect("This sign-in has ended")
    return window


def keyboard(browser):
    window, application = browser.window("keyboard"), Application()
    tab = window.tab()
    tab.load(application.url())
    keys = tab.page.keyboard
    keys.type("bert")
    keys.press("Tab")
    assert tab.focused() == "password" and tab.has_visible_focus()
    keys.type(PASSWORD)
    keys.press("Tab")
    assert tab.focused() == "Sign in" and tab.has_visible_focus()
    tab.type("Enter")
    tab.expect("Enter your code")
    assert tab.focused() == "code"

    # A recovery code, without ever touching a mouse.
    keys.press("Tab")
    assert tab.focused() == "Continue"
    keys.press("Tab")
    assert tab.focused() == "Use a recovery code" and tab.has_visible_focus()
    keys.press("Enter")
    keys.press("Tab")
    assert tab.focused() == "code" and tab.has_visible_focus()
    keys.type(GIVEN["users"]["bert"]["recoveryCodes"][0])
    tab.type("Enter")
    tab.expect_application(application)
    assert sorted(claims(application.tokens()["id_token"])["amr"]) == ["password", "totp"]
    return window


def totp(browser):
    window, application = browser.window("totp"), Application()
    app = Authenticator.in_use(GIVEN["users"]["bert"]["secret"])
    tab = window.tab()
    tab.load(application.url())
    tab.sign_in("bert")
    tab.expect("Enter your code")
    response = tab.enter(app.wrong_code())
    assert response.status == 401, response.status
    assert "wrong" in tab.alert() and tab.focused() == "code"
    # Whoever loads the login again is where they were.
    tab.load(tab.page.url.replace("/totp", f"/username?id={tab.page.locator('[name=id]').first.input_value()}"))
    tab.expect("Enter your code")
    code = app.code()
    tab.enter(f" {code} ")
    tab.expect_application(application)
    application.tokens()

    again = Application()
    tab.load(again.url())
    tab.sign_in("bert")
    tab.enter(code)
    assert "used already" in tab.alert()
    assert again.is_waiting()
    spent = GIVEN["users"]["bert"]["recoveryCodes"][1]
    for is_first in [True, False]:
        application = Application()
        tab.load(application.url())
        tab.sign_in("bert")
        tab.page.get_by_text("Use a recovery code").click()
        tab.page.get_by_label("Recovery code").fill(spent)
        tab.press("Use recovery code")
        assert application.is_waiting() != is_first
    return window


def enrollment(browser):
    window, application = browser.window("enrollment"), Application()
    tab = window.tab()
    tab.load(application.url())
    tab.sign_in("cleo")
    tab.expect("Set up a second factor")
    tab.press("Set up authenticator app")
    first = shown_secret(tab)
    image = tab.page.get_by_role("img", name="QR code")
    assert image.evaluate("it => it.complete && it.naturalWidth") == 256
    codes = tab.page.locator(".codes li").all_inner_texts()
    assert len(set(codes)) == 20, codes
    assert first in tab.page.get_by_role("link").get_attribute("href")

    response = tab.enter(Authenticator(first).wrong_code(), "Finish")
    assert response.status == 401
    assert "wrong" in tab.alert() and tab.focused() == "code"
    assert shown_secret(tab) == first
    tab.press("Begin again with a new code")
    second = shown_secret(tab)
    assert second != first
    tab.page.emulate_media(media="print", color_scheme="dark")
    assert tab.page.locator("main").evaluate("it => getComputedStyle(it).color") == "rgb(27, 31, 36)"
    assert tab.page.locator(".codes").is_visible() and not tab.page.locator(".secret").is_visible()
    tab.shoot("print")
    tab.page.emulate_media(media="screen")
    stale = Authenticator(first)
    tab.enter(stale.code(), "Finish")
    assert "wrong" in tab.alert()
    tab.enter(Authenticator(second).code(), "Finish")
    tab.expect_application(application)
    assert sorted(claims(application.tokens()["id_token"])["amr"]) == ["password", "totp"]

    application = Application()
    tab.load(application.url())
    tab.sign_in("cleo")
    tab.expect("Enter your code")
    return window


def shown_secret(tab):
    secret = tab.page.locator(".secret").inner_text()
    assert all(len(group) == 4 for group in secret.split(" ")), secret
    return secret.replace(" ", "")


def tabs(browser):
    window = browser.window("tabs")
    one, other = Application(), Application()
    first, second = window.tab(), window.tab()
    first.load(one.url())
    second.load(other.url())
    second.sign_in("anne")
    second.expect_application(other)
    assert one.is_waiting()
    first.sign_in("anne")
    first.expect_application(one)
    assert one.tokens()["access_token"] != other.tokens()["access_token"]
    return window


def certificate(browser):
    files = GIVEN["users"]["dora"]
    chosen = {"origin": ISSUER.removesuffix("/oidc"), "certPath": files["certificate"], "keyPath": files["key"]}
    window, application = browser.window("certificate", client_certificates=[chosen]), Application()
    tab = window.tab()
    tab.load(application.url())
    assert tab.focused() == "Sign in with certificate"
    tab.press("Sign in with certificate")
    tab.expect_application(application)
    tokens = application.tokens()
    assert claims(tokens["id_token"])["amr"] == ["cert"]
    assert claims(tokens["access_token"])["z_acf"], claims(tokens["access_token"])
    return window


def throttle(browser):
    """Somebody guesses at codes."""
    window, application = browser.window("throttle"), Application()
    tab = window.tab()
    tab.load(application.url())
    tab.sign_in("bert")
    wrong = Authenticator(GIVEN["users"]["bert"]["secret"]).wrong_code()
    statuses = [tab.enter(wrong).status for _ in range(6)]
    assert statuses == [401] * 5 + [429], statuses
    assert tab.alert().startswith("Too many failed attempts. Try again in "), tab.alert()
    assert application.is_waiting()
    return window


def strangers(browser):
    """Logins that somebody else began."""
    attacker, victim = browser.window("attacker"), browser.window("victim")
    application = Application()
    tab = victim.tab()
    for begun in [application.begin(), begun_in(attacker, application)]:
        response = tab.load(begun)
        assert response.status == 401
        tab.expect("This sign-in has ended")
        # Even if a page of the attacker's sends the credentials of whoever it is.
        identifier = urllib.parse.parse_qs(urllib.parse.urlsplit(begun).query)["authRequestID"][0]
        attack(tab, identifier, 401)
        assert application.is_waiting()

    # Nor do pages of others go on with a login of this browser.
    own = begun_in(victim, application)
    identifier = urllib.parse.parse_qs(urllib.parse.urlsplit(own).query)["authRequestID"][0]
    attack(tab, identifier, 401)
    assert application.is_waiting()
    tab.load(own)
    tab.sign_in("anne")
    tab.expect_application(application)

    # Nor are they shown within pages of others.
    own = begun_in(victim, application)
    frame = Site({"/": f"<iframe src='{own}'></iframe>"})
    tab.page.goto(f"http://{EVIL}:{frame.server_port}/")
    tab.page.wait_for_load_state("networkidle")
    assert all("Sign in" not in frame.content() for frame in tab.page.frames)
    # That is what browsers say of it.
    victim.problems.clear()
    return victim


def begun_in(window, application):
    tab = window.tab()
    tab.load(application.url())
    url = tab.page.url
    tab.page.close()
    return url


def attack(tab, identifier, status):
    """A page of the attacker's that sends credentials without being asked."""
    form = f"""<form method=post action="{ISSUER}/login/password"><input name=id value="{identifier}">
        <input name=username value=anne><input name=password value="{PASSWORD}"></form>
        <script>setTimeout(() => document.forms[0].submit(), 100)</script>"""
    evil = Site({"/": form})
    with tab.page.expect_response(f"{ISSUER}/login/password") as answer:
        tab.page.goto(f"http://{EVIL}:{evil.server_port}/")
    assert answer.value.status == status, answer.value.status
    tab.page.wait_for_load_state()
    tab.expect("This sign-in has ended")


def ends(browser):
    """Pages at which nothing goes on."""
    window, application = browser.window("ends"), Application()
    tab = window.tab()
    tab.load(application.url())
    tab.sign_in("anne")
    tokens = application.tokens()
    hint = urllib.parse.urlencode({"id_token_hint": tokens["id_token"]})
    tab.load(f"{ISSUER}/end_session?{hint}")
    tab.expect("You are signed out")
    status, answer = post("/oauth/token", grant_type="refresh_token", client_id="native",
                          refresh_token=tokens["refresh_token"])
    assert (status, answer["error"]) == (400, "invalid_grant"), answer

    application = Application()
    for change in [{"redirect_uri": "https://evil.example.test/"}, {"client_id": "<script>"},
                   {"redirect_uri": f"{application.redirect_uri}/../x"}]:
        response = tab.load(application.url(**change))
        assert response.status == 400 and response.url.startswith(ISSUER), response.url
        tab.expect("Invalid request")
        assert "form-action 'none'" in response.headers["content-security-policy"]
        assert "evil" not in response.text() and "<script" not in response.text()

    # What no page of the provider makes a browser send.
    for path, status in [("/nothing", 404), ("/oauth/token", 405), ("/end_session?state=a&state=b", 400)]:
        response = tab.load(ISSUER + path)
        assert response.status == status, response.status
        tab.expect("Request refused")

    tab.load(application.url(method="cert"))
    tab.expect("Sign in")
    response = tab.press("Sign in with certificate")
    assert response.status == 401 and "certificate" in tab.alert()
    tab.load(application.url(method="ext-jwt"))
    tab.expect("Sign in with a token")
    assert application.is_waiting()
    return window


class Browser:
    def __init__(self, playwright):
        self.chromium = chromium.launch(playwright)

    def window(self, name, **more):
        return Window(self.chromium, name, **more)


SCENARIOS = [password, keyboard, tabs, certificate, totp, enrollment, strangers, throttle, ends]

with sync_playwright() as playwright:
    browser = Browser(playwright)
    for scenario in SCENARIOS:
        if scenario.__name__ in sys.argv[1:]:
            window = scenario(browser)
            assert not window.problems, window.problems
            print(f"{scenario.__name__} done")
