// What OpenZiti's console asks of a controller that serves it: a login by OpenID Connect whose pages are its
// own, and then the management API with the access token. Like it, this one sends no cookies, takes the ids and codes
// of a login from where requests end up, and renews its tokens whenever a request is refused.

const MANAGEMENT = "/edge/management/v1";
const CLIENT = "openziti";
const REDIRECT = `${location.origin}/auth/callback`;

function random(bytes) {
  return encode(crypto.getRandomValues(new Uint8Array(bytes)));
}

function encode(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function send(path, form) {
  const request = { credentials: "omit", headers: { accept: "application/json" } };
  return fetch(`/oidc${path}`, form ? { ...request, method: "POST", body: new URLSearchParams(form) } : request);
}

/** A login from its first request to its tokens. */
class Login {
  static async begin() {
    const login = new Login();
    login.state = random(16);
    login.verifier = random(48);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(login.verifier));
    const page = await send("/authorize?" + new URLSearchParams({
      client_id: CLIENT, response_type: "code", scope: "openid offline_access", state: login.state, nonce: random(16),
      code_challenge: encode(new Uint8Array(digest)), code_challenge_method: "S256", redirect_uri: REDIRECT,
    }));
    login.id = new URL(page.url).searchParams.get("authRequestID");
    return login;
  }

  password(username, password) {
    return this.step("/login/username", { username, password });
  }

  code(code) {
    return this.step("/login/totp", { code });
  }

  /** One step: tokens, or what is still asked for. */
  async step(path, form) {
    const answer = await send(path, { id: this.id, ...form });
    if (answer.url.startsWith(`${REDIRECT}?`)) {
      return { tokens: await this.exchange(new URL(answer.url).searchParams) };
    }
    const body = await answer.json();
    return answer.ok ? { open: body.authQueries } : { refused: body.message ?? body.code };
  }

  exchange(sent) {
    if (sent.get("state") !== this.state) {
      throw new Error("the code is for another login");
    }
    return tokens({
      grant_type: "authorization_code", code: sent.get("code"), code_verifier: this.verifier, redirect_uri: REDIRECT,
    });
  }
}

/** Tokens; null if there are none to be had, and undefined if there may be later. */
async function tokens(form) {
  const answer = await send("/oauth/token", { client_id: CLIENT, ...form });
  const body = await answer.json();
  return answer.ok ? body : answer.status < 500 ? null : undefined;
}

/** The session, which all tabs share. */
class Session {
  static current() {
    const kept = localStorage.getItem("tokens");
    return kept ? new Session(JSON.parse(kept)) : null;
  }

  constructor(tokens) {
    this.tokens = tokens;
    localStorage.setItem("tokens", JSON.stringify(tokens));
  }

  async renew() {
    const renewed = await tokens({ grant_type: "refresh_token", refresh_token: this.tokens.refresh_token });
    if (renewed === undefined) {
      await this.isReplaced();
      return Session.current();
    }
    return renewed ? new Session(renewed) : null;
  }

  /** Waits until another tab has kept other tokens. */
  async isReplaced() {
    const own = JSON.stringify(this.tokens);
    while (localStorage.getItem("tokens") === own) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  end() {
    localStorage.clear();
    return send("/oauth/revoke", {
      token: this.tokens.refresh_token, token_type_hint: "refresh_token", client_id: CLIENT,
    });
  }

  call(path, body) {
    const headers = {
      authorization: `Bearer ${this.tokens.access_token}`, accept: "application/json", "content-type": "application/json",
    };
    const request = { credentials: "omit", headers };
    return fetch(MANAGEMENT + path, body ? { ...request, method: "POST", body: JSON.stringify(body) } : request);
  }
}

let login = null;
let session = Session.current();

const find = (selector) => document.querySelector(selector);

function tell(text) {
  find("[role=status]").textContent = text;
}

function show(selector) {
  for (const part of ["#password", "#code", "main"]) {
    find(part).hidden = part !== selector;
  }
}

/** Calls the API; whoever is refused renews their tokens, and calls once more. */
async function call(path, body) {
  const answer = await session.call(path, body);
  if (answer.status !== 401) {
    return answer;
  }
  const renewed = await session.renew();
  if (!renewed) {
    localStorage.clear();
    throw new Error("the session has ended");
  }
  session = renewed;
  return session.call(path, body);
}

async function list(kind) {
  const items = find(`#${kind} ul`);
  const answer = await call(`/${kind}?limit=50&offset=0&sort=name%20asc`);
  const names = answer.ok ? (await answer.json()).data.map(({ name }) => name) : ["not permitted"];
  items.replaceChildren(...names.map((name) => Object.assign(document.createElement("li"), { textContent: name })));
}

async function overview() {
  const whoami = await (await call("/current-identity")).json();
  find("h1").textContent = whoami.data.name;
  await list("identities");
  await list("services");
  show("main");
}

async function follow(step) {
  if (step.tokens) {
    session = new Session(step.tokens);
    await overview();
    return "signed in";
  }
  if (step.open) {
    const [query] = step.open;
    if (query.isTotpEnrolled === false) {
      return "set up a second factor first";
    }
    show("#code");
    return "a code is asked for";
  }
  return `refused: ${step.refused}`;
}

function on(event, selector, action) {
  find(selector).addEventListener(event, async (happened) => {
    happened.preventDefault();
    tell("");
    try {
      tell(await action(new FormData(event === "submit" ? happened.target : undefined)));
    } catch (error) {
      show("#password");
      tell(error.message);
    }
  });
}

on("submit", "#password", async (form) => {
  login = await Login.begin();
  return follow(await login.password(form.get("username"), form.get("password")));
});
on("submit", "#code", async (form) => follow(await login.code(form.get("code"))));
on("submit", "#create", async (form) => {
  const answer = await call("/services", { name: form.get("name"), encryptionRequired: true });
  await overview();
  return answer.ok ? "created" : "not permitted";
});
on("click", "#renew", async () => {
  const before = session.tokens;
  session = await session.renew();
  await overview();
  const isNew = ["access_token", "refresh_token"].every((name) => before[name] !== session.tokens[name]);
  return isNew ? "renewed" : "the tokens are as before";
});
on("click", "#log-out", async () => {
  const ended = session;
  const answer = await ended.end();
  show("#password");
  const [called, renewed] = [await ended.call("/current-identity"), await ended.renew()];
  return `${answer.status} ${called.status} ${renewed}`;
});

if (session) {
  await overview();
}
tell("ready");
