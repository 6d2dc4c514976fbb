//! External signers: JWTs signed by `openssl` as a way in, and beside one.

use crate::Session;
use crate::mfa_support::{AuthenticatorApp, recovery_codes};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use std::fs;
use support::{Openssl, Tool, tools};

/// Until when JWTs are good, in seconds since 1970: far away.
const END: u64 = 4_000_000_000;

/// A signer of JWTs, in the folder of the person.
struct Signer {
    openssl: Openssl,
}

impl Signer {
    /// Makes its key and its certificate `signer.pem`, and tells the controller of it.
    fn known(session: &Session, arguments: &[&str]) -> Self {
        let openssl = Openssl::new(session.site.work());
        openssl
            .run(
                "req -x509 -nodes -newkey rsa:2048 -keyout signer.key -out signer.pem \
                 -subj /CN=signer -days 2",
            )
            .success();
        let create = ["ext-jwt-signer", "create", "idp", "--issuer", "idp"];
        let rest = ["--audience", "gate", "--cert", "signer.pem", "--kid", "k1"];
        session.json(&[&create[..], &rest, arguments].concat());
        Self { openssl }
    }

    /// Writes a JWT about `subject` to the file `name`.
    fn sign(&self, subject: &str, name: &str) {
        self.sign_until(subject, name, END);
    }

    /// Writes one that is good until `end`.
    fn sign_until(&self, subject: &str, name: &str, end: u64) {
        let header = json!({"alg": "RS256", "kid": "k1", "typ": "JWT"});
        let claims = json!({"iss": "idp", "aud": "gate", "sub": subject,
            "exp": end});
        let encode = |part: &serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&claims));
        fs::write(self.openssl.file("signed"), &signed).unwrap();
        self.openssl
            .run("dgst -sha256 -sign signer.key -out signature signed")
            .success();
        let signature = fs::read(self.openssl.file("signature")).unwrap();
        let signature = URL_SAFE_NO_PAD.encode(signature);
        fs::write(self.openssl.file(name), format!("{signed}.{signature}\n")).unwrap();
    }
}

/// A login in another profile.
fn log_in(session: &Session, arguments: &[&str]) -> support::CommandOutput {
    let ca = session.controller.ca();
    let login = ["login", session.controller.url(), "--profile", "other"];
    let trust = ["--ca", ca.to_str().unwrap()];
    session.run(&[&login[..], &trust, arguments].concat())
}

#[test]
fn jwts_of_a_signer_are_a_way_in() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    let signer = Signer::known(&session, &["--use-external-id", "true"]);
    session.json(&["identity", "create", "anna", "--external-id", "anna@idp"]);
    signer.sign("anna@idp", "anna.token");
    log_in(&session, &["--ext-jwt", "anna.token"]).success();
    let who = session.json(&["whoami", "--profile", "other"]);
    assert_eq!(who["name"], "anna");
    let profiles = session.site.folder().join("profiles/profiles.json");
    let remembered = fs::read_to_string(profiles).unwrap();
    let token = fs::read_to_string(session.site.file("anna.token")).unwrap();
    assert!(!remembered.contains(token.trim()));
    assert!(remembered.contains("anna.token"), "where it lies is kept");
    session.run(&["login", "--profile", "other"]).success();

    signer.sign("nobody", "nobody.token");
    let refused = log_in(&session, &["--ext-jwt", "nobody.token"]).expect_code(1);
    let refused = refused.stderr;
    assert!(refused.contains("names an identity"), "{refused}");
    signer.sign_until("anna@idp", "old.token", 1_700_000_000);
    let refused = log_in(&session, &["--ext-jwt", "old.token"]).expect_code(1);
    let refused = refused.stderr;
    let told = "hint: the JWT expired at 2023-11-14T22:13:20Z\n";
    assert!(refused.contains(told), "{refused}");
    let disable = ["ext-jwt-signer", "update", "idp", "--enabled", "false"];
    assert_eq!(session.json(&disable)["enabled"], false);
    log_in(&session, &["--ext-jwt", "anna.token"]).expect_code(1);
    let public = ["ext-jwt-signer", "list", "--public"];
    assert_eq!(session.json(&public), json!([]));
    session.run(&["ext-jwt-signer", "delete", "idp"]).success();
}

#[test]
fn code_and_second_jwt_are_both_answered() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    let signer = Signer::known(&session, &["--use-external-id", "true"]);
    let policy = ["auth-policy", "create", "triple", "--require-totp", "true"];
    session.json(&[&policy[..], &["--require-ext-jwt", "idp"]].concat());
    let create = ["identity", "create", "anna", "--enrollment", "none"];
    session.json(&[&create[..], &["--auth-policy", "triple"]].concat());
    session.json(&["identity", "update", "anna", "--external-id", "anna@idp"]);
    let create = ["authenticator", "create", "anna", "--username", "anna"];
    let password = crate::session::PASSWORD;
    session.run_with_password(&create, password).success();
    signer.sign("anna@idp", "second.token");

    let login = ["--username", "anna", "--second-ext-jwt", "second.token"];
    let told = log_in(&session, &login).success().text();
    assert!(
        told.ends_with("next: portcullis --profile other mfa enroll\n"),
        "{told}"
    );
    let started = session.json(&["mfa", "enroll", "--profile", "other"]);
    let mut app = AuthenticatorApp::new(started["secret"].as_str().unwrap());
    let verify = ["mfa", "verify", "--profile", "other", "--code", &app.code()];
    let codes = recovery_codes(&session.json(&verify));
    session.run(&["whoami", "--profile", "other"]).success();
    session.run(&["logout", "--profile", "other"]).success();

    let code = ["--recovery-code", &codes[0]];
    let lacking = log_in(&session, &["--username", "anna", code[0], code[1]]);
    let lacking = lacking.expect_code(1).stderr;
    assert!(lacking.contains("factor: TOTP, EXT-JWT"), "{lacking}");
    assert!(lacking.contains("--second-ext-jwt"), "{lacking}");
    log_in(&session, &login).expect_code(2);
    session
        .run(&["whoami", "--profile", "other"])
        .expect_code(3);
    // The code was not spent on a login that lacked something else.
    log_in(&session, &[&login[..], &code].concat()).success();
    session.run(&["whoami", "--profile", "other"]).success();
}

#[test]
fn second_jwt_goes_with_every_command() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    let signer = Signer::known(&session, &["--use-external-id", "true"]);
    let policy = [
        "auth-policy",
        "create",
        "double",
        "--require-ext-jwt",
        "idp",
    ];
    session.json(&policy);
    let create = ["identity", "create", "anna", "--enrollment", "none"];
    session.json(&[&create[..], &["--auth-policy", "double"]].concat());
    session.json(&["identity", "update", "anna", "--external-id", "anna@idp"]);
    let create = ["authenticator", "create", "anna", "--username", "anna"];
    let password = crate::session::PASSWORD;
    session.run_with_password(&create, password).success();

    let lacking = log_in(&session, &["--username", "anna"]).expect_code(1);
    assert!(
        lacking.stderr.contains("--second-ext-jwt"),
        "{}",
        lacking.stderr
    );
    let missing = ["--username", "anna", "--second-ext-jwt", "second.token"];
    log_in(&session, &missing).expect_code(1);
    signer.sign_until("anna@idp", "second.token", 1_700_000_000);
    let expired = log_in(&session, &missing).expect_code(1).stderr;
    assert!(expired.contains("expired at 2023-11-14"), "{expired}");
    session
        .run(&["whoami", "--profile", "other"])
        .expect_code(3);
    signer.sign("anna@idp", "second.token");
    let with_second = ["--username", "anna", "--second-ext-jwt", "second.token"];
    log_in(&session, &with_second).success();
    let who = session.json(&["whoami", "--profile", "other"]);
    assert_eq!(who["name"], "anna");

    // The file counts as it is now.
    fs::write(session.site.file("second.token"), "a.b.c").unwrap();
    let whoami = ["whoami", "--profile", "other"];
    let told = session.run(&whoami).expect_code(1).stderr;
    assert!(told.contains("needs another factor: EXT-JWT"), "{told}");
    signer.sign("anna@idp", "second.token");
    session.run(&whoami).success();
    fs::rename(
        session.site.file("second.token"),
        session.site.file("moved.token"),
    )
    .unwrap();
    let told = session.run(&whoami).expect_code(1).stderr;
    assert!(
        told.contains("profile `other` requires this second JWT"),
        "{told}"
    );
    session.run(&["logout", "--profile", "other"]).success();
    session
        .run(&["whoami", "--profile", "other"])
        .expect_code(3);
    signer.sign("anna@idp", "second.token");
    // So does a login that is repeated.
    session.run(&["login", "--profile", "other"]).success();
    session.run(&whoami).success();
    session
        .run(&["ext-jwt-signer", "delete", "idp"])
        .expect_code(1);
}

#[test]
fn holders_of_a_jwt_become_identities() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    let enrolling = ["--enroll-to-cert", "true", "--enroll-to-token", "true"];
    let external = ["--use-external-id", "true"];
    let signer = Signer::known(&session, &[&enrolling[..], &external].concat());
    let network = ["ext-jwt-signer", "network-jwt"];
    let printed = session.run(&network).success().text();
    assert_eq!(printed.trim().split('.').count(), 3, "{printed}");
    let file = ["--output-jwt", "network.jwt"];
    session.run(&[&network[..], &file].concat()).success();
    let bare = session.run(&["enroll", "network.jwt"]).expect_code(2);
    assert!(
        bare.stderr.contains("add `--ext-jwt FILE`"),
        "{}",
        bare.stderr
    );

    signer.sign_until("bert", "bert.token", 1_700_000_000);
    let expired = ["enroll", "network.jwt", "--ext-jwt", "bert.token"];
    let told = session.run(&expired).expect_code(1).stderr;
    assert!(told.contains("`--ext-jwt` expired at 2023-11-14"), "{told}");
    assert!(!told.contains("already have been used"), "{told}");
    for (rest, told) in [
        (&["--name", "b"][..], "`--name` cannot be used with"),
        (&["--username", "b"], "`--username` cannot be used with"),
        (
            &["--password-file", "p"],
            "`--password` cannot be used with",
        ),
        (
            &["--to", "token", "--key-type", "p384"],
            "`--key-type` cannot be used with",
        ),
        (
            &["--to", "token", "--out", "b.json"],
            "`--out` cannot be used with",
        ),
    ] {
        let refused = session.run(&[&expired[..], rest].concat());
        let refused = refused.expect_code(2).stderr;
        assert!(refused.contains(told), "{rest:?}: {refused}");
    }
    signer.sign("bert", "bert.token");
    let enroll = ["enroll", "network.jwt", "--ext-jwt", "bert.token"];
    session
        .run(&[&enroll[..], &["--out", "bert.json"]].concat())
        .success();
    let who = session.json(&["whoami", "--identity", "bert.json"]);
    assert_eq!(who["name"], "bert");

    signer.sign("cora", "cora.token");
    let enroll = ["enroll", "network.jwt", "--ext-jwt", "cora.token"];
    let told = session
        .run(&[&enroll[..], &["--to", "token"]].concat())
        .success()
        .text();
    assert!(told.contains("--ext-jwt cora.token\n"), "{told}");
    assert!(!session.site.file("network.json").exists());
    log_in(&session, &["--ext-jwt", "cora.token"]).success();
}

#[test]
fn files_without_a_certificate_are_named() {
    let session = Session::logged_in();
    let rest = ["--issuer", "i", "--audience", "a", "--cert", "/dev/null"];
    let create = ["ext-jwt-signer", "create", "idp"];
    let refused = session.run(&[&create[..], &rest].concat());
    let refused = refused.expect_code(1).stderr;
    assert!(refused.contains("/dev/null is empty"), "{refused}");
}

#[test]
fn keys_move_from_a_certificate_to_an_address() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    Signer::known(&session, &["--scopes", "openid,email", "--client-id", "c"]);
    let update = ["ext-jwt-signer", "update", "idp"];
    let jwks = ["--jwks-endpoint", "https://idp.test/keys"];
    let moved = session.json(&[&update[..], &jwks].concat());
    assert_eq!(moved["jwksEndpoint"], "https://idp.test/keys");
    assert_eq!(moved["certPem"], json!(null));
    assert_eq!(moved["scopes"], json!(["email", "openid"]));
    assert_eq!(moved["clientId"], "c");
    let back = session.json(&[&update[..], &["--cert", "signer.pem"]].concat());
    assert_eq!(back["jwksEndpoint"], json!(null));
    let table = session.run(&["ext-jwt-signer", "list"]).success().text();
    assert!(table.contains("SHA-1 "), "{table}");
}
