//! Forms of the token endpoint, and the answers to those that are refused.

use super::*;
use crate::client::ClientError;
use crate::login::RedeemError;
use crate::parameters::ParametersError;
use crate::pkce::VerifierError;
use crate::scope::ScopeError;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use portcullis_domain::ids::ApiSessionId;
use secrecy::ExposeSecret as _;

const CODE: &str = "grant_type=authorization_code&code=c&client_id=openziti\
    &code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\
    &redirect_uri=http%3A%2F%2Flocalhost%3A20314%2Fauth%2Fcallback";
const REFRESH: &str = "grant_type=refresh_token&refresh_token=r&client_id=openziti";
const EXCHANGE: &str = "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&client_id=native\
    &subject_token=s&subject_token_type=urn:ietf:params:oauth:token-type:refresh_token";

fn parse(form: &str) -> Result<TokenRequest, TokenError> {
    TokenRequest::parse(None, &Parameters::parse(form).unwrap())
}

#[test]
fn recorded_forms_are_read() {
    let request = parse(CODE).unwrap();
    assert_eq!(request.client, Client::OpenZiti);
    let Grant::AuthorizationCode(redemption) = request.grant else {
        panic!("{:?}", request.grant);
    };
    assert_eq!(redemption.client, Client::OpenZiti);
    assert_eq!(
        redemption.redirect_uri,
        "http://localhost:20314/auth/callback"
    );

    let request = parse(&format!("{REFRESH}&scope=openid&csr_pem=pem")).unwrap();
    assert_eq!(request.csr.as_deref(), Some("pem"));
    let Grant::Refresh(refresh) = request.grant else {
        panic!("{:?}", request.grant);
    };
    assert_eq!(refresh.token.expose_secret(), "r");
    assert_eq!(refresh.scope.as_deref(), Some("openid"));
}

#[test]
fn both_exchanges_of_the_go_sdk_are_read() {
    let header = format!("Basic {}", STANDARD.encode("native:"));
    for requested in [RequestedType::RefreshToken, RequestedType::IdToken] {
        let form = format!("{EXCHANGE}&requested_token_type={}", requested.urn());
        let form = Parameters::parse(&form.replace("client_id=native&", "")).unwrap();
        let request = TokenRequest::parse(Some(&header), &form).unwrap();
        assert_eq!(request.client, Client::Native);
        let Grant::Exchange(exchange) = request.grant else {
            panic!("{:?}", request.grant);
        };
        assert_eq!(exchange.subject_type, SubjectType::RefreshToken);
        assert_eq!(exchange.requested, requested);
    }
    let Grant::Exchange(exchange) = parse(EXCHANGE).unwrap().grant else {
        panic!("not an exchange");
    };
    assert_eq!(exchange.requested, RequestedType::AccessToken);
}

#[test]
fn faults_of_form_are_told_apart() {
    use TokenError as E;
    let access = EXCHANGE.replace("refresh_token", "access_token");
    let refresh_type = format!("requested_token_type={REFRESH_TOKEN}");
    for (form, error) in [
        ("client_id=openziti".to_owned(), E::Missing("grant_type")),
        (
            "grant_type=password&client_id=openziti".to_owned(),
            E::GrantType,
        ),
        ("grant_type=client_credentials".to_owned(), E::GrantType),
        (
            CODE.replace("client_id=openziti", ""),
            E::Client(ClientError::Missing),
        ),
        (
            CODE.replace("openziti", "nope"),
            E::Client(ClientError::Unknown { in_header: false }),
        ),
        (CODE.replace("code=c&", ""), E::Missing("code")),
        (
            CODE.replace("redirect_uri", "x"),
            E::Missing("redirect_uri"),
        ),
        (
            CODE.replace("code_verifier", "x"),
            E::Missing("code_verifier"),
        ),
        (CODE.replace("dBjftJeZ", ""), E::Verifier(VerifierError)),
        (
            format!("{CODE}&code=c"),
            E::Parameters(ParametersError::SomeRepeated),
        ),
        (
            format!("{REFRESH}&client_secret=s"),
            E::Client(ClientError::Unsupported { in_header: false }),
        ),
        (
            REFRESH.replace("refresh_token=r", ""),
            E::Missing("refresh_token"),
        ),
        (
            format!("{REFRESH}&csr_pem={}", "x".repeat(MAX_CSR + 1)),
            E::Csr,
        ),
        (
            EXCHANGE.replace("subject_token=s", ""),
            E::Missing("subject_token"),
        ),
        (
            EXCHANGE.replace("refresh_token", "id_token"),
            E::TokenType("subject_token_type"),
        ),
        (
            format!("{EXCHANGE}&requested_token_type=urn:x"),
            E::TokenType("requested_token_type"),
        ),
        (
            format!("{access}&{refresh_type}"),
            E::TokenType("requested_token_type"),
        ),
        (format!("{EXCHANGE}&actor_token=a"), E::Actor),
        (format!("{EXCHANGE}&audience=a&audience=b"), E::Target),
        (format!("{EXCHANGE}&resource=https%3A%2F%2Fx"), E::Target),
    ] {
        let refused = parse(&form).unwrap_err();
        assert_eq!(refused, error, "{}", &form[..form.len().min(200)]);
    }
}

#[test]
fn each_error_has_its_code_and_status() {
    use TokenError as E;
    let session = ApiSessionId::from_wire("s");
    let unknown = |in_header| E::Client(ClientError::Unknown { in_header });
    for (error, code, status) in [
        (unknown(false), "invalid_client", 400),
        (unknown(true), "invalid_client", 401),
        (
            E::Client(ClientError::Unsupported { in_header: true }),
            "invalid_client",
            401,
        ),
        (E::Client(ClientError::Missing), "invalid_request", 400),
        (E::Redeem(RedeemError::Unknown), "invalid_grant", 400),
        (
            E::Redeem(RedeemError::Replayed { session }),
            "invalid_grant",
            400,
        ),
        (E::Verifier(VerifierError), "invalid_grant", 400),
        (E::Invalid, "invalid_grant", 400),
        (E::Expired, "invalid_grant", 400),
        (E::Revoked, "invalid_grant", 400),
        (E::Missing("grant_type"), "invalid_request", 400),
        (E::GrantType, "unsupported_grant_type", 400),
        (E::Scope(ScopeError), "invalid_scope", 400),
        (E::Target, "invalid_target", 400),
        (E::Certificate, "access_denied", 400),
        (E::Csr, "invalid_request", 400),
        (E::Internal, "server_error", 500),
    ] {
        assert_eq!((error.code(), error.status()), (code, status), "{error}");
        let text = error.to_string();
        let is_allowed = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        assert!(
            text.bytes()
                .all(|byte| is_allowed(byte) && !b"\"\\".contains(&byte))
        );
    }
    // SDKs look for these words.
    assert!(E::Expired.to_string().contains("expired"));
    assert!(E::Revoked.to_string().contains("revoked"));
    assert_eq!(
        serde_json::to_string(&E::Missing("grant_type").body()).unwrap(),
        r#"{"error":"invalid_request","error_description":"grant_type missing"}"#
    );
}

#[test]
fn secrets_do_not_show_themselves() {
    let shown = format!("{:?}", parse(&REFRESH.replace("=r&", "=hidden&")).unwrap());
    assert!(!shown.contains("hidden"), "{shown}");
}
