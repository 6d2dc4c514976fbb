//! Unreachable controllers.

use crate::environment::{Environment, closed};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

#[test]
fn controller_that_is_away_has_an_exit_code() {
    let environment = Environment::new();
    let url = closed();
    environment.log_in(&url);
    environment.write("password", "s3cret-password\n");
    environment.write("x.jwt", &token(&url));
    for line in [
        "whoami",
        "identity list --output json",
        "identity create x",
        "identity list --all --output json",
        "identity role-attributes",
        "enrollment list --identity x",
        "enrollment delete x",
        "authenticator list",
        "authenticator show x",
        "session list",
        "auth-policy list",
        "auth-policy show x",
        "api get identities",
        "version --controller",
        "enroll x.jwt",
        &format!("login {url} --username admin --password-file password --yes"),
        &format!("login {url} --username admin --password-file password --forget-ca"),
    ] {
        let outcome = environment.run(line);
        assert_eq!(outcome.code, 4, "{line}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{line}");
        let address = url.trim_start_matches("https://");
        let first = format!("error: the controller at {address} cannot be reached");
        assert!(
            outcome.stderr.starts_with(&first),
            "{line}: {}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains("\nhint: "),
            "{line}: {}",
            outcome.stderr
        );
    }
    assert!(!environment.path("x.json").exists());
}

#[test]
fn requests_are_logged_when_asked_for() {
    let environment = Environment::new();
    environment.log_in(&closed());
    let outcome = environment.run("whoami --verbose");
    let line = "GET /edge/client/v1/current-api-session -> no answer in ";
    assert!(outcome.stderr.starts_with(line), "{}", outcome.stderr);
}

#[test]
fn secrets_of_requests_are_not_logged() {
    let environment = Environment::new();
    environment.log_in(&closed());
    let line = "api POST enroll?method=ott&token=s3cret --client --verbose --query password=s3cret";
    let outcome = environment.run(line);
    let shown = "POST /edge/client/v1/enroll?method=ott&token=***&password=*** -> no answer in ";
    assert!(outcome.stderr.starts_with(shown), "{}", outcome.stderr);
}

/// A token that claims to be issued by the controller at `url`.
fn token(url: &str) -> String {
    let claims = format!(r#"{{"iss":"{url}","sub":"i","aud":[""],"jti":"s3cret","em":"ott"}}"#);
    format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims))
}
