//! Authorization requests in order, and each way of being refused.

use super::*;
use crate::parameters::ParametersError;
use crate::pkce::ChallengeError;
use crate::scope::{Scope, ScopeError};
use proptest::prelude::*;
use url::{Url, form_urlencoded};

/// A request of a C SDK, as it was recorded.
const RECORDED: &str = "client_id=openziti&response_type=code&scope=openid%20offline_access&state=st-1\
    &nonce=no-1&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256\
    &redirect_uri=http%3A%2F%2Flocalhost%3A20314%2Fauth%2Fcallback";

fn parse(query: &str) -> Result<AuthorizationRequest, AuthorizationError> {
    let parameters = Parameters::parse(query).unwrap();
    AuthorizationRequest::parse(&parameters, &RedirectUris::for_login([]))
}

/// The recorded request with one parameter set to `value`, or left out.
fn with(name: &str, value: Option<&str>) -> String {
    let pairs = form_urlencoded::parse(RECORDED.as_bytes()).filter(|(given, _)| given != name);
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(pairs);
    if let Some(value) = value {
        query.append_pair(name, value);
    }
    query.finish()
}

fn page_error(query: &str) -> PageError {
    match parse(query) {
        Err(AuthorizationError::Page(error)) => error,
        other => panic!("{query}: {other:?}"),
    }
}

fn redirect(query: &str) -> ErrorRedirect {
    match parse(query) {
        Err(AuthorizationError::Redirect(redirect)) => redirect,
        other => panic!("{query}: {other:?}"),
    }
}

#[test]
fn recorded_request_is_accepted() {
    let query = format!("{RECORDED}&audience=x&method=cert&configTypes=all&configTypes=host.v1");
    let request = parse(&query).unwrap();
    assert_eq!(request.client, Client::OpenZiti);
    assert_eq!(
        request.redirect_uri.as_str(),
        "http://localhost:20314/auth/callback"
    );
    assert!(request.scopes.contains(Scope::OfflineAccess));
    assert_eq!(request.state.as_deref(), Some("st-1"));
    assert_eq!(request.nonce.as_deref(), Some("no-1"));
    assert_eq!(request.method, Some(LoginMethod::Certificate));
    assert_eq!(request.config_types, ["all", "host.v1"]);
}

#[test]
fn optional_parameters_may_be_missing() {
    let query = RECORDED.replace("state=st-1&nonce=no-1&", "");
    let request = parse(&query).unwrap();
    assert_eq!((request.state, request.nonce), (None, None));
    assert_eq!((request.method, request.config_types), (None, vec![]));
    for prompt in ["login", "consent login", "select_account"] {
        assert!(parse(&with("prompt", Some(prompt))).is_ok(), "{prompt}");
    }
    assert!(parse(&with("max_age", Some("0"))).is_ok());
    assert!(parse(&with("response_mode", Some("query"))).is_ok());
}

#[test]
fn nobody_is_redirected_while_the_recipient_is_in_doubt() {
    let foreign = "http://evil.example.test/auth/callback";
    for (query, code) in [
        (with("client_id", None), "invalid_request"),
        (with("client_id", Some("nope")), "invalid_client"),
        (with("redirect_uri", None), "invalid_request"),
        (with("redirect_uri", Some(foreign)), "invalid_request"),
        (format!("{RECORDED}&client_id=openziti"), "invalid_request"),
        (
            format!("{RECORDED}&redirect_uri=http%3A%2F%2Flocalhost%3A20314%2Fauth%2Fcallback"),
            "invalid_request",
        ),
        (String::new(), "invalid_request"),
    ] {
        assert_eq!(page_error(&query).code(), code, "{query}");
    }
}

/// A parameter, the value that replaces that of the recorded request, and what is wrong then.
const FAULTS: &[(&str, Option<&str>, RedirectedError, &str)] = {
    use RedirectedError as E;
    const REQUEST: &str = "invalid_request";
    const TYPE: &str = "unsupported_response_type";
    &[
        ("response_type", None, E::Missing("response_type"), REQUEST),
        ("response_type", Some("token"), E::ResponseType, TYPE),
        (
            "response_type",
            Some("code id_token"),
            E::ResponseType,
            TYPE,
        ),
        (
            "response_mode",
            Some("fragment"),
            E::Malformed("response_mode"),
            REQUEST,
        ),
        (
            "code_challenge",
            None,
            E::Challenge(ChallengeError::Missing),
            REQUEST,
        ),
        (
            "code_challenge",
            Some("short"),
            E::Challenge(ChallengeError::Malformed),
            REQUEST,
        ),
        (
            "code_challenge_method",
            None,
            E::Challenge(ChallengeError::Method),
            REQUEST,
        ),
        (
            "code_challenge_method",
            Some("plain"),
            E::Challenge(ChallengeError::Method),
            REQUEST,
        ),
        ("prompt", Some("none"), E::LoginRequired, "login_required"),
        (
            "prompt",
            Some("none login"),
            E::Malformed("prompt"),
            REQUEST,
        ),
        ("scope", None, E::Scope(ScopeError), "invalid_scope"),
        (
            "scope",
            Some("email"),
            E::Scope(ScopeError),
            "invalid_scope",
        ),
        (
            "request",
            Some("e30.e30."),
            E::RequestObject,
            "request_not_supported",
        ),
        (
            "request_uri",
            Some("https://x"),
            E::RequestUri,
            "request_uri_not_supported",
        ),
        (
            "registration",
            Some("{}"),
            E::Registration,
            "registration_not_supported",
        ),
        ("max_age", Some("-1"), E::Malformed("max_age"), REQUEST),
        ("method", Some("guess"), E::Malformed("method"), REQUEST),
        ("nonce", Some("a\nb"), E::Malformed("nonce"), REQUEST),
        (
            "configTypes",
            Some("a\nb"),
            E::Malformed("configTypes"),
            REQUEST,
        ),
    ]
};

#[test]
fn other_faults_go_to_the_client() {
    for &(name, value, error, code) in FAULTS {
        let redirect = redirect(&with(name, value));
        assert_eq!(redirect.error(), error, "{name} {value:?}");
        assert_eq!(error.code(), code);
        let location = redirect.location();
        let start = "http://localhost:20314/auth/callback?error=";
        assert!(location.starts_with(&format!("{start}{code}&error_description=")));
        assert!(location.ends_with("&state=st-1"), "{location}");
    }
    let repeated = redirect(&format!("{RECORDED}&nonce=no-1")).error();
    let expected = RedirectedError::Parameters(ParametersError::SomeRepeated);
    assert_eq!(repeated, expected);
}

#[test]
fn what_is_kept_is_bounded() {
    for (name, longest) in [
        ("state", MAX_STATE),
        ("nonce", MAX_NONCE),
        ("configTypes", MAX_CONFIG_TYPE),
    ] {
        assert!(parse(&with(name, Some(&"x".repeat(longest)))).is_ok());
        let error = redirect(&with(name, Some(&"x".repeat(longest + 1)))).error();
        assert_eq!(error, RedirectedError::Malformed(name));
    }
    let types = "&configTypes=t".repeat(MAX_CONFIG_TYPES);
    assert!(parse(&format!("{RECORDED}{types}")).is_ok());
    let error = redirect(&format!("{RECORDED}{types}&configTypes=t")).error();
    assert_eq!(error, RedirectedError::Malformed("configTypes"));
}

#[test]
fn a_state_that_is_refused_is_not_echoed() {
    for state in ["a\r\nb", &"x".repeat(MAX_STATE + 1)] {
        let redirect = redirect(&with("state", Some(state)));
        assert_eq!(redirect.error(), RedirectedError::Malformed("state"));
        assert!(!redirect.location().contains("state="));
    }
}

/// RFC 6749 sections 4.1.2.1 and 5.2: visible ASCII and blanks without quotes and backslashes.
#[test]
fn descriptions_use_the_allowed_characters() {
    for error in [
        RedirectedError::Challenge(ChallengeError::Malformed),
        RedirectedError::Scope(ScopeError),
        RedirectedError::Malformed("prompt"),
        RedirectedError::Parameters(ParametersError::SomeRepeated),
        RedirectedError::InteractionRequired,
        RedirectedError::Internal,
    ] {
        let text = error.to_string();
        assert!(
            text.bytes()
                .all(|byte| (byte == b' ' || byte.is_ascii_graphic()) && !b"\"\\".contains(&byte)),
            "{text}"
        );
    }
}

proptest! {
    /// Whatever is sent, a redirect leads to a registered URI and keeps the state.
    #[test]
    fn every_answer_that_is_redirected_has_the_state(
        state in "[ -~äß€]{1,20}",
        name in "(response_type|scope|nonce|prompt|max_age|method|code_challenge)",
        value in proptest::option::of("[ -~é]{0,12}"),
    ) {
        let query = with(&name, value.as_deref());
        let query = query.replace("state=st-1", &form_urlencoded::Serializer::new(String::new())
            .append_pair("state", &state).finish());
        let sent = match parse(&query) {
            Ok(request) => request.error_redirect(RedirectedError::Internal).location(),
            Err(AuthorizationError::Redirect(redirect)) => redirect.location(),
            Err(AuthorizationError::Page(error)) => panic!("{error}"),
        };
        let url = Url::parse(&sent).unwrap();
        prop_assert_eq!(url.host_str(), Some("localhost"));
        let returned = url.query_pairs().find(|(name, _)| name == "state");
        prop_assert_eq!(returned.map(|(_, state)| state.into_owned()), Some(state));
    }
}
