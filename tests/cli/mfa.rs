//! One's own TOTP enrollment, from its start to its removal.

use crate::Session;
use crate::mfa_support::{AuthenticatorApp, MfaUser, recovery_codes};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use support::{Tool, run, tools};

#[test]
fn enrollment_is_started_verified_and_removed() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let nothing = json!({"isMfaRequired": false, "isMfaComplete": false, "isCodeMissing": false});
    assert_eq!(anna.state(), ("notEnrolled".to_owned(), nothing.clone()));

    let mut app = anna.start();
    assert_eq!(anna.state(), ("started".to_owned(), nothing));
    let again = anna.json(&["mfa", "enroll"]);
    let mut same = AuthenticatorApp::new(again["secret"].as_str().unwrap());
    let code = app.code();
    assert_eq!(same.code(), code, "an enrollment is gone on with");

    let wrong = anna.run(&["mfa", "verify", "--code", &app.wrong_code()]);
    let wrong = wrong.expect_code(1).stderr;
    assert!(wrong.contains("MFA_INVALID_TOKEN"), "{wrong}");
    assert!(
        wrong.contains("portcullis --profile anna mfa verify"),
        "{wrong}"
    );
    assert!(!wrong.contains(&app.wrong_code()), "{wrong}");
    let verify = ["mfa", "verify", "--code", &code];
    let file = ["--save-codes", "codes.txt"];
    let verified = anna.json(&[&verify[..], &file].concat());
    let codes = recovery_codes(&verified);
    assert_eq!(codes.len(), 20);
    let expected = json!({"state": "enrolled", "recoveryCodes": codes, "savedTo": "codes.txt"});
    assert_eq!(verified, expected);
    let file = session.site.file("codes.txt");
    assert_eq!(fs::read_to_string(&file).unwrap(), codes.join("\n") + "\n");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let complete = json!({"isMfaRequired": false, "isMfaComplete": true, "isCodeMissing": false});
    assert_eq!(anna.state(), ("enrolled".to_owned(), complete));

    let removed = anna.json(&["mfa", "remove", "--code", &app.code()]);
    assert_eq!(removed, json!({"removed": true, "wasEnrolled": true}));
    assert_eq!(anna.state().0, "notEnrolled");
    anna.log_in(&[]).success();
}

#[test]
fn people_are_told_what_to_do() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let started = anna.run(&["mfa", "enroll", "--show-url"]).success().text();
    let url = "\n  URL:      otpauth://totp/localhost:anna?issuer=localhost&secret=";
    let secret = started.split(url).nth(1).expect("there is a URL");
    let secret = secret.lines().next().unwrap();
    let groups: Vec<_> = secret.as_bytes().chunks(4).collect();
    let groups: Vec<_> = groups
        .iter()
        .map(|group| str::from_utf8(group).unwrap())
        .collect();
    let line = format!("\n  secret:   {}\n", groups.join(" "));
    assert!(started.contains(&line), "{started}");
    assert!(
        started.contains("\n  account:  localhost:anna\n"),
        "{started}"
    );
    assert!(started.ends_with("run `portcullis --profile anna mfa verify` with the first code.\n"));
    assert!(
        !started.contains(['█', '#']),
        "no picture goes into a pipe: {started}"
    );
    let hidden = anna.run(&["mfa", "enroll"]).success();
    assert!(!hidden.text().contains("otpauth"), "{}", hidden.text());
    let status = anna.run(&["mfa", "status"]).success().text();
    assert!(
        status.contains("started, awaiting the first code"),
        "{status}"
    );
    assert!(
        status.ends_with("next: portcullis --profile anna mfa verify\n"),
        "{status}"
    );

    let mut app = AuthenticatorApp::new(secret);
    let verified = anna.run(&["mfa", "verify", "--code", &app.code()]);
    let verified = verified.success().text();
    assert!(verified.contains("You are enrolled"), "{verified}");
    assert!(!verified.contains("saved"), "nothing was saved: {verified}");
    let codes = verified.lines().take(4);
    assert!(
        codes
            .clone()
            .all(|line| line.split_whitespace().count() == 5)
    );
    let status = anna.run(&["mfa", "status"]).success().text();
    assert!(status.contains("state:    enrolled\n"), "{status}");
    assert!(status.contains("a code was accepted"), "{status}");
}

#[test]
fn what_does_not_fit_the_state_is_refused() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    for (arguments, told) in [
        (
            &["verify", "--code", "123456"][..],
            "no enrollment was started",
        ),
        (&["codes", "--code", "123456"], "you are not enrolled"),
        (&["new-codes", "--code", "123456"], "you are not enrolled"),
        (&["remove", "--code", "123456"], "you are not enrolled"),
        (
            &["enroll", "--code", "123456"],
            "no enrollment was started, so there is nothing to verify",
        ),
    ] {
        let refused = anna.run(&[&["mfa"], arguments].concat()).expect_code(1);
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
        assert!(
            refused
                .stderr
                .contains("portcullis --profile anna mfa enroll"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(anna.state().0, "notEnrolled");

    let mut app = anna.start();
    for command in ["codes", "new-codes"] {
        let refused = anna
            .run(&["mfa", command, "--code", "123456"])
            .expect_code(1);
        assert!(
            refused.stderr.contains("not finished"),
            "{}",
            refused.stderr
        );
    }
    let unasked = anna.run(&["mfa", "remove", "--code", &app.wrong_code()]);
    let unasked = unasked.expect_code(2).stderr;
    assert!(unasked.contains("--yes"), "{unasked}");
    assert_eq!(anna.state().0, "started");
    let removed = anna.json(&["mfa", "remove", "--yes"]);
    assert_eq!(removed, json!({"removed": true, "wasEnrolled": false}));

    app = anna.start();
    anna.json(&["mfa", "enroll", "--code", &app.code()]);
    for command in [&["enroll"][..], &["verify", "--code", "123456"]] {
        let refused = anna.run(&[&["mfa"], command].concat()).expect_code(1);
        let told = "you are already enrolled";
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    let kept = anna.run(&["mfa", "remove", "--yes", "--code", &app.wrong_code()]);
    kept.expect_code(1);
    assert_eq!(anna.state().0, "enrolled");
}

#[test]
fn codes_that_are_none_are_not_sent_and_not_repeated() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let (_, codes) = anna.enroll();
    let lower = codes[0].to_lowercase();
    fs::write(session.site.file("empty"), "\n").unwrap();
    for code in ["12345", "1234567", "+12345", "１２３４５６", "12a456", ""] {
        let refused = anna.run(&["mfa", "codes", "--code", code]).expect_code(2);
        assert!(refused.stderr.contains("six digits"), "{}", refused.stderr);
        assert!(
            code.is_empty() || !refused.stderr.contains(code),
            "{}",
            refused.stderr
        );
    }
    let both = ["--code", "123456", "--code-file", "x"];
    for (arguments, told) in [
        (&both[..], "cannot be used with"),
        (&["--code-file", "empty"], "empty contains no code"),
        (&[], "there is no terminal"),
        (&["--force"], "--save-codes"),
        (&["--save-codes", "-"], "it must be a file"),
    ] {
        let line = [&["mfa", "codes"], arguments].concat();
        let refused = anna.run(&line).expect_code(2).stderr;
        assert!(refused.contains(told), "{line:?}: {refused}");
    }
    anna.run(&["mfa", "codes", "--code-file", "missing"])
        .expect_code(1);
    let save = ["mfa", "enroll", "--save-codes", "x"];
    session.run(&save).expect_code(2);
    let status = session.json(&["mfa", "status"]);
    assert_eq!(status["state"], "notEnrolled", "it was not even started");
    // As people write them down.
    let left = anna.json(&["mfa", "codes", "--code", &lower]);
    assert_eq!(recovery_codes(&left), codes[1..]);
}

#[test]
fn recovery_codes_are_shown_and_replaced() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let (mut app, codes) = anna.enroll();
    fs::write(session.site.file("there.txt"), "precious").unwrap();
    for file in ["there.txt", "missing/codes.txt", "."] {
        let line = [
            "mfa",
            "new-codes",
            "--code",
            &codes[0],
            "--save-codes",
            file,
        ];
        anna.run(&line).expect_code(1);
    }
    let there = fs::read_to_string(session.site.file("there.txt")).unwrap();
    assert_eq!(there, "precious");
    let left = anna.json(&["mfa", "codes", "--code", &codes[0]]);
    let left = recovery_codes(&left);
    assert_eq!(left, codes[1..], "nothing was done before");
    let replayed = anna
        .run(&["mfa", "codes", "--code", &codes[0]])
        .expect_code(1);
    assert!(
        replayed.stderr.contains("each code works once"),
        "{}",
        replayed.stderr
    );

    let line = ["mfa", "new-codes", "--save-codes", "there.txt", "--force"];
    let code = app.code();
    let told = anna
        .run(&[&line[..], &["--code", &code]].concat())
        .success();
    assert!(
        told.text().contains("They are saved in there.txt.\n"),
        "{}",
        told.text()
    );
    let fresh = fs::read_to_string(session.site.file("there.txt")).unwrap();
    let fresh: Vec<_> = fresh.lines().collect();
    assert_eq!(fresh.len(), 20);
    assert!(fresh.iter().all(|code| told.text().contains(code)));
    assert!(codes.iter().all(|code| !fresh.contains(&code.as_str())));
    anna.run(&["mfa", "codes", "--code", &codes[1]])
        .expect_code(1);

    // A recovery code does as well.
    let newest = anna.json(&["mfa", "new-codes", "--code-file", "there.txt"]);
    let newest = recovery_codes(&newest);
    assert_eq!(newest.len(), 20);
    anna.json(&["mfa", "remove", "--code", &newest[19]]);
}

#[test]
fn qr_code_is_written_as_a_picture() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let enroll = ["mfa", "enroll", "--no-qr", "--qr", "code.png"];
    let told = anna.run(&enroll).success();
    assert!(
        told.stderr.contains("The QR code is in code.png."),
        "{}",
        told.stderr
    );
    let file = session.site.file("code.png");
    assert!(fs::read(&file).unwrap().starts_with(b"\x89PNG\r\n"));
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    anna.run(&enroll).expect_code(1);
    anna.run(&[&enroll[..], &["--force"]].concat()).success();
    if !tools::are_available(&[Tool::Zbarimg]) {
        return;
    }
    let url = anna.json(&["mfa", "enroll"])["provisioningUrl"].clone();
    let read = run(Command::new("zbarimg")
        .args(["--quiet", "--raw"])
        .arg(&file));
    assert_eq!(read.success().text().trim_end(), url.as_str().unwrap());
}

#[test]
fn codes_of_another_program_are_taken() {
    if !tools::are_available(&[Tool::Oathtool]) {
        return;
    }
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let started = anna.json(&["mfa", "enroll"]);
    let secret = started["secret"].as_str().unwrap();
    let code = run(Command::new("oathtool").args(["--totp", "--base32", secret]));
    fs::write(session.site.file("code"), code.success().text()).unwrap();
    let verified = anna.json(&["mfa", "verify", "--code-file", "code"]);
    assert_eq!(verified["state"], "enrolled");
}
