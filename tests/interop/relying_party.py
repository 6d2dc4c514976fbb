"""A relying party by the PyPI packages Authlib and PyJWT. Each check of their own raises.

Arguments: issuer, file with the CA, username, password. `REQUESTS_CA_BUNDLE` names the CA as well. Writes
what it got as JSON.
"""

import json
import ssl
import sys
from urllib.parse import parse_qs, urljoin, urlsplit

import jwt
import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session

issuer, ca, username, password = sys.argv[1:]
redirect_uri = "http://127.0.0.1:8080/auth/callback"
found = requests.get(issuer + "/.well-known/openid-configuration").json()
assert found["issuer"] == issuer, found["issuer"]
keys = jwt.PyJWKClient(found["jwks_uri"], ssl_context=ssl.create_default_context(cafile=ca))


def verified(token):
    """The claims of a token, whose signature, issuer, audience and times are judged."""
    key = keys.get_signing_key_from_jwt(token)
    return jwt.decode(
        token,
        key,
        algorithms=found["id_token_signing_alg_values_supported"],
        issuer=issuer,
        audience="native",
        options={"require": ["iss", "sub", "aud", "exp", "iat"]},
    )


def location(session, method, url, **arguments):
    reply = session.request(method, url, allow_redirects=False, **arguments)
    assert reply.status_code == 302, (url, reply.status_code, reply.text)
    return urljoin(url, reply.headers["location"])


def log_in():
    """Logs in as a browser with cookies would; answers the client with its tokens, and the nonce."""
    client = OAuth2Session(
        "native",
        scope="openid profile offline_access",
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
        revocation_endpoint_auth_method="none",
    )
    verifier, nonce = generate_token(48), generate_token(20)
    url, state = client.create_authorization_url(
        found["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    browser = requests.Session()
    page = location(browser, "GET", url)
    form = {"id": parse_qs(urlsplit(page).query)["authRequestID"][0]}
    form |= {"username": username, "password": password}
    complete = location(browser, "POST", issuer + "/login/password", data=form)
    answer = location(browser, "GET", complete)
    # Checks the state.
    client.fetch_token(
        found["token_endpoint"], authorization_response=answer, state=state, code_verifier=verifier
    )
    return client, nonce


def refusal(attempt):
    try:
        attempt()
    except OAuthError as error:
        return error.error
    return "none"


client, nonce = log_in()
first = dict(client.token)
identity, access = verified(first["id_token"]), verified(first["access_token"])
assert identity["nonce"] == nonce
info = client.get(found["userinfo_endpoint"]).json()
client.refresh_token(found["token_endpoint"])
second = dict(client.token)
renewed = verified(second["access_token"])
revoked = client.revoke_token(
    found["revocation_endpoint"], token=second["refresh_token"], token_type_hint="refresh_token"
)
after = refusal(lambda: client.refresh_token(found["token_endpoint"]))

others = []
for token in (first["access_token"], first["id_token"]):
    try:
        jwt.decode(token, keys.get_signing_key_from_jwt(token), algorithms=["ES256", "RS256"],
                   audience="somebody-else")
        others.append("accepted")
    except jwt.InvalidAudienceError:
        others.append("refused")

json.dump(
    {
        "sub": identity["sub"],
        "amr": access["amr"],
        "accessSub": access["sub"],
        "userInfo": info,
        "type": access["z_t"],
        "isRotated": first["refresh_token"] != second["refresh_token"],
        "session": [access["z_asid"], renewed["z_asid"]],
        "authTime": [access["auth_time"], renewed["auth_time"]],
        "revoked": revoked.status_code,
        "afterRevocation": after,
        "otherAudience": others,
    },
    sys.stdout,
)
