// A strict relying party, by the npm package `openid-client`. Each check of its own throws.
//
// Arguments: folder with the package, issuer, username, password. Writes what it got as JSON.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, issuer, username, password] = process.argv.slice(2);
const resolve = createRequire(`${folder}/package.json`).resolve;
const client = await import(pathToFileURL(resolve('openid-client')));

const redirectUri = 'http://127.0.0.1:8080/auth/callback';
const config = await client.discovery(new URL(issuer), 'native', undefined, client.None());
// Signatures of ID tokens are verified, although they come over TLS.
client.enableNonRepudiationChecks(config);
const metadata = config.serverMetadata();

// Logs in as a browser without cookies would, and ends at the redirect URI.
async function logIn() {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  const location = async (url, options) => {
    const reply = await fetch(url, { redirect: 'manual', ...options });
    if (reply.status !== 302) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
    return new URL(reply.headers.get('location'), url);
  };
  const page = await location(url);
  const body = new URLSearchParams({ id: page.searchParams.get('authRequestID'), username, password });
  const complete = await location(new URL('login/password', `${issuer}/`), { method: 'POST', body });
  return client.authorizationCodeGrant(config, await location(complete), {
    pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true,
  });
}

// The code with which something is refused.
async function refusal(attempt) {
  try {
    await attempt();
  } catch (error) {
    return error.error ?? error.cause?.error ?? String(error);
  }
  return 'none';
}

const tokens = await logIn();
const { sub } = tokens.claims();
const userInfo = await client.fetchUserInfo(config, tokens.access_token, sub);
const introspection = await client.tokenIntrospection(config, tokens.access_token);
const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token);
const isRotated = refreshed.refresh_token !== tokens.refresh_token;
await client.tokenRevocation(config, refreshed.refresh_token);
const afterRevocation = await refusal(() => client.refreshTokenGrant(config, refreshed.refresh_token));
const userInfoAfterRevocation = await fetch(metadata.userinfo_endpoint, {
  headers: { authorization: `Bearer ${refreshed.access_token}` },
});

const replayed = await logIn();
const successor = await client.refreshTokenGrant(config, replayed.refresh_token);
const replay = await refusal(() => client.refreshTokenGrant(config, replayed.refresh_token));
const afterReplay = await refusal(() => client.refreshTokenGrant(config, successor.refresh_token));

const ended = await logIn();
const end = client.buildEndSessionUrl(config, {
  id_token_hint: ended.id_token,
  post_logout_redirect_uri: 'http://127.0.0.1:8080/auth/logout',
  state: 'bye',
});
const loggedOut = await fetch(end, { redirect: 'manual' });
const afterLogout = await refusal(() => client.refreshTokenGrant(config, ended.refresh_token));

console.log(JSON.stringify({
  sub,
  name: tokens.claims().name,
  userInfo,
  isActive: introspection.active,
  isRotated,
  refreshedSub: refreshed.claims()?.sub ?? sub,
  afterRevocation,
  statusAfterRevocation: userInfoAfterRevocation.status,
  replay,
  afterReplay,
  loggedOut: [loggedOut.status, loggedOut.headers.get('location')],
  afterLogout,
}));
