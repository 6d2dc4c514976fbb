//! Logins that take a code.

use crate::Session;
use crate::mfa_support::{AuthenticatorApp, MfaUser, complete_sessions};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use support::{binaries, command, run, wait};

#[test]
fn login_takes_a_code_once() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let (mut app, codes) = anna.enroll();
    anna.run(&["logout"]).success();
    let code = app.code();
    anna.log_in(&["--totp", &code]).success();
    assert_eq!(anna.json(&["whoami"])["session"]["pending"], json!([]));
    anna.run(&["logout"]).success();

    for (arguments, exit, told) in [
        (&["--totp", &code][..], 1, "MFA_INVALID_TOKEN"),
        (&["--totp", &app.wrong_code()], 1, "each code works once"),
        (&["--recovery-code", "AAAAAA"], 1, "MFA_INVALID_TOKEN"),
        (&[], 2, "the login needs a code from your app"),
        (&[], 2, "`--code-file FILE`"),
        (&["--totp", &codes[0]], 2, "six digits"),
        (&["--recovery-code", &code], 2, "six letters and digits"),
        (&["--totp", "12345"], 2, "six digits"),
        (
            &["--totp", &code, "--recovery-code", &codes[0]],
            2,
            "cannot be used with",
        ),
        (
            &["--password-file", "-", "--code-file", "-"],
            2,
            "only one of",
        ),
    ] {
        let refused = anna.log_in(arguments).expect_code(exit);
        assert!(
            refused.stderr.contains(told),
            "{arguments:?}: {}",
            refused.stderr
        );
        assert_eq!(refused.text(), "", "{arguments:?}");
        assert_eq!(anna.sessions(), 0, "{arguments:?}: nothing stays behind");
        anna.run(&["whoami"]).expect_code(3);
    }

    anna.log_in(&["--recovery-code", &codes[0]]).success();
    anna.run(&["whoami"]).success();
    anna.log_in(&["--recovery-code", &codes[0]]).expect_code(1);
    anna.run(&["whoami"]).success();
}

#[test]
fn codes_come_from_files_and_from_the_environment() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let (_, codes) = anna.enroll();
    fs::write(session.site.file("code"), format!("{}\nrest\n", codes[0])).unwrap();
    anna.log_in(&["--code-file", "code"]).success();
    let login = ["login", "--profile", "anna"];
    let mut from_input = session.command(&binaries::cli());
    from_input.args(login).args(["--code-file", "-"]);
    let line = format!("{}\n", codes[1]);
    command::run_with(&mut from_input, line.as_bytes(), wait::DEFAULT_TIMEOUT).success();
    let mut from_environment = session.command(&binaries::cli());
    from_environment
        .args(login)
        .env("PORTCULLIS_CODE", &codes[2]);
    run(&mut from_environment).success();
    // An argument goes before the environment.
    let code_file = ["--code-file", "code"];
    run(from_environment.args(code_file)).expect_code(1);
    // Who needs no code is not kept from logging in by one.
    let login = ["login", "--totp", "123456"];
    session.run(&login).success();
}

#[test]
fn variable_is_judged_when_a_code_is_asked_for() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let odd = |arguments: &[&str]| {
        let mut line = session.command(&binaries::cli());
        let odd = OsStr::from_bytes(b"no code \xff");
        run(line.args(arguments).env("PORTCULLIS_CODE", odd))
    };
    anna.run(&["logout"]).success();
    odd(&["login", "--profile", "anna"]).success();
    anna.start();
    odd(&["mfa", "remove", "--yes", "--profile", "anna"]).success();
    anna.enroll();
    anna.run(&["logout"]).success();
    let mut line = session.command(&binaries::cli());
    line.args(["login", "--profile", "anna"])
        .env("PORTCULLIS_CODE", "12345x7");
    let refused = run(&mut line).expect_code(2).stderr;
    assert!(
        refused.contains("PORTCULLIS_CODE is malformed"),
        "{refused}"
    );
    assert!(!refused.contains("12345x7"), "{refused}");
    assert_eq!(anna.sessions(), 0, "nothing stays behind");
    let refused = odd(&["login", "--profile", "anna"]).expect_code(2).stderr;
    assert!(refused.contains("is not valid UTF-8"), "{refused}");
    assert_eq!(anna.sessions(), 0, "nothing stays behind");
}

#[test]
fn policy_that_demands_a_code_leads_to_an_enrollment() {
    let session = Session::logged_in();
    session.json(&["auth-policy", "create", "strict", "--require-totp", "true"]);
    let anna = MfaUser::under(&session, "strict");
    let login = anna.log_in(&["--output", "json"]).success();
    assert!(
        login.stderr.contains("you are not enrolled yet"),
        "{}",
        login.stderr
    );
    let document: serde_json::Value = serde_json::from_slice(&login.stdout).unwrap();
    assert_eq!(document["pending"], json!(["MFA"]));
    let login = anna.log_in(&["--totp", "123456"]).success().text();
    assert!(
        login.ends_with("next: portcullis --profile anna mfa enroll\n"),
        "{login}"
    );

    let refused = anna.run(&["whoami"]).expect_code(1).stderr;
    assert!(refused.contains("needs another factor: MFA"), "{refused}");
    assert!(
        refused.contains("`portcullis --profile anna mfa enroll`"),
        "{refused}"
    );
    assert!(!refused.contains("log in again"), "{refused}");
    let (state, held) = anna.state();
    assert_eq!(
        (state.as_str(), &held["isCodeMissing"]),
        ("notEnrolled", &json!(true))
    );
    let status = anna.run(&["mfa", "status"]).success().text();
    assert!(status.contains("your auth policy requires it"), "{status}");
    assert!(
        status.ends_with("next: portcullis --profile anna mfa enroll\n"),
        "{status}"
    );

    // What was only started can be dropped, even so.
    anna.start();
    anna.run(&["mfa", "remove", "--yes"]).success();
    let (mut app, _) = anna.enroll();
    assert_eq!(anna.json(&["whoami"])["session"]["pending"], json!([]));
    assert_eq!(anna.state().1["isCodeMissing"], false);
    anna.log_in(&[]).expect_code(2);
    anna.log_in(&["--totp", &app.code()]).success();
}

#[test]
fn session_that_a_new_policy_has_made_partial_says_so() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    // Enrolled through another session: this one never showed a code.
    let ca = session.controller.ca();
    let login = ["login", session.controller.url(), "--username", "anna"];
    let rest = ["--ca", ca.to_str().unwrap(), "--profile", "second"];
    session.run(&[&login[..], &rest].concat()).success();
    let second = |line: &[&str]| session.json(&[line, &["--profile", "second"]].concat());
    let started = second(&["mfa", "enroll"]);
    let mut app = AuthenticatorApp::new(started["secret"].as_str().unwrap());
    second(&["mfa", "verify", "--code", &app.code()]);
    anna.run(&["whoami"]).success();

    session.json(&["auth-policy", "create", "strict", "--require-totp", "true"]);
    session.json(&["identity", "update", "anna", "--auth-policy", "strict"]);
    session.run(&["whoami", "--profile", "second"]).success();
    let refused = anna.run(&["whoami"]).expect_code(1).stderr;
    assert!(refused.contains("needs another factor: MFA"), "{refused}");
    assert!(refused.contains("log in again with"), "{refused}");
    let status = anna.run(&["mfa", "status"]).success().text();
    assert!(
        status.ends_with("next: portcullis --profile anna login\n"),
        "{status}"
    );
    let code = app.code();
    anna.run(&["mfa", "remove", "--code", &code]).expect_code(1);
    anna.run(&["login", "--totp", &code]).success();
}

#[test]
fn identity_files_are_used_with_codes() {
    let session = Session::logged_in();
    let create = ["identity", "create", "anna", "--output-jwt", "anna.jwt"];
    session.run(&create).success();
    session.run(&["enroll", "anna.jwt"]).success();
    let file = ["--identity", "anna.json"];
    let login = [&["login", "--profile", "anna"], &file[..]].concat();
    session.run(&login).success();
    let started = session.json(&["mfa", "enroll", "--profile", "anna"]);
    let mut app = AuthenticatorApp::new(started["secret"].as_str().unwrap());
    let verify = ["mfa", "verify", "--code", &app.code(), "--profile", "anna"];
    let save = ["--save-codes", "codes.txt"];
    session.run(&[&verify[..], &save].concat()).success();
    let codes = fs::read_to_string(session.site.file("codes.txt")).unwrap();
    let mut codes = codes.lines();
    session.run(&["logout", "--profile", "anna"]).success();

    for command in [
        &login[..],
        &["whoami", file[0], file[1]],
        &["renew", file[0], file[1]],
    ] {
        for (code, exit) in [
            (&[][..], 2),
            (&["--totp", &app.wrong_code()], 1),
            (&["--recovery-code", codes.next().unwrap()], 0),
        ] {
            let line = [command, code].concat();
            let outcome = session.run(&line).expect_code(exit);
            assert!(exit == 0 || outcome.stderr.contains("hint: "), "{line:?}");
        }
        session.run(&["logout", "--profile", "anna"]);
        assert_eq!(complete_sessions(&session), 0, "{command:?}");
    }
    // What was renewed is good.
    let whoami = ["whoami", file[0], file[1], "--totp", &app.code()];
    let who = session.json(&whoami);
    assert_eq!(
        (&who["name"], &who["session"]["pending"]),
        (&json!("anna"), &json!([]))
    );
    session.run(&["whoami", "--totp", "123456"]).expect_code(2);
}
