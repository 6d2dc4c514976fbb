//! A console at work in a real browser, under a name of the controller that is not of this computer alone.

use crate::browser::{change, require_totp, run_scenarios};
use crate::own;
use serde_json::{Value, json};
use support::tools::are_available;
use support::{Api, Controller, TestDirectory, Tool, TotpProgram};

/// A name that only the browser finds.
const HOST: &str = "ctrl.example.test";
const PASSWORD: &str = "a-persons-password";

/// Runs scenarios of `browser/console.py` with the console of `console/page`.
#[track_caller]
fn drive(scenarios: &[&str]) {
    let tools = [Tool::Chromium, Tool::Curl, Tool::Openssl, Tool::Playwright];
    if !are_available(&tools) {
        return;
    }
    let site = TestDirectory::new();
    let page = own("console/page");
    let controller = site
        .quickstart()
        .with(["--ctrl-address", HOST, "--console", page.to_str().unwrap()])
        .start();
    let input = json!({
        "url": format!("{}/zac/", controller.url().replace("localhost", HOST)),
        "users": populate(&controller),
    });
    run_scenarios("browser/console.py", scenarios, &input);
    let logged = site.logged();
    assert!(!logged.contains("panicked"), "{logged}");
}

/// Anne is an administrator and has to give a code; Bert and Cleo may read services alone, Cleo with a code; Dora
/// has yet to set up what gives the codes. There is one service.
fn populate(controller: &Controller) -> Value {
    let admin = Api::admin(controller);
    let [anne, bert, cleo, dora] =
        ["anne", "bert", "cleo", "dora"].map(|name| admin.create_user(name, PASSWORD));
    change(&admin, &anne, &json!({"isAdmin": true}));
    for restricted in [&bert, &cleo] {
        change(
            &admin,
            restricted,
            &json!({"permissions": ["service.read"]}),
        );
    }
    let [anne_has, cleo_has] = [&anne, &cleo].map(|user| user.enroll_in_mfa(TotpProgram::Python));
    require_totp(&admin, &[&anne, &dora]);
    let service = json!({"name": "printer", "encryptionRequired": true});
    let _ = admin.send("POST", "/services", &service).expect_status(201);
    json!({
        "anne": {"password": PASSWORD, "secret": anne_has.app.secret()},
        "bert": {"password": PASSWORD, "secret": null},
        "cleo": {"password": PASSWORD, "secret": cleo_has.app.secret()},
        "dora": {"password": PASSWORD, "secret": null},
    })
}

#[test]
fn administrators_work_with_a_second_factor() {
    drive(&["administrator", "unenrolled"]);
}

#[test]
fn restricted_users_stay_logged_in() {
    drive(&["restricted", "restricted_with_code"]);
}

#[test]
fn tabs_share_a_session() {
    drive(&["tabs"]);
}
