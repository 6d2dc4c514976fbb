//! Logins by OpenID Connect across a kill or a restart: what was told to a client holds afterwards, and
//! who was about to log in begins again.

use std::path::PathBuf;
use support::curl::{Curl, Reply};
use support::tools::are_available;
use support::{Controller, TestDirectory, Tool};

// RFC 7636 appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const REDIRECT: &str = "http://127.0.0.1:8080/auth/callback";

struct Client {
    url: String,
    ca: PathBuf,
}

impl Client {
    fn of(controller: &Controller) -> Self {
        Self {
            url: controller.url().to_owned(),
            ca: controller.ca(),
        }
    }

    fn get(&self, path: &str) -> Curl {
        Curl::new(&format!("{}{path}", self.url), &self.ca)
    }

    fn post(&self, path: &str, form: &[(&str, &str)]) -> Reply {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let request = self.get(path);
        request
            .body("POST", "application/x-www-form-urlencoded", body)
            .send()
    }

    /// Begins a login; returns the id of the login request.
    fn begin(&self) -> String {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("client_id", "native"),
                ("response_type", "code"),
                ("scope", "openid offline_access"),
                ("code_challenge", CHALLENGE),
                ("code_challenge_method", "S256"),
                ("redirect_uri", REDIRECT),
            ])
            .finish();
        let begun = self.get(&format!("/oidc/authorize?{query}")).send();
        after(&begun, "authRequestID=")
    }

    fn password(&self, id: &str, username: &str, password: &str) -> Reply {
        let form = [("id", id), ("username", username), ("password", password)];
        self.post("/oidc/login/password", &form)
    }

    /// Fetches the code of a complete login.
    fn code(&self, id: &str) -> String {
        let path = format!("/oidc/authorize/callback?id={id}");
        after(&self.get(&path).send(), "code=")
    }

    fn redeem(&self, code: &str) -> Reply {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", "native"),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", REDIRECT),
        ];
        self.post("/oidc/oauth/token", &form)
    }

    /// Logs in with a password; returns the answer with the tokens.
    fn log_in(&self, username: &str, password: &str) -> Reply {
        let id = self.begin();
        self.password(&id, username, password).expect_status(302);
        self.redeem(&self.code(&id)).expect_status(200)
    }

    fn refresh(&self, token: &str) -> Reply {
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", "native"),
            ("refresh_token", token),
        ];
        self.post("/oidc/oauth/token", &form)
    }

    fn status_of(&self, access_token: &str) -> u16 {
        let request = self.get("/edge/client/v1/current-api-session");
        let bearer = format!("Authorization: Bearer {access_token}");
        request.header(&bearer).send().status
    }
}

/// What follows a name in the address that an answer leads to.
fn after(reply: &Reply, name: &str) -> String {
    let location = reply.header("location").unwrap();
    let (_, rest) = location.split_once(name).unwrap();
    rest.split('&').next().unwrap().to_owned()
}

fn token(reply: &Reply, name: &str) -> String {
    reply.json()[name].as_str().unwrap().to_owned()
}

/// The access token of a new login of the administrator.
pub(crate) fn access_token(controller: &Controller) -> String {
    let reply = Client::of(controller).log_in("admin", &controller.password());
    token(&reply, "access_token")
}

#[test]
fn spent_refresh_tokens_stay_spent_and_ended_sessions_ended() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let password = controller.password();
    let client = Client::of(&controller);
    let first = client.log_in("admin", &password);
    let (access, spent) = (
        token(&first, "access_token"),
        token(&first, "refresh_token"),
    );
    let second = client.refresh(&spent).expect_status(200);
    let ended = client.log_in("admin", &password);
    let form = [
        ("client_id", "native"),
        ("token", &*token(&ended, "refresh_token")),
    ];
    client.post("/oidc/revoke", &form).expect_status(200);
    controller.kill();

    let controller = site.quickstart().start();
    let client = Client::of(&controller);
    assert_eq!(client.status_of(&access), 200, "sessions live on");
    assert_eq!(client.status_of(&token(&ended, "access_token")), 401);
    let third = client.refresh(&token(&second, "refresh_token"));
    let third = third.expect_status(200);
    assert_eq!(
        client.refresh(&spent).status,
        400,
        "it was spent before the kill"
    );
    for tokens in [&first, &second, &third] {
        assert_eq!(client.status_of(&token(tokens, "access_token")), 401);
    }
}

#[test]
fn login_that_a_restart_interrupts_is_begun_again() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let password = controller.password();
    let client = Client::of(&controller);
    let tokens = client.log_in("admin", &password);
    let (begun, complete, issued) = (client.begin(), client.begin(), client.begin());
    for id in [&complete, &issued] {
        client.password(id, "admin", &password).expect_status(302);
    }
    let code = client.code(&issued);
    assert!(controller.terminate().success());

    let controller = site.quickstart().start();
    let client = Client::of(&controller);
    assert_eq!(client.password(&begun, "admin", &password).status, 401);
    let path = format!("/oidc/authorize/callback?id={complete}");
    assert_eq!(client.get(&path).send().status, 400);
    let refused = client.redeem(&code);
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"], "invalid_grant");
    // People are told what to do.
    let page = format!("/oidc/login/username?authRequestID={begun}");
    let page = client.get(&page).header("Sec-Fetch-Mode: navigate").send();
    assert_eq!(page.status, 401);
    for told in ["the server was restarted", "sign in from there"] {
        assert!(page.text().contains(told), "{}", page.text());
    }
    let again = client.log_in("admin", &password);
    for tokens in [&tokens, &again] {
        assert_eq!(client.status_of(&token(tokens, "access_token")), 200);
    }
}
