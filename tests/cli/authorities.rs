//! Third-party authorities: certificates made by `openssl` as a way in.

use crate::Session;
use serde_json::json;
use std::fs;
use support::{Openssl, Tool, tools};

/// Makes an authority and one certificate for clients, in the folder of the person.
fn make(openssl: &Openssl, authority: &str, client: &str) {
    openssl
        .run(&format!(
            "req -x509 -nodes -newkey rsa:2048 -keyout {authority}.key -out {authority}.pem \
             -subj /CN={authority} -days 2"
        ))
        .success();
    sign(openssl, authority, client);
}

/// Makes the certificate `NAME.pem`, whose common name is the same.
fn sign(openssl: &Openssl, authority: &str, name: &str) {
    openssl.csr(
        name,
        support::openssl::KeyAlgorithm::P256,
        &format!("/CN={name}"),
    );
    fs::write(openssl.file("usage"), "extendedKeyUsage=clientAuth\n").unwrap();
    openssl
        .run(&format!(
            "x509 -req -in {name}.csr -CA {authority}.pem -CAkey {authority}.key -out {name}.pem \
             -days 2 -CAcreateserial -extfile usage"
        ))
        .success();
}

#[test]
fn certificates_of_a_verified_authority_are_a_way_in() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    let openssl = Openssl::new(session.site.work());
    make(&openssl, "corporate", "server");
    let ca = session.json(&["ca", "create", "corporate", "corporate.pem"]);
    assert_eq!(ca["isVerified"], false);
    let shown = session.run(&["ca", "show", "corporate"]).success().text();
    assert!(
        shown.ends_with("next: portcullis ca verify corporate --ca-key FILE\n"),
        "{shown}"
    );
    let verify = ["ca", "verify", "corporate", "--ca-key"];
    let refused = session.run(&[&verify[..], &["server.key"]].concat());
    let refused = refused.expect_code(1).stderr;
    assert!(refused.contains("does not match"), "{refused}");
    let verified = session.json(&[&verify[..], &["corporate.key"]].concat());
    assert_eq!(verified["isVerified"], true);

    let create = ["identity", "create", "server", "--ottca", "corporate"];
    let create = [&create[..], &["--output-jwt", "server.jwt"]].concat();
    session.run(&create).success();
    let bare = session.run(&["enroll", "server.jwt"]).expect_code(2).stderr;
    assert!(bare.contains("add `--cert FILE --key FILE`"), "{bare}");
    let pair = ["--cert", "server.pem", "--key", "server.key"];
    // Whatever else stands in the files stays out of the identity.
    let file = |name: &str| session.site.file(name);
    let combined = ["server.key", "server.pem"].map(|name| fs::read_to_string(file(name)).unwrap());
    fs::write(file("server.pem"), combined.concat() + "trailing text\n").unwrap();
    for (rest, told) in [
        (
            &["--key-type", "p384"][..],
            "`--key-type` cannot be used with",
        ),
        (&["--name", "x"], "`--name` cannot be used with"),
        (&["--username", "x"], "`--username` cannot be used with"),
        (&["--password", "x"], "`--password` cannot be used with"),
    ] {
        let line = [&["enroll", "server.jwt"][..], &pair, rest].concat();
        let refused = session.run(&line).expect_code(2).stderr;
        assert!(refused.contains(told), "{rest:?}: {refused}");
    }
    session
        .run(&[&["enroll", "server.jwt"][..], &pair].concat())
        .success();
    let who = session.json(&["whoami", "--identity", "server.json"]);
    assert_eq!(who["name"], "server");
    assert!(session.site.file("server.key").exists(), "it stays");
    let identity = fs::read_to_string(file("server.json")).unwrap();
    assert_eq!(identity.matches("PRIVATE KEY-----").count(), 2, "one key");
    assert!(!identity.contains("trailing"));

    let trust = session.controller.ca();
    let login = ["login", session.controller.url(), "--profile", "server"];
    let login = [&login[..], &pair, &["--ca", trust.to_str().unwrap()]].concat();
    session.run(&login).success();
    let who = session.json(&["whoami", "--profile", "server"]);
    assert_eq!(who["name"], "server");

    let update = ["ca", "update", "corporate", "--auth", "false"];
    assert_eq!(session.json(&update)["isAuthEnabled"], false);
    let again = session.run(&["login", "--profile", "server"]);
    let again = again.expect_code(1).stderr;
    assert!(again.contains("check that the certificate"), "{again}");
    let both = ["login", "--profile", "server", "--username", "x"];
    let both = session.run(&[&both[..], &pair].concat()).expect_code(2);
    assert!(both.stderr.contains("not both"), "{}", both.stderr);
    let create = ["identity", "create", "second", "--ottca", "corporate"];
    let create = [&create[..], &["--output-jwt", "second.jwt"]].concat();
    session.run(&create).success();
    session.run(&["ca", "delete", "corporate"]).success();
    let late = session.run(&[&["enroll", "second.jwt"][..], &pair].concat());
    let late = late.expect_code(1).stderr;
    assert!(late.contains("its CA was deleted"), "{late}");
    let gone = session.run(&["login", "--profile", "server"]);
    let gone = gone.expect_code(1).stderr;
    assert!(gone.contains("still exists"), "{gone}");
}

/// Many versions of `openssl x509 -req` make such certificates where no extension is asked for.
#[test]
fn certificates_of_version_1_are_shown() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    let openssl = Openssl::new(session.site.work());
    make(&openssl, "old", "unused");
    openssl.csr("anna", support::openssl::KeyAlgorithm::P256, "/CN=anna");
    openssl
        .run(
            "x509 -req -in anna.csr -CA old.pem -CAkey old.key -out anna.pem -days 2 \
             -set_serial 7",
        )
        .success();
    session.json(&["ca", "create", "old", "old.pem"]);
    session.json(&["ca", "verify", "old", "--ca-key", "old.key"]);
    let create = ["identity", "create", "anna", "--ottca", "old"];
    let create = [&create[..], &["--output-jwt", "anna.jwt"]].concat();
    session.run(&create).success();
    let pair = ["--cert", "anna.pem", "--key", "anna.key"];
    session
        .run(&[&["enroll", "anna.jwt"][..], &pair].concat())
        .success();
    let who = session.json(&["whoami", "--identity", "anna.json"]);
    assert_eq!(who["name"], "anna");
}

#[test]
fn refusals_of_certificates_name_file_and_cause() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::new();
    let openssl = Openssl::new(session.site.work());
    make(&openssl, "corporate", "anna");
    openssl
        .run("x509 -in anna.pem -outform DER -out anna.der")
        .success();
    fs::write(session.site.file("empty"), "").unwrap();
    let trust = session.controller.ca();
    let trust = ["--ca", trust.to_str().unwrap()];
    let login = ["login", session.controller.url()];
    for (cert, key, told) in [
        ("anna.key", "anna.pem", "anna.key contains a private key"),
        ("anna.pem", "anna.pem", "anna.pem contains a certificate"),
        (
            "anna.pem",
            "corporate.key",
            "the certificate does not match the key",
        ),
        ("anna.der", "anna.key", "openssl x509 -inform DER"),
        ("anna.pem", "empty", "empty is empty"),
        ("/dev/null", "anna.key", "/dev/null is empty"),
        (
            "anna.pem",
            "anna.key",
            "append the intermediate certificates",
        ),
    ] {
        let pair = ["--cert", cert, "--key", key];
        let refused = session.run(&[&login[..], &trust, &pair].concat());
        let refused = refused.expect_code(1).stderr;
        assert!(refused.contains(told), "{cert} {key}: {refused}");
        assert!(!refused.contains("KeyMismatch"), "{refused}");
    }
}

#[test]
fn holders_of_a_certificate_become_identities() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    let openssl = Openssl::new(session.site.work());
    make(&openssl, "factory", "sensor-1");
    let create = ["ca", "create", "factory", "factory.pem", "--autoca", "true"];
    let rest = ["-a", "sensors", "--name-format", "[commonName]"];
    let ca = session.json(&[&create[..], &rest].concat());
    assert_eq!(ca["identityRoles"], json!(["sensors"]));
    // The proof may be made elsewhere.
    let token = ca["verificationToken"].as_str().unwrap();
    sign(&openssl, "factory", token);
    let proof = format!("{token}.pem");
    let verify = ["ca", "verify", "factory", "--cert", &proof];
    session.run(&verify).success();

    let jwt = ["ca", "jwt", "factory", "--output-jwt", "factory.jwt"];
    session.run(&jwt).success();
    let printed = session.run(&["ca", "jwt", "factory"]).success().text();
    assert_eq!(printed.trim().split('.').count(), 3, "{printed}");
    let enroll = ["enroll", "factory.jwt", "--cert", "sensor-1.pem"];
    let enroll = [&enroll[..], &["--key", "sensor-1.key", "--out", "s.json"]].concat();
    session.run(&enroll).success();
    let who = session.json(&["whoami", "--identity", "s.json"]);
    assert_eq!(who["name"], "sensor-1");
    assert_eq!(who["roleAttributes"], json!(["sensors"]));
}

#[test]
fn claims_are_made_changed_and_taken_away() {
    if !tools::are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::logged_in();
    make(&Openssl::new(session.site.work()), "staff", "anna");
    let create = ["ca", "create", "staff", "staff.pem"];
    let claim = ["--external-id-from", "san-email"];
    let staff = session.json(&[&create[..], &claim].concat());
    let expected = json!({"index": 0, "location": "SAN_EMAIL", "matcher": "ALL",
        "matcherCriteria": "", "parser": "NONE", "parserCriteria": ""});
    assert_eq!(staff["externalIdClaim"], expected);
    let update = ["ca", "update", "staff"];
    let changed = [
        "--external-id-suffix",
        "@x.test",
        "--external-id-index",
        "1",
    ];
    let staff = session.json(&[&update[..], &changed].concat());
    assert_eq!(staff["externalIdClaim"]["matcher"], "SUFFIX");
    assert_eq!(staff["externalIdClaim"]["location"], "SAN_EMAIL");
    assert_eq!(staff["externalIdClaim"]["index"], 1);
    let renamed = session.json(&[&update[..], &["--name", "people"]].concat());
    assert_eq!(renamed["externalIdClaim"], staff["externalIdClaim"]);
    let none = session.json(&["ca", "update", "people", "--no-external-id"]);
    assert!(none.get("externalIdClaim").is_none(), "{none}");
    let table = session.run(&["ca", "list"]).success().text();
    assert!(table.ends_with("\n1 CA\n"), "{table}");
}
