//! Tokens of logins by OpenID Connect.

use super::{Recorder, member};
use crate::fixture::{Fixture, PASSWORD, origin};
use crate::oidc::{
    self, GrantError, LoginClient, LoginDetails, LoginProgress, PrimaryCredential, TokenClient,
};
use crate::sessions;
use crate::signers::BearerTokens;
use portcullis_domain::access::Caller;
use portcullis_events::Namespace;
use portcullis_oidc::authorization::AuthorizationRequest;
use portcullis_oidc::issuer::Issuer;
use portcullis_oidc::login::Presenter;
use portcullis_oidc::parameters::Parameters;
use portcullis_oidc::token_request::{TOKEN_EXCHANGE, TokenRequest};
use portcullis_oidc::token_response::TokenResponse;
use portcullis_testkit::client_key_and_csr;
use secrecy::ExposeSecret as _;
use serde_json::json;
use std::sync::Arc;

const REDIRECT: &str = "http://localhost:8080/auth/callback";

// RFC 7636 appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A client that logs in by OpenID Connect.
struct Client<'f> {
    fixture: &'f Fixture,
    issuer: Issuer,
}

impl<'f> Client<'f> {
    fn of(fixture: &'f Fixture) -> Self {
        let serving = fixture.app.network().serving_state();
        Self {
            fixture,
            issuer: serving.issuers.iter().next().unwrap().clone(),
        }
    }

    /// The first tokens of a login of the administrator, and a certificate if there is a request for one.
    async fn log_in(&self, csr: Option<String>) -> TokenResponse {
        let app = &self.fixture.app;
        let parameters = Parameters::parse(&format!(
            "client_id=native&response_type=code&scope=openid+offline_access\
             &code_challenge={CHALLENGE}&code_challenge_method=S256&redirect_uri={REDIRECT}"
        ));
        let uris = oidc::login_uris(app, &self.issuer);
        let request = AuthorizationRequest::parse(&parameters.unwrap(), &uris).unwrap();
        let (origin, presenter) = (origin(), Presenter::Program);
        let begun = oidc::begin(app, request, &origin).unwrap();
        let login = begun.id.as_str();
        let client = LoginClient {
            presenter,
            origin: &origin,
            certificates: &[],
            tokens: BearerTokens::default(),
        };
        let password = PrimaryCredential::Password {
            username: "admin".to_owned(),
            password: PASSWORD.into(),
        };
        let details = LoginDetails::default();
        let progress = oidc::authenticate(app, login, password, details, &client).await;
        assert!(matches!(progress, Ok(LoginProgress::Complete)));
        let redirect = oidc::issue_code(app, login, presenter).unwrap();
        let (_, code) = redirect.split_once("code=").unwrap();
        let (code, _) = code.split_once('&').unwrap_or((code, ""));
        let form = format!(
            "grant_type=authorization_code&code={code}&code_verifier={VERIFIER}&redirect_uri={REDIRECT}"
        );
        self.granted(&form, csr).await
    }

    async fn refresh(&self, tokens: &TokenResponse, csr: Option<String>) -> TokenResponse {
        let token = refresh_token(tokens);
        let form = format!("grant_type=refresh_token&refresh_token={token}");
        self.granted(&form, csr).await
    }

    /// Exchanges a token for one of another type, as RFC 8693 names the types.
    async fn exchange(&self, token: &str, of: &str, wanted: &str) -> TokenResponse {
        self.granted(&exchange(token, of, wanted), None).await
    }

    async fn granted(&self, form: &str, csr: Option<String>) -> TokenResponse {
        self.ask(form, csr).await.unwrap()
    }

    /// Sends a form to the token endpoint.
    async fn ask(&self, form: &str, csr: Option<String>) -> Result<TokenResponse, GrantError> {
        let form = Parameters::parse(&format!("client_id=native&{form}")).unwrap();
        let request = TokenRequest {
            csr,
            ..TokenRequest::parse(None, &form).unwrap()
        };
        let origin = origin();
        let client = TokenClient {
            origin: &origin,
            issuer: &self.issuer,
            is_own_page: false,
            certificates: &[],
        };
        oidc::grant(&self.fixture.app, request, &client).await
    }

    /// Whom the access token of these tokens stands for.
    async fn caller(&self, tokens: &TokenResponse) -> Arc<Caller> {
        let token = BearerTokens::new([tokens.access_token()]);
        let resolved = sessions::resolve_bearer(&self.fixture.app, token, &[], origin());
        resolved.await.unwrap().unwrap().0
    }
}

fn refresh_token(tokens: &TokenResponse) -> &str {
    tokens.refresh_token.as_ref().unwrap().expose_secret()
}

fn exchange(token: &str, of: &str, wanted: &str) -> String {
    let token_type = "urn:ietf:params:oauth:token-type";
    format!(
        "grant_type={TOKEN_EXCHANGE}&subject_token={token}&subject_token_type={token_type}:{of}\
         &requested_token_type={token_type}:{wanted}"
    )
}

/// The line of a session of OpenID Connect (observability, section 2.4).
fn line(recorder: &Recorder, caller: &Caller, event_type: &str, has_certificate: bool) -> String {
    let time = recorder.events.lock()[0].time;
    format!(
        concat!(
            r#"{{"namespace":"apiSession","event_src_id":"ctrl-1","timestamp":"{}","event_type":"{}","#,
            r#""id":"{}","type":"jwt","token":"","identity_id":"{}","ip_address":"127.0.0.1:49950","#,
            r#""cert_generated":{}}}"#
        ),
        time, event_type, caller.session, caller.identity, has_certificate
    )
}

#[tokio::test]
async fn tokens_are_told_when_they_are_issued_refreshed_and_exchanged() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::ApiSession]);
    let client = Client::of(&fixture);
    let first = client.log_in(None).await;
    let caller = client.caller(&first).await;
    let refreshed = client.refresh(&first, None).await;
    let access = refreshed.access_token();
    client
        .exchange(access, "access_token", "access_token")
        .await;
    client.exchange(access, "access_token", "id_token").await;
    let refresh = refresh_token(&refreshed);
    client.exchange(refresh, "refresh_token", "id_token").await;
    let exchanged = client.exchange(refresh, "refresh_token", "refresh_token");
    let exchanged = exchanged.await;

    let line = |event_type| line(&recorder, &caller, event_type, false);
    assert_eq!(
        recorder.lines("apiSession", &json!({})),
        [
            line("created"),
            line("refreshed"),
            line("exchanged"),
            line("exchanged"),
            line("exchanged"),
            line("exchanged"),
        ]
    );
    let chosen = |include| recorder.lines("apiSession", &json!({"include": include}));
    assert_eq!(chosen(json!(["created", "deleted"])), [line("created")]);
    assert_eq!(chosen(json!("refreshed")), [line("refreshed")]);
    for token in [access, refresh, refresh_token(&exchanged)] {
        let told = recorder.lines("apiSession", &json!({})).concat();
        assert!(!told.contains(token), "{told}");
    }
}

#[tokio::test]
async fn certificates_that_come_with_tokens_are_told() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::ApiSession]);
    let client = Client::of(&fixture);
    let csr = || Some(client_key_and_csr().1);
    let without = client.log_in(None).await;
    let renewed = client.refresh(&without, csr()).await;
    assert!(renewed.session_cert.is_some());
    let caller = client.caller(&without).await;
    let with = client.log_in(csr()).await;
    assert!(with.session_cert.is_some());
    let lines = recorder.lines("apiSession", &json!({}));
    let [created, refreshed, other] = &lines[..] else {
        panic!("{lines:#?}");
    };
    assert_eq!(*created, line(&recorder, &caller, "created", false));
    assert_eq!(*refreshed, line(&recorder, &caller, "refreshed", true));
    assert!(other.ends_with(r#""cert_generated":true}"#), "{other}");
}

#[tokio::test]
async fn refused_grants_are_not_told_and_a_spent_token_ends_its_session() {
    let fixture = Fixture::start().await;
    let recorder = Recorder::attach(&fixture, &[Namespace::ApiSession]);
    let client = Client::of(&fixture);
    let first = client.log_in(None).await;
    let caller = client.caller(&first).await;
    client.refresh(&first, None).await;
    recorder.clear();
    // An access token must not become what lasts longer.
    let longer = exchange(first.access_token(), "refresh_token", "refresh_token");
    client.ask(&longer, None).await.unwrap_err();
    assert_eq!(recorder.told("apiSession").len(), 0);

    let spent = format!(
        "grant_type=refresh_token&refresh_token={}",
        refresh_token(&first)
    );
    client.ask(&spent, None).await.unwrap_err();
    let [ended] = &recorder.told("apiSession")[..] else {
        panic!("one end");
    };
    assert_eq!(member(ended, "event_type"), "deleted");
    assert_eq!(member(ended, "type"), "jwt");
    assert_eq!(member(ended, "id"), caller.session.as_str());
}
