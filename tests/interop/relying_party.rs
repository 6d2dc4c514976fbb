//! Strict relying parties at the controller's OpenID provider: the npm package `openid-client`, where
//! `PORTCULLIS_TEST_OPENID_CLIENT` names a folder in which it is installed, and the Python packages `Authlib`
//! and `PyJWT`; with those, also the tests that OpenID's conformance suite makes.

use serde_json::{Value, json};
use std::env;
use std::ffi::OsStr;
use std::process::Command;
use support::tools::{are_required, python_with};
use support::{Controller, TestDirectory, command, run};

const PASSWORD: &str = "relying-party-password";

/// A controller, of which both log in as the administrator.
fn start(site: &TestDirectory, key_type: &str) -> Controller {
    let launch = site.quickstart().with(["--password", PASSWORD]);
    launch.with(["--key-type", key_type]).start()
}

fn issuer(controller: &Controller) -> String {
    format!("{}/oidc", controller.url())
}

fn json_of(command: &mut Command) -> Value {
    let output = run(command).success();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn openid_client_finds_what_it_demands() {
    let Some(folder) = env::var_os("PORTCULLIS_TEST_OPENID_CLIENT") else {
        println!("skipped: PORTCULLIS_TEST_OPENID_CLIENT names no folder");
        return;
    };
    assert!(
        command::find_in_path("node").is_some(),
        "openid-client needs node"
    );
    for key_type in ["p256", "rsa2048"] {
        let site = TestDirectory::new();
        let controller = start(&site, key_type);
        let mut script = Command::new("node");
        script
            .arg(crate::own("relying_party.mjs"))
            .args([folder.as_os_str(), OsStr::new(&issuer(&controller))])
            .args(["admin", PASSWORD])
            .env("NODE_EXTRA_CA_CERTS", controller.ca());
        let got = json_of(&mut script);
        let sub = &got["sub"];
        assert!(sub.is_string(), "{got}");
        for (member, expected) in [
            ("name", json!("admin")),
            ("userInfo", json!({"sub": sub, "name": "admin"})),
            ("isActive", json!(true)),
            ("isRotated", json!(true)),
            ("refreshedSub", sub.clone()),
            ("afterRevocation", json!("invalid_grant")),
            ("statusAfterRevocation", json!(401)),
            ("replay", json!("invalid_grant")),
            // The replay has ended the session.
            ("afterReplay", json!("invalid_grant")),
            (
                "loggedOut",
                json!([302, "http://127.0.0.1:8080/auth/logout?state=bye"]),
            ),
            ("afterLogout", json!("invalid_grant")),
        ] {
            assert_eq!(got[member], expected, "{member} with {key_type}: {got}");
        }
    }
}

/// All of them hold but one: OpenID Connect Discovery demands `RS256`, which only RSA keys can sign.
#[test]
fn tests_of_openid_basic_and_config_profiles_hold() {
    let Some(python) = python_with("jwt, requests") else {
        assert!(!are_required(), "PyJWT is not installed");
        println!("skipped: no Python with the packages jwt and requests is installed");
        return;
    };
    for key_type in ["p256", "rsa2048"] {
        let site = TestDirectory::new();
        let controller = start(&site, key_type);
        let mut script = Command::new(&python);
        script
            .arg(crate::own("openid_basic.py"))
            .arg(issuer(&controller))
            .arg(controller.ca())
            .args(["admin", PASSWORD])
            .env("REQUESTS_CA_BUNDLE", controller.ca());
        let got = json_of(&mut script);
        let tests = got.as_object().unwrap();
        let failed: Vec<_> = tests
            .iter()
            .filter(|(_, outcome)| **outcome != json!(true))
            .map(|(name, _)| name.as_str())
            .collect();
        let expected: &[_] = match key_type {
            "rsa2048" => &[],
            _ => &["oidcc-discovery-rs256"],
        };
        assert_eq!(failed, expected, "with {key_type}: {got}");
        assert!(tests.len() > 30, "{got}");
    }
}

#[test]
fn authlib_and_py_jwt_find_what_they_demand() {
    let Some(python) = python_with("authlib, jwt, requests") else {
        assert!(!are_required(), "Authlib is not installed");
        println!("skipped: no Python with the packages authlib, jwt and requests is installed");
        return;
    };
    let site = TestDirectory::new();
    let controller = start(&site, "p256");
    let mut script = Command::new(python);
    script
        .arg(crate::own("relying_party.py"))
        .arg(issuer(&controller))
        .arg(controller.ca())
        .args(["admin", PASSWORD])
        .env("REQUESTS_CA_BUNDLE", controller.ca());
    let got = json_of(&mut script);
    let sub = &got["sub"];
    for (member, expected) in [
        ("accessSub", sub.clone()),
        ("userInfo", json!({"sub": sub, "name": "admin"})),
        ("amr", json!(["password"])),
        ("type", json!("a")),
        ("isRotated", json!(true)),
        ("revoked", json!(200)),
        ("afterRevocation", json!("invalid_grant")),
        ("otherAudience", json!(["refused", "refused"])),
    ] {
        assert_eq!(got[member], expected, "{member}: {got}");
    }
    // A refresh goes on with the session, and with the time of its login.
    for pair in ["session", "authTime"] {
        assert_eq!(got[pair][0], got[pair][1], "{pair}");
    }
}
