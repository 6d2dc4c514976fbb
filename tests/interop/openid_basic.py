"""The tests of OpenID's profiles "Basic OP" and "Config OP", by the names that its conformance suite gives
them, made here with the PyPI packages PyJWT and requests. Missing are those for clients with secrets or of
dynamic registration, and those that go on with the session of a browser.

Arguments: issuer, file with the CA, username, password. `REQUESTS_CA_BUNDLE` names the CA as well. Writes
a JSON object: the name of each test, and `true` or what went wrong.
"""

import base64
import hashlib
import json
import secrets
import ssl
import sys
import time
from urllib.parse import parse_qs, parse_qsl, urlencode, urljoin, urlsplit

import jwt
import requests

issuer, ca, username, password = sys.argv[1:]
REDIRECT_URI = "http://127.0.0.1:8080/auth/callback"
found = requests.get(issuer + "/.well-known/openid-configuration").json()
keys = jwt.PyJWKClient(found["jwks_uri"], ssl_context=ssl.create_default_context(cafile=ca))
tests = {}


def check(test):
    tests["oidcc-" + test.__name__.replace("_", "-")] = test
    return test


class Request:
    """An authorization request, with what has to be kept of it."""

    def __init__(self, **changes):
        self.verifier = secrets.token_urlsafe(48)
        challenge = hashlib.sha256(self.verifier.encode()).digest()
        parameters = {
            "client_id": "native",
            "response_type": "code",
            "redirect_uri": REDIRECT_URI,
            "scope": "openid",
            "state": secrets.token_urlsafe(16),
            "nonce": secrets.token_urlsafe(16),
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        } | changes
        self.parameters = {name: value for name, value in parameters.items() if value is not None}
        self.browser = requests.Session()

    def send(self, by_post=False):
        url = found["authorization_endpoint"]
        if by_post:
            return self.browser.post(url, data=self.parameters, allow_redirects=False)
        return self.browser.get(url + "?" + urlencode(self.parameters), allow_redirects=False)

    def error(self):
        """The error that the client is told of by a redirect."""
        reply = self.send()
        assert reply.status_code == 302, (reply.status_code, reply.text)
        target = reply.headers["location"]
        assert target.startswith(REDIRECT_URI + "?"), target
        answer = dict(parse_qsl(urlsplit(target).query))
        assert answer.get("state") == self.parameters.get("state"), answer
        return answer["error"]

    def code(self, by_post=False):
        """Logs in on the pages, as a person does."""
        reply = self.send(by_post)
        assert reply.status_code in (302, 303), (reply.status_code, reply.text)
        page = urljoin(found["authorization_endpoint"], reply.headers["location"])
        shown = self.browser.get(page)
        assert shown.status_code == 200 and "<form" in shown.text, shown.status_code
        form = {"id": parse_qs(urlsplit(page).query)["authRequestID"][0]}
        form |= {"username": username, "password": password}
        reply = self.browser.post(issuer + "/login/password", data=form, allow_redirects=False)
        assert reply.status_code == 302, (reply.status_code, reply.text)
        reply = self.browser.get(urljoin(issuer, reply.headers["location"]), allow_redirects=False)
        target = reply.headers["location"]
        assert target.startswith(REDIRECT_URI + "?"), target
        answer = dict(parse_qsl(urlsplit(target).query))
        assert answer.get("state") == self.parameters.get("state"), answer
        return answer["code"]

    def redeem(self, code, **changes):
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": REDIRECT_URI,
            "client_id": "native",
            "code_verifier": self.verifier,
        } | changes
        return requests.post(found["token_endpoint"], data=form)

    def tokens(self, by_post=False):
        reply = self.redeem(self.code(by_post))
        assert reply.status_code == 200, (reply.status_code, reply.text)
        assert reply.headers["cache-control"] == "no-store", reply.headers
        tokens = reply.json()
        assert tokens["token_type"].lower() == "bearer", tokens["token_type"]
        claims = id_token(tokens)
        assert claims.get("nonce") == self.parameters.get("nonce"), claims
        return tokens


def id_token(tokens):
    """The claims of an ID token, judged as OpenID Connect Core section 3.1.3.7 demands."""
    text = tokens["id_token"]
    header = jwt.get_unverified_header(text)
    claims = jwt.decode(
        text,
        keys.get_signing_key_from_jwt(text),
        algorithms=found["id_token_signing_alg_values_supported"],
        issuer=issuer,
        audience="native",
        options={"require": ["iss", "sub", "aud", "exp", "iat"]},
    )
    if isinstance(claims["aud"], list) and len(claims["aud"]) > 1:
        assert claims["azp"] == "native", claims
    digest = jwt.get_algorithm_by_name(header["alg"]).compute_hash_digest(tokens["access_token"].encode())
    half = base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()
    assert claims.get("at_hash", half) == half, claims
    return claims


def user_info(tokens, send):
    reply = send(found["userinfo_endpoint"], tokens["access_token"])
    assert reply.status_code == 200, (reply.status_code, reply.text)
    assert reply.json()["sub"] == id_token(tokens)["sub"], reply.text


def bearer(token):
    return {"authorization": "Bearer " + token}


@check
def server():
    Request().tokens()


@check
def response_type_missing():
    assert Request(response_type=None).error() == "invalid_request"


@check
def userinfo_get():
    user_info(Request().tokens(), lambda url, token: requests.get(url, headers=bearer(token)))


@check
def userinfo_post_header():
    user_info(Request().tokens(), lambda url, token: requests.post(url, headers=bearer(token)))


@check
def userinfo_post_body():
    user_info(Request().tokens(), lambda url, token: requests.post(url, data={"access_token": token}))


@check
def ensure_request_without_nonce_succeeds_for_code_flow():
    Request(nonce=None).tokens()


@check
def scope_profile():
    tokens = Request(scope="openid profile").tokens()
    info = requests.get(found["userinfo_endpoint"], headers=bearer(tokens["access_token"])).json()
    assert info["name"] == username, info


@check
def scope_email():
    # Nobody has an address here: the scope is ignored.
    tokens = Request(scope="openid email").tokens()
    assert "email" not in tokens.get("scope", ""), tokens["scope"]


@check
def scope_all():
    Request(scope="openid profile email address phone").tokens()


@check
def ensure_other_scope_order_succeeds():
    Request(scope="profile openid").tokens()


@check
def display_page():
    Request(display="page").tokens()


@check
def display_popup():
    Request(display="popup").tokens()


@check
def prompt_login():
    first = id_token(Request().tokens())
    time.sleep(1.1)
    second = id_token(Request(prompt="login").tokens())
    assert second["sub"] == first["sub"]
    assert second["auth_time"] > first["auth_time"], (first, second)


@check
def prompt_none_not_logged_in():
    assert Request(prompt="none").error() == "login_required"


@check
def max_age_1():
    before = int(time.time())
    claims = id_token(Request(max_age="1").tokens())
    assert before <= claims["auth_time"] <= time.time() + 1, claims


@check
def max_age_10000():
    claims = id_token(Request(max_age="10000").tokens())
    assert time.time() - 60 <= claims["auth_time"], claims


@check
def ensure_request_with_unknown_parameter_succeeds():
    Request(extra="foobar").tokens()


@check
def id_token_hint():
    hint = Request().tokens()["id_token"]
    # As with all prompts of `none`: browsers have no sessions here.
    assert Request(prompt="none", id_token_hint=hint).error() == "login_required"
    Request(id_token_hint=hint).tokens()


@check
def login_hint():
    Request(login_hint="buffy@example.com").tokens()


@check
def ui_locales():
    Request(ui_locales="se").tokens()


@check
def claims_locales():
    Request(claims_locales="se").tokens()


@check
def ensure_request_with_acr_values_succeeds():
    Request(acr_values="1 2").tokens()


@check
def codereuse():
    request = Request()
    code = request.code()
    tokens = request.redeem(code).json()
    again = request.redeem(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant"), again.text
    # "SHOULD revoke all tokens previously issued" (RFC 6749 section 4.1.2).
    info = requests.get(found["userinfo_endpoint"], headers=bearer(tokens["access_token"]))
    assert info.status_code == 401, info.status_code


@check
def ensure_registered_redirect_uri():
    reply = Request(redirect_uri="https://elsewhere.example/callback").send()
    assert reply.status_code == 400 and "location" not in reply.headers, reply.status_code


@check
def redirect_uri_query_mismatch():
    reply = Request(redirect_uri=REDIRECT_URI + "?foo=bar").send()
    assert reply.status_code == 400 and "location" not in reply.headers, reply.status_code


@check
def ensure_post_request_succeeds():
    Request().tokens(by_post=True)


@check
def unsigned_request_object_supported_correctly_or_rejected_as_unsupported():
    part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    request = part({"alg": "none"}) + "." + part({"state": "other"}) + "."
    assert Request(request=request).error() == "request_not_supported"
    assert found["request_parameter_supported"] is False


@check
def request_uri_unsigned_supported_correctly_or_rejected_as_unsupported():
    uri = "https://elsewhere.example/request"
    assert Request(request_uri=uri).error() == "request_uri_not_supported"
    assert found["request_uri_parameter_supported"] is False


@check
def claims_essential():
    # Not supported, and ignored (OpenID Connect Core section 5.5, "claims_parameter_supported").
    assert not found.get("claims_parameter_supported", False)
    Request(claims='{"userinfo":{"name":{"essential":true}}}').tokens()


@check
def refresh_token():
    tokens = Request(scope="openid offline_access").tokens()
    first = id_token(tokens)
    form = {"grant_type": "refresh_token", "client_id": "native"}
    reply = requests.post(found["token_endpoint"], data=form | {"refresh_token": tokens["refresh_token"]})
    assert reply.status_code == 200, reply.text
    second = id_token(reply.json())
    for claim in ("iss", "sub", "aud", "auth_time"):
        assert second[claim] == first[claim], claim
    assert second["iat"] >= first["iat"]
    # OpenID Connect Core section 12.2: if it is there, it is the one of the login.
    assert second.get("nonce", first["nonce"]) == first["nonce"], second


@check
def ensure_request_with_valid_pkce_succeeds():
    Request().tokens()


@check
def ensure_pkce_code_verifier_is_checked():
    request = Request()
    reply = request.redeem(request.code(), code_verifier=secrets.token_urlsafe(48))
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid_grant"), reply.text


@check
def discovery_endpoint_verification():
    reply = requests.get(issuer + "/.well-known/openid-configuration")
    assert reply.headers["content-type"].startswith("application/json"), reply.headers
    assert found["issuer"] == issuer and issuer.startswith("https://")
    for name, value in found.items():
        if name.endswith("_endpoint") or name == "jwks_uri":
            assert value.startswith("https://"), (name, value)
    assert "code" in found["response_types_supported"]
    assert "authorization_code" in found["grant_types_supported"]
    assert "public" in found["subject_types_supported"]
    assert "openid" in found["scopes_supported"]
    assert {"sub", "iss", "aud", "exp", "iat"} <= set(found["claims_supported"])
    assert "registration_endpoint" not in found


@check
def server_jwks():
    published = requests.get(found["jwks_uri"]).json()["keys"]
    assert published
    assert len({key["kid"] for key in published}) == len(published)
    for key in published:
        assert key["use"] == "sig", key
        assert not {"d", "p", "q", "dp", "dq", "qi", "k"} & set(key), "a private key"


@check
def discovery_rs256():
    """OpenID Connect Discovery section 3: `RS256` must be among the algorithms."""
    assert "RS256" in found["id_token_signing_alg_values_supported"]


def outcome(test):
    try:
        test()
    except Exception as error:  # Whatever it is, it is told.
        return f"{type(error).__name__}: {error}"
    return True


json.dump({name: outcome(test) for name, test in tests.items()}, sys.stdout)
