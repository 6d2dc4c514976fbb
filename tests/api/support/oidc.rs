//! A client of the OpenID provider.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::Method;
use portcullis_pki::Certificate;
use portcullis_testkit::{Harness, PASSWORD, Reply, Request};
use serde_json::{Value, json};

pub(crate) const HOST: &str = "ctrl.example.test:1280";

/// Where the logins of [`Flow`] lead.
pub(crate) const REDIRECT: &str = "http://localhost:8080/auth/callback";

// RFC 7636 appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Starts a request to the provider.
pub(crate) fn request<'h>(controller: &'h Harness, method: Method, path: &str) -> Request<'h> {
    let request = controller.request(method, &format!("/oidc{path}"));
    request.header("host", HOST)
}

/// Sends a form to the provider.
pub(crate) async fn post(controller: &Harness, path: &str, form: &[(&str, &str)]) -> Reply {
    with_form(request(controller, Method::POST, path), form)
        .send()
        .await
}

pub(crate) fn with_form<'h>(request: Request<'h>, form: &[(&str, &str)]) -> Request<'h> {
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish();
    request.text("application/x-www-form-urlencoded", &body)
}

/// The query of an authorization request that is in order, with these parameters replaced; empty
/// ones are left out.
pub(crate) fn authorization(replaced: &[(&str, &str)]) -> String {
    let mut parameters = vec![
        ("client_id", "native"),
        ("response_type", "code"),
        ("scope", "openid offline_access"),
        ("state", "st"),
        ("nonce", "no"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("redirect_uri", REDIRECT),
    ];
    for (name, value) in replaced {
        parameters.retain(|(known, _)| known != name);
        if !value.is_empty() {
            parameters.push((name, value));
        }
    }
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    format!("/authorize?{query}")
}

/// A login on its way.
pub(crate) struct Flow<'h> {
    pub(crate) controller: &'h Harness,
    pub(crate) id: String,
    chain: Vec<Certificate>,
}

/// The tokens of a session.
#[derive(Debug, Clone)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) id_token: String,
}

/// A controller with a user `alice`.
pub(crate) async fn with_alice() -> Harness {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "alice", json!({})).await;
    controller
}

/// A controller with a user `alice`, and the tokens of her login.
pub(crate) async fn logged_in() -> (Harness, Tokens) {
    let controller = with_alice().await;
    let tokens = Tokens::by_password(&controller, "alice").await;
    (controller, tokens)
}

impl<'h> Flow<'h> {
    pub(crate) async fn begin(controller: &'h Harness) -> Self {
        Self::begin_with(controller, &[], &[]).await
    }

    /// Begins a login with these parameters over a connection with these certificates.
    pub(crate) async fn begin_with(
        controller: &'h Harness,
        parameters: &[(&str, &str)],
        chain: &[Certificate],
    ) -> Self {
        let begun = request(controller, Method::GET, &authorization(parameters));
        let begun = begun.certificates(chain).send().await;
        Self {
            controller,
            id: parameter(&location(&begun), "authRequestID"),
            chain: chain.to_vec(),
        }
    }

    /// Begins a login, and proves [`PASSWORD`] as its first factor.
    pub(crate) async fn by_password(controller: &'h Harness, username: &str) -> Self {
        let flow = Self::begin(controller).await;
        flow.password(username).await;
        flow
    }

    /// Takes a step of the login.
    pub(crate) async fn step(&self, path: &str, body: Value) -> Reply {
        let mut body = body;
        body["id"] = json!(self.id);
        let request = request(self.controller, Method::POST, path);
        request.certificates(&self.chain).json(&body).send().await
    }

    pub(crate) async fn password(&self, username: &str) -> Reply {
        let body = json!({"username": username, "password": PASSWORD});
        self.step("/login/password", body).await
    }

    /// Fetches the code of a complete login.
    pub(crate) async fn code(&self) -> String {
        parameter(&location(&self.callback().await), "code")
    }

    pub(crate) async fn callback(&self) -> Reply {
        let path = format!("/authorize/callback?id={}", self.id);
        request(self.controller, Method::GET, &path).send().await
    }

    /// Redeems a code.
    pub(crate) async fn redeem(&self, code: &str) -> Reply {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", "native"),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", REDIRECT),
        ];
        let request = request(self.controller, Method::POST, "/oauth/token");
        let request = request.certificates(&self.chain);
        with_form(request, &form).send().await
    }

    pub(crate) async fn tokens(&self) -> Tokens {
        Tokens::of(&self.redeem(&self.code().await).await)
    }
}

impl Tokens {
    #[track_caller]
    pub(crate) fn of(reply: &Reply) -> Self {
        assert_eq!(reply.status, 200, "{}", reply.text());
        let json = reply.json();
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        Self {
            access: text("access_token"),
            refresh: text("refresh_token"),
            id_token: text("id_token"),
        }
    }

    /// The `kid` of a token.
    pub(crate) fn kid(token: &str) -> String {
        let header = URL_SAFE_NO_PAD
            .decode(token.split('.').next().unwrap())
            .unwrap();
        let header: Value = serde_json::from_slice(&header).unwrap();
        header["kid"].as_str().unwrap().to_owned()
    }

    /// Logs in with [`PASSWORD`].
    pub(crate) async fn by_password(controller: &Harness, username: &str) -> Self {
        let flow = Flow::by_password(controller, username).await;
        flow.tokens().await
    }
}

/// Presents a refresh token for the next one.
pub(crate) async fn refresh(controller: &Harness, token: &str) -> Reply {
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", "native"),
        ("refresh_token", token),
    ];
    post(controller, "/oauth/token", &form).await
}

/// Exchanges a token for one of another type; types are given by their last part.
pub(crate) async fn exchange(
    controller: &Harness,
    (token, of): (&str, &str),
    wanted: &str,
) -> Reply {
    let urn = |kind| format!("urn:ietf:params:oauth:token-type:{kind}");
    let form = [
        (
            "grant_type",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ),
        ("client_id", "native"),
        ("subject_token", token),
        ("subject_token_type", &urn(of)),
        ("requested_token_type", &urn(wanted)),
    ];
    post(controller, "/oauth/token", &form).await
}

/// Asks the client API about the session of an access token.
pub(crate) async fn session_of(controller: &Harness, token: &str) -> Reply {
    let request = controller.request(Method::GET, "/edge/client/v1/current-api-session");
    let bearer = format!("Bearer {token}");
    request.header("authorization", &bearer).send().await
}

#[track_caller]
pub(crate) fn location(reply: &Reply) -> String {
    let location = reply.headers.get("location");
    let location = location.unwrap_or_else(|| panic!("{}: {}", reply.status, reply.text()));
    location.to_str().unwrap().to_owned()
}

/// A parameter of the query of a URI.
#[track_caller]
pub(crate) fn parameter(uri: &str, name: &str) -> String {
    let (_, query) = uri.split_once('?').unwrap();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let found = pairs.find(|(found, _)| found == name);
    found.unwrap_or_else(|| panic!("{uri}")).1.into_owned()
}

/// The claims of a token, not verified.
pub(crate) fn claims(token: &str) -> Value {
    let part = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

/// Status and `error` of an answer of the token endpoint.
#[track_caller]
pub(crate) fn oauth_error(reply: &Reply) -> (u16, String) {
    let error = reply.json()["error"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (reply.status.as_u16(), error)
}
