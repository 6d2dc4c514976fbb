//! Looking into controllers and routers, and whether they agree.

use crate::Session;
use serde_json::{Value, json};

/// What a command prints as JSON, and its exit code.
pub(crate) fn document(session: &Session, arguments: &[&str]) -> (Value, i32) {
    let output = session.run(&[arguments, &["-o", "json"]].concat());
    let document = serde_json::from_str(&output.text());
    let document = document.unwrap_or_else(|_| panic!("{}{}", output.text(), output.stderr));
    (document, output.code())
}

#[test]
fn values_of_the_controller_are_shown_and_what_is_missing_is_named() {
    let session = Session::logged_in();
    let names = ["fabric", "inspect", "connected-routers", "terminator-costs"];
    let (told, code) = document(&session, &names);
    assert_eq!(code, 0);
    assert_eq!(told["success"], true);
    let values = told["values"].as_array().unwrap();
    assert_eq!(values.len(), 2);
    assert_eq!(values[0]["name"], "connected-routers");
    assert_eq!(values[0]["value"], Value::Null);
    let controller = values[0]["appId"].as_str().unwrap();
    let shown = session.run(&names).success().text();
    assert_eq!(
        shown,
        format!(
            "{controller} connected-routers\n  none\n{controller} terminator-costs\n  terminators: []\n2 values\n"
        )
    );
    let (told, _) = document(&session, &["fabric", "inspect", "config"]);
    let config = &told["values"][0]["value"];
    assert_eq!(config["v"], 3, "{told}");
    assert!(config["web"][0]["bindPoints"].is_array(), "{told}");
    assert!(!told.to_string().contains("PRIVATE KEY"));
    // Part of it is there.
    let output = session.run(&["fabric", "inspect", "connected-routers", "bogus"]);
    assert_eq!(output.code(), 1);
    assert!(output.text().contains("connected-routers\n  none\n"));
    assert!(output.stderr.starts_with("warning: "), "{}", output.stderr);
    assert!(output.stderr.contains("bogus"), "{}", output.stderr);

    let nobody = ["fabric", "inspect", "links", "--app", "^nobody$"];
    let output = session.run(&nobody).success();
    assert!(output.stderr.contains("nobody has told anything"));
    let broken = ["fabric", "inspect", "links", "--app", "("];
    session.run(&broken).expect_code(1);
}

#[test]
fn network_without_routers_is_fine_and_a_router_that_is_not_connected_is_found() {
    let session = Session::logged_in();
    let (report, code) = document(&session, &["fabric", "doctor"]);
    let checks = report["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 7);
    for check in checks {
        assert_eq!(check["result"], "fine", "{check}");
    }
    assert_eq!((&report["isHealthy"], code), (&json!(true), 0));
    assert_eq!(report["findings"], json!([]));

    session.json(&["transit-router", "create", "lisbon"]);
    let (report, code) = document(&session, &["fabric", "doctor"]);
    assert_eq!((&report["isHealthy"], code), (&json!(false), 1));
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0]["router"]["name"], "lisbon");
    let shown = session.run(&["fabric", "doctor"]).expect_code(1).text();
    let problem =
        "\nrouter `lisbon`: it is not connected, and was not since the controller started\n";
    assert!(shown.contains(problem), "{shown}");
    assert!(shown.contains("\n1 problem"), "{shown}");
}

#[test]
fn doctor_is_for_those_who_may_open_the_channel() {
    let session = Session::logged_in();
    session.run(&["logout"]).success();
    session.run(&["fabric", "doctor"]).expect_code(3);
}
