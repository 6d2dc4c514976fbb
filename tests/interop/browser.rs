//! Logins in a real browser: the pages that people see, driven by keyboard and mouse in headless Chromium.

use crate::own;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use support::api::write_chain;
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Controller, Openssl, TestDirectory, Tool, TotpProgram, command};

const PASSWORD: &str = "a-persons-password";

/// Names the folder for pictures of all pages, for people who want to look at them.
const SCREENSHOTS: &str = "PORTCULLIS_SCREENSHOTS";

/// How long the scenarios of one test may take.
const DEADLINE: Duration = Duration::from_mins(4);

/// Runs scenarios of `browser/pages.py` in a browser.
#[track_caller]
fn drive(scenarios: &[&str]) {
    let tools = [
        Tool::Chromium,
        Tool::Curl,
        Tool::Html5lib,
        Tool::Openssl,
        Tool::Playwright,
    ];
    if !are_available(&tools) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let input = json!({
        "issuer": format!("{}/oidc", controller.url()),
        "ca": controller.ca(),
        "password": PASSWORD,
        "users": populate(&site, &controller),
        "screenshots": std::env::var(SCREENSHOTS).ok(),
    });
    run_scenarios("browser/pages.py", scenarios, &input);
    let logged = site.logged();
    assert!(!logged.contains("panicked"), "{logged}");
}

/// Runs scenarios of a script that drives a browser.
#[track_caller]
pub(crate) fn run_scenarios(script: &str, scenarios: &[&str], input: &Value) {
    let mut python = Command::new("python3");
    python.arg("-B").arg(own(script)).args(scenarios);
    let finished = command::run_with(&mut python, input.to_string().as_bytes(), DEADLINE).success();
    let done: Vec<_> = scenarios
        .iter()
        .map(|name| format!("{name} done"))
        .collect();
    assert_eq!(finished.text().lines().collect::<Vec<_>>(), done);
}

/// Anne has a password, Bert an authenticator app as well, and Cleo has to set one up. Dora has a
/// certificate.
fn populate(site: &TestDirectory, controller: &Controller) -> Value {
    let admin = Api::admin(controller);
    admin.create_user("anne", PASSWORD);
    let bert = admin
        .create_user("bert", PASSWORD)
        .enroll_in_mfa(TotpProgram::Python);
    let cleo = admin.create_user("cleo", PASSWORD);
    require_totp(&admin, &[&cleo]);
    let (certificate, key) = enroll_certificate(site, &admin, "dora");
    json!({
        "dora": {"certificate": certificate, "key": key},
        "bert": {"secret": bert.app.secret(), "recoveryCodes": bert.recovery},
    })
}

/// Creates an identity and enrolls it; returns the files of its certificate and key.
fn enroll_certificate(site: &TestDirectory, admin: &Api, name: &str) -> (PathBuf, PathBuf) {
    let openssl = Openssl::new(site.work());
    let csr = openssl.csr(name, KeyAlgorithm::P256, &format!("/CN={name}"));
    let identity = admin.create_identity(name, &json!({"ott": true}));
    let token = identity["enrollment"]["ott"]["token"].as_str();
    let enrolled = admin.enroll(token.expect("there is a token"), &csr);
    let certificate = openssl.file(&format!("{name}.pem"));
    write_chain(&enrolled, &certificate);
    (certificate, openssl.file(&format!("{name}.key")))
}

/// Moves users to a policy that requires TOTP.
pub(crate) fn require_totp(admin: &Api, users: &[&Api]) {
    let mut policy = admin.get("/auth-policies/default").data();
    let members = policy.as_object_mut().expect("a policy is an object");
    members.retain(|name, _| ["primary", "secondary"].contains(&name.as_str()));
    policy["name"] = json!("two-factors");
    policy["secondary"]["requireTotp"] = json!(true);
    let policy = admin
        .send("POST", "/auth-policies", &policy)
        .expect_status(201)
        .data();
    for user in users {
        change(admin, user, &json!({"authPolicyId": policy["id"]}));
    }
}

/// Merges members into the identity of a user.
#[track_caller]
pub(crate) fn change(admin: &Api, user: &Api, members: &Value) {
    let identity = user.get("/current-identity").data();
    let id = identity["id"].as_str().expect("an identity has an id");
    let _ = admin
        .send("PATCH", &format!("/identities/{id}"), members)
        .expect_status(200);
}

#[test]
fn people_log_in_by_password_certificate_and_keyboard() {
    drive(&["password", "keyboard", "tabs", "certificate"]);
}

#[test]
fn people_prove_and_set_up_a_second_factor() {
    drive(&["totp", "enrollment"]);
}

#[test]
fn pages_of_others_and_logins_of_others_lead_nowhere() {
    drive(&["strangers", "throttle", "ends"]);
}
