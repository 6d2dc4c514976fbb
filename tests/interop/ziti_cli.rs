//! The command-line client of OpenZiti, as its users have it: `PORTCULLIS_TEST_ZITI` names the
//! program, of version 2.1; without it there is nothing to test with.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::process::Command;
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, CommandOutput, Controller, Openssl, TestDirectory, Tool, TotpProgram, command};

/// The program with a home of its own.
pub(crate) struct Ziti<'s> {
    pub(crate) program: OsString,
    pub(crate) site: &'s TestDirectory,
}

impl Ziti<'_> {
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_in("edge", arguments)
    }

    /// Runs a command of one of the groups that the program has.
    pub(crate) fn run_in(&self, group: &str, arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new(&self.program);
        command
            .arg(group)
            .args(arguments)
            .current_dir(self.site.work())
            .env("HOME", self.site.work())
            .env("ZITI_CONFIG_DIR", self.site.work());
        command::run(&mut command)
    }

    /// Runs what is to succeed; answers what it printed.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let outcome = self.run(arguments).success();
        String::from_utf8_lossy(&outcome.stdout).into_owned()
    }

    /// The entities of a list.
    #[track_caller]
    pub(crate) fn list(&self, kind: &str, filter: &str) -> Vec<Value> {
        let text = self.done(&["list", kind, filter, "--output-json"]);
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["data"].as_array().unwrap().clone()
    }

    pub(crate) fn log_in(&self, controller: &Controller) {
        let (ca, password) = (controller.ca(), controller.password());
        let ca = ca.to_str().unwrap();
        let who = ["-u", "admin", "-p", &password, "--ca", ca, "--yes"];
        self.done(&[&["login", controller.url()], &who[..]].concat());
    }
}

/// The program to test with, if there is one.
pub(crate) fn program() -> Option<OsString> {
    let program = std::env::var_os("PORTCULLIS_TEST_ZITI");
    if program.is_none() {
        println!("skipped: PORTCULLIS_TEST_ZITI names no program");
    }
    program
}

#[test]
fn every_way_in_is_administered_with_it() {
    let (Some(program), true) = (program(), are_available(&[Tool::Openssl])) else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);
    authorities(&ziti, &controller);
    passwords(&ziti, &controller);
    signers(&ziti);
}

/// It logs in by OpenID Connect, with a password and with a certificate. It presents the certificate at the
/// login alone, though the tokens count with it alone: what follows is refused, by OpenZiti's controller too.
#[test]
fn it_logs_in_by_openid_connect() {
    let Some(program) = program() else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let ziti = Ziti {
        program,
        site: &site,
    };
    let session = || {
        let saved = fs::read_to_string(site.file("ziti-cli.json")).unwrap();
        let saved: Value = serde_json::from_str(&saved).unwrap();
        saved["edgeIdentities"]["default"]["apiSession"].clone()
    };
    let admins = || ziti.list("identities", "isDefaultAdmin = true").len();
    ziti.log_in(&controller);
    assert_eq!(session()["type"], "oidc");
    assert!(session()["oidcRefreshToken"].is_string());
    assert_eq!(admins(), 1);

    // It renews a session whose access token is over, which it sees by the claims.
    let before = session();
    let over = with_end(before["oidcAccessToken"].as_str().unwrap(), 1);
    let saved = fs::read_to_string(site.file("ziti-cli.json")).unwrap();
    let saved = saved.replace(before["oidcAccessToken"].as_str().unwrap(), &over);
    fs::write(site.file("ziti-cli.json"), saved).unwrap();
    assert_eq!(admins(), 1);
    assert_ne!(session()["oidcRefreshToken"], before["oidcRefreshToken"]);
    assert_eq!(admins(), 1);

    ziti.done(&["create", "identity", "anna", "--admin", "-o", "anna.jwt"]);
    ziti.done(&["enroll", "anna.jwt"]);
    let ca = controller.ca();
    let with = ["--file", "anna.json", "--ca", ca.to_str().unwrap(), "--yes"];
    ziti.done(&[&["login", controller.url()], &with[..]].concat());
    assert_eq!(session()["type"], "oidc");
    let refused = ziti.run(&["list", "identities"]);
    assert!(refused.stderr.contains("401"), "{}", refused.stderr);
    let token = session()["oidcAccessToken"].as_str().unwrap().to_owned();
    let identity = fs::read_to_string(site.file("anna.json")).unwrap();
    let identity: Value = serde_json::from_str(&identity).unwrap();
    let [cert, key] = ["cert", "key"].map(|member| {
        let file = site.file(member);
        let pem = identity["id"][member].as_str().unwrap();
        fs::write(&file, pem.trim_start_matches("pem:")).unwrap();
        file
    });
    let api = Api::anonymous(&controller);
    let reply = api
        .curl("/edge/management/v1/identities")
        .certificate(&cert, &key)
        .header(&format!("authorization: Bearer {token}"))
        .send();
    let _ = reply.expect_status(200);
}

/// The token with another end, whose signature is wrong then.
fn with_end(token: &str, end: i64) -> String {
    let parts: Vec<_> = token.split('.').collect();
    let claims = URL_SAFE_NO_PAD.decode(parts[1]).unwrap();
    let mut claims: Value = serde_json::from_slice(&claims).unwrap();
    claims["exp"] = end.into();
    let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    format!("{}.{claims}.{}", parts[0], parts[2])
}

/// An authority is added and verified; its certificates enroll in both ways.
fn authorities(ziti: &Ziti<'_>, controller: &Controller) {
    let openssl = Openssl::new(ziti.site.work());
    let ca = "basicConstraints=critical,CA:TRUE";
    openssl
        .run(&format!(
            "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout ca.key -out \
             ca.pem -subj /CN=third-party -days 30 -addext {ca}"
        ))
        .success();
    let client = |name: &str| {
        openssl.csr(name, KeyAlgorithm::P256, &format!("/CN={name}"));
        fs::write(openssl.file("ext"), "extendedKeyUsage=clientAuth\n").unwrap();
        let sign = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile ext";
        openssl
            .run(&format!("x509 -req -in {name}.csr -out {name}.pem {sign}"))
            .success();
    };
    let flags = ["--auth", "--autoca", "--ottca", "-a", "from-ca"];
    ziti.done(&[&["create", "ca", "third", "ca.pem"], &flags[..]].concat());
    ziti.done(&[
        "verify", "ca", "third", "--cacert", "ca.pem", "--cakey", "ca.key",
    ]);
    let authority = &ziti.list("cas", r#"name = "third""#)[0];
    assert_eq!(authority["isVerified"], true);

    let admin = Api::admin(controller);
    let path = format!("/cas/{}/jwt", authority["id"].as_str().unwrap());
    fs::write(
        ziti.site.file("ca.jwt"),
        admin.get(&path).expect_status(200).text(),
    )
    .unwrap();
    client("first");
    let with = |name: &str| [format!("{name}.pem"), format!("{name}.key")];
    let [cert, key] = with("first");
    ziti.done(&[
        "enroll",
        "ca.jwt",
        "-c",
        &cert,
        "-k",
        &key,
        "-o",
        "first.json",
    ]);
    let made = ziti.list("identities", r#"name = "third-first""#);
    assert_eq!(made[0]["roleAttributes"], serde_json::json!(["from-ca"]));

    ziti.done(&["create", "identity", "second", "--external-id", "x"]);
    ziti.done(&["create", "enrollment", "ottca", "second", "third"]);
    let enrollment = &ziti.list("enrollments", "caId != null")[0];
    let jwt = enrollment["jwt"].as_str().unwrap();
    fs::write(ziti.site.file("second.jwt"), jwt).unwrap();
    client("second");
    let [cert, key] = with("second");
    ziti.done(&[
        "enroll",
        "second.jwt",
        "-c",
        &cert,
        "-k",
        &key,
        "-o",
        "second.json",
    ]);
    ziti.done(&["update", "ca", "third", "--name", "renamed"]);
    ziti.done(&["delete", "ca", "renamed"]);
}

/// A policy, and passwords that it has something to say about.
fn passwords(ziti: &Ziti<'_>, controller: &Controller) {
    let policy = ["create", "auth-policy", "strict", "--primary-updb-allowed"];
    let rules = [
        "--primary-updb-min-length",
        "12",
        "--primary-updb-max-attempts",
        "3",
    ];
    ziti.done(&[&policy[..], &rules[..]].concat());
    ziti.done(&["update", "auth-policy", "strict", "--primary-cert-allowed"]);
    let shown = &ziti.list("auth-policies", r#"name = "strict""#)[0];
    assert_eq!(shown["primary"]["updb"]["minPasswordLength"], 12);
    assert_eq!(shown["primary"]["cert"]["allowed"], true);

    ziti.done(&["create", "identity", "plain", "-P", "strict"]);
    let short = [
        "create",
        "authenticator",
        "updb",
        "plain",
        "a-person",
        "too-short",
    ];
    assert!(!ziti.run(&short).status.success());
    let long = [
        "create",
        "authenticator",
        "updb",
        "plain",
        "a-person",
        "long-enough-1",
    ];
    ziti.done(&long);
    let change = ["update", "authenticator", "updb", "--identity", "plain"];
    ziti.done(&[&change[..], &["-p", "long-enough-2"]].concat());
    let url = controller.url();
    let ca = controller.ca();
    let ca = ca.to_str().unwrap();
    let as_person = |password: &str| {
        ziti.run(&[
            "login", url, "-u", "a-person", "-p", password, "--ca", ca, "--yes",
        ])
    };
    let _ = as_person("long-enough-2").success();
    let own = ["update", "authenticator", "updb", "--self"];
    ziti.done(&[&own[..], &["-c", "long-enough-2", "-n", "long-enough-3"]].concat());
    assert!(!as_person("long-enough-2").status.success());
    let _ = as_person("long-enough-3").success();
    ziti.log_in(controller);

    ziti.done(&["create", "identity", "laptop", "-o", "laptop.jwt"]);
    ziti.done(&[
        "enroll",
        "laptop.jwt",
        "-o",
        "laptop.json",
        "--keyAlg",
        "EC",
    ]);
    let laptop = ziti.list("authenticators", "isIssuedByNetwork = true");
    let id = laptop[0]["id"].as_str().unwrap();
    ziti.done(&["update", "authenticator", "cert", id, "--request-extend"]);
    let shown = ziti.list("authenticators", "isExtendRequested = true");
    assert_eq!(shown[0]["id"], id);
    ziti.done(&["update", "authenticator", "cert", id, "--re-enroll"]);
    assert_eq!(
        ziti.list("authenticators", &format!(r#"id = "{id}""#))
            .len(),
        0
    );
    assert!(
        !ziti
            .run(&["delete", "auth-policy", "strict"])
            .status
            .success()
    );
    ziti.done(&["delete", "identity", "plain"]);
    ziti.done(&["delete", "auth-policy", "strict"]);
}

fn signers(ziti: &Ziti<'_>) {
    let signer = [
        "create",
        "ext-jwt-signer",
        "idp",
        "https://idp.example.test",
    ];
    let keys = [
        "-f", "ca.pem", "-k", "key-1", "-a", "audience", "-c", "email", "-x",
    ];
    ziti.done(&[&signer[..], &keys[..]].concat());
    ziti.done(&["update", "ext-jwt-signer", "idp", "-a", "other"]);
    let shown = &ziti.list("ext-jwt-signers", r#"name = "idp""#)[0];
    assert_eq!(
        (&shown["audience"], &shown["kid"]),
        (&"other".into(), &"key-1".into())
    );
    let id = shown["id"].as_str().unwrap();
    let policy = [
        "create",
        "auth-policy",
        "tokens",
        "--primary-ext-jwt-allowed",
    ];
    ziti.done(&[&policy[..], &["--primary-ext-jwt-allowed-signers", id]].concat());
    assert!(
        !ziti
            .run(&["delete", "ext-jwt-signer", "idp"])
            .status
            .success()
    );
    ziti.done(&["delete", "auth-policy", "tokens"]);
    ziti.done(&["delete", "ext-jwt-signer", "idp"]);
}

#[test]
fn first_identities_are_administered_with_it() {
    let Some(program) = program() else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);

    ziti.done(&[
        "create",
        "identity",
        "laptop",
        "-a",
        "red,blue",
        "-o",
        "laptop.jwt",
    ]);
    ziti.done(&[
        "create",
        "identity",
        "person",
        "--updb",
        "a-person",
        "-o",
        "person.jwt",
    ]);
    assert_eq!(ziti.list("enrollments", "true").len(), 2);
    ziti.done(&[
        "enroll",
        "laptop.jwt",
        "-o",
        "laptop.json",
        "--keyAlg",
        "EC",
    ]);
    ziti.done(&[
        "enroll",
        "person.jwt",
        "--username",
        "a-person",
        "--password",
        "a-password",
    ]);
    assert_eq!(ziti.list("enrollments", "true").len(), 0);
    let authenticators = ziti.list("authenticators", r#"method = "cert""#);
    assert_eq!(authenticators[0]["identity"]["name"], "laptop");
    assert_eq!(ziti.list("api-sessions", "true").len(), 1);
    assert_eq!(ziti.list("auth-policies", r#"name = "Default""#).len(), 1);

    ziti.done(&[
        "update",
        "identity",
        "laptop",
        "-a",
        "green",
        "--tags",
        "site=berlin",
    ]);
    let found = ziti.list(
        "identities",
        r#"tags.site = "berlin" and anyOf(roleAttributes) = "green""#,
    );
    assert_eq!(found[0]["name"], "laptop");
    let refused = ziti.run(&["list", "identities", r#"name == "x""#]);
    assert!(!refused.status.success());
    let said = refused.stderr.clone() + &refused.text();
    assert!(said.contains("INVALID_FILTER"), "{said}");

    ziti.done(&["delete", "identity", "person"]);
    ziti.done(&["delete", "identities", "where", r#"name contains "lap""#]);
    let left = ziti.list("identities", "sort by name");
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["isDefaultAdmin"], true);
}

/// Its logins know nothing of a second factor: they succeed, and the session that they leave is good
/// once somebody else has answered. By OpenID Connect they crash when a code is asked for, since they call
/// what nobody has set; so there is none here.
#[test]
fn second_factors_are_demanded_with_it() {
    let (Some(program), true) = (program(), are_available(&[Tool::Curl, Tool::Oathtool])) else {
        return;
    };
    let site = TestDirectory::new();
    let config = site.file("partial.yml");
    fs::write(&config, "edge: {api: {disableOidcAutoBinding: true}}\n").unwrap();
    let launch = site.quickstart();
    let controller = launch.with(["--config", config.to_str().unwrap()]).start();
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);
    let policy = ["create", "auth-policy", "strict", "--primary-updb-allowed"];
    ziti.done(&[&policy[..], &["--secondary-req-totp"]].concat());
    let shown = &ziti.list("auth-policies", r#"name = "strict""#)[0];
    assert_eq!(shown["secondary"]["requireTotp"], true);
    let password = "long-enough-1";
    let admin = Api::admin(&controller);
    let user = admin.create_user("a-person", password);
    let id = &ziti.list("identities", r#"name = "a-person""#)[0]["id"];
    let path = format!("/identities/{}", id.as_str().unwrap());
    let change = serde_json::json!({"isAdmin": true});
    let _ = admin.send("PATCH", &path, &change).expect_status(200);
    assert!(user.is_full());
    ziti.done(&["update", "identity", "a-person", "-P", "strict"]);
    assert!(!user.is_full());
    let mut set_up = user.enroll_in_mfa(TotpProgram::Oathtool);
    let enrolled = &ziti.list("identities", r#"name = "a-person""#)[0];
    assert_eq!(enrolled["isMfaEnabled"], true);

    let (url, ca) = (controller.url(), controller.ca());
    let ca = ca.to_str().unwrap();
    ziti.done(&[
        "login", url, "-u", "a-person", "-p", password, "--ca", ca, "--yes",
    ]);
    let list = ["list", "identities"];
    let refused = ziti.run(&list);
    assert!(!refused.status.success());
    assert!(refused.stderr.contains("401"), "{}", refused.stderr);
    let saved = fs::read_to_string(site.file("ziti-cli.json")).unwrap();
    let saved: Value = serde_json::from_str(&saved).unwrap();
    let session = &saved["edgeIdentities"]["default"]["apiSession"]["ztSessionToken"];
    let session = user.with_token(session.as_str().unwrap());
    assert_eq!(session.answer_mfa(&set_up.app.code()).status, 200);
    ziti.done(&list);
    ziti.done(&[
        "update",
        "auth-policy",
        "strict",
        "--secondary-req-totp=false",
    ]);
    let shown = &ziti.list("auth-policies", r#"name = "strict""#)[0];
    assert_eq!(shown["secondary"]["requireTotp"], false);
}
