//! Codes that are asked for at a terminal.

use crate::Session;
use crate::mfa_support::{AuthenticatorApp, MfaUser};
use crate::session::PASSWORD;
use crate::terminal::{END, GIVE_UP, Terminal};
use support::{Tool, tools};

const QUESTION: &str = "TOTP or recovery code:";
const FIRST: &str = "First code of the app:";

fn line(text: &str) -> String {
    format!("{text}\n")
}

#[test]
fn login_asks_for_a_code_three_times() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let (app, codes) = anna.enroll();
    anna.run(&["logout"]).success();
    let ask = || {
        let password = [("PORTCULLIS_PASSWORD", PASSWORD)];
        Terminal::with_environment(&session, "login --profile anna", &password)
    };

    let mut terminal = ask();
    for code in [app.wrong_code(), "12345".to_owned(), "AAAAAA".to_owned()] {
        terminal.answer(QUESTION, &line(&code));
    }
    let (code, shown) = terminal.end();
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("Try the next one"), "{shown}");
    assert!(shown.contains("That code is malformed"), "{shown}");
    assert!(shown.contains("MFA_INVALID_TOKEN"), "{shown}");
    assert_eq!(shown.matches(QUESTION).count(), 3, "{shown}");
    assert_eq!(anna.sessions(), 0, "the session was ended");
    anna.run(&["whoami"]).expect_code(3);

    for (keys, exit, told) in [(END, 1, "no answer was given"), (GIVE_UP, 130, "cancelled")] {
        let mut terminal = ask();
        terminal.answer(QUESTION, keys);
        let (code, shown) = terminal.end();
        assert_eq!(code, exit, "{shown}");
        assert!(shown.contains(told), "{shown}");
        assert_eq!(anna.sessions(), 0, "the session was ended");
    }

    let mut terminal = ask();
    terminal.answer(QUESTION, &line(&app.wrong_code()));
    terminal.answer(QUESTION, &line(&codes[0].to_lowercase()));
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    anna.run(&["whoami"]).success();
}

#[test]
fn enrollment_is_led_through_at_a_terminal() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    let enroll = "mfa enroll --profile anna --save-codes codes.txt";
    let utf8 = [("LANG", "C.UTF-8")];
    let mut terminal = Terminal::with_environment(&session, enroll, &utf8);
    terminal.answer(FIRST, END);
    let (code, shown) = terminal.end();
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("████"), "there is a QR code: {shown}");
    assert!(shown.contains("the enrollment is still started"), "{shown}");
    assert!(
        !session.site.file("codes.txt").exists(),
        "nothing is left lying"
    );
    assert_eq!(anna.state().0, "started");

    let mut terminal = Terminal::start(&session, enroll);
    terminal.answer(FIRST, &line("AB2C3D"));
    let secret = terminal.shown();
    let secret = secret
        .split("secret:")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    let mut app = AuthenticatorApp::new(&secret.replace([' ', '\r'], ""));
    terminal.answer(FIRST, &line(&app.wrong_code()));
    terminal.answer(FIRST, &line(&app.code()));
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Continuing the enrollment"), "{shown}");
    assert!(
        shown.contains("####") && !shown.contains('█'),
        "in ASCII: {shown}"
    );
    assert!(shown.contains("They are saved in codes.txt."), "{shown}");
    assert_eq!(anna.state().0, "enrolled");

    let bare = "mfa codes --profile anna --output json";
    let mut terminal = Terminal::start(&session, bare);
    terminal.answer("Code:", &line(&app.code()));
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert_eq!(shown.matches('"').count(), 6 + 40, "{shown}");
}

#[test]
fn unfinished_enrollment_is_removed_after_a_question() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    let anna = MfaUser::new(&session);
    anna.start();
    let question = "Remove the started enrollment?";
    for (answer, exit, state) in [("n\n", 1, "started"), ("y\n", 0, "notEnrolled")] {
        let mut terminal = Terminal::start(&session, "mfa remove --profile anna");
        terminal.answer(question, answer);
        let (code, shown) = terminal.end();
        assert_eq!(code, exit, "{shown}");
        assert_eq!(anna.state().0, state);
    }
}
