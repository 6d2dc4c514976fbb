//! What administrators see and do about the TOTP enrollments of others.

use crate::Session;
use crate::mfa_support::MfaUser;
use serde_json::json;

#[test]
fn enrollment_is_seen_and_removed_by_an_administrator() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    session.json(&["identity", "create", "bert"]);
    let show = ["identity", "show", "anna"];
    assert_eq!(session.json(&show)["isMfaEnabled"], false);
    assert!(!session.run(&show).success().text().contains("TOTP"));
    anna.enroll();
    assert_eq!(session.json(&show)["isMfaEnabled"], true);
    let shown = session.run(&show).success().text();
    assert!(shown.contains("TOTP:"), "{shown}");
    let list = session.run(&["identity", "list"]).success().text();
    let lines: Vec<_> = list.lines().filter(|line| line.contains("yes")).collect();
    assert!(lines.iter().any(|line| line.contains("anna")), "{list}");
    assert!(lines.iter().all(|line| !line.contains("bert")), "{list}");
    let sessions = ["session", "list", "--identity", "anna"];
    let sessions = session.run(&sessions).success().text();
    assert!(sessions.contains("passed"), "{sessions}");

    let remove = ["identity", "mfa-remove"];
    let unasked = session.run(&[&remove[..], &["anna", "bert"]].concat());
    assert!(unasked.expect_code(2).stderr.contains("--yes"));
    let missing = session.run(&[&remove[..], &["anna", "nobody", "--yes"]].concat());
    assert!(missing.expect_code(1).stderr.contains("no identity with"));
    session.run(&remove).expect_code(2);
    let refused = anna.run(&[&remove[..], &["bert"]].concat());
    refused.expect_code(1);
    assert_eq!(anna.state().0, "enrolled");

    let both = session.json(&[&remove[..], &["anna", "bert", "anna", "--yes"]].concat());
    let removed = both["removed"].as_array().unwrap();
    let removed: Vec<_> = removed
        .iter()
        .map(|one| (&one["name"], &one["wasEnabled"]))
        .collect();
    let expected = [
        (&json!("anna"), &json!(true)),
        (&json!("bert"), &json!(false)),
    ];
    assert_eq!(removed, expected);
    assert_eq!(session.json(&show)["isMfaEnabled"], false);
    anna.log_in(&[]).success();
    // A single one that is named is not asked about.
    anna.enroll();
    let id = session.json(&show)["id"].as_str().unwrap().to_owned();
    let told = session.run(&[&remove[..], &[id.as_str()]].concat());
    assert!(told.success().text().contains("was enrolled"));
    assert_eq!(anna.state().0, "notEnrolled");
}

/// Each further wrong code makes the wait longer, so in the end somebody is told to wait however
/// slow the machine is.
#[test]
fn wait_after_wrong_codes_is_told_and_ends_with_a_removal() {
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let (app, codes) = anna.enroll();
    let wrong = app.wrong_code();
    let attempt = ["mfa", "codes", "--code", &wrong];
    let mut counted = 0;
    let held = loop {
        let refused = anna.run(&attempt).expect_code(1).stderr;
        if !refused.contains("MFA_INVALID_TOKEN") {
            break refused;
        }
        counted += 1;
        assert!(counted < 12, "{refused}");
    };
    assert!(counted >= 5, "{counted} are free");
    assert!(held.contains("SERVER_TOO_MANY_REQUESTS"), "{held}");
    assert!(held.contains("hint: try again in "), "{held}");
    assert!(held.contains("makes the wait longer"), "{held}");

    // Wrong codes in the way of a login leave no session.
    let before = anna.sessions();
    anna.log_in(&["--totp", &wrong]).expect_code(1);
    assert_eq!(anna.sessions(), before);
    session.run(&["identity", "mfa-remove", "anna"]).success();
    let (_, fresh) = anna.enroll();
    assert!(fresh.iter().all(|code| !codes.contains(code)));
    anna.run(&["mfa", "codes", "--code", &fresh[0]]).success();
}
