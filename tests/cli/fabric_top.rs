//! The network on one screen.

use crate::Session;
use crate::terminal::{GIVE_UP, Terminal};
use serde_json::json;
use support::{Tool, tools};

const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";

#[test]
fn programs_get_the_tables_once() {
    let session = Session::logged_in();
    session.json(&["transit-router", "create", "lisbon"]);
    let once = ["fabric", "top", "--once"];
    let document = session.json(&once);
    assert_eq!(document["routers"][0]["name"], "lisbon");
    assert_eq!(document["routers"][0]["state"], "offline");
    assert_eq!(document["routers"][0]["edgeIn"], json!(null));
    assert_eq!(document["circuitCount"], 0);
    let shown = session.run(&once).success().text();
    assert_eq!(
        shown,
        "ROUTER  STATE    SINCE  LINKS  EDGE IN  EDGE OUT  LINKS IN  LINKS OUT\n\
         lisbon  offline         0      ?        ?         ?         ?\n\
         1 router, 0 online\n\n0 links\n\n0 circuits\n"
    );
    let refused = session.run(&["fabric", "top"]).expect_code(2).stderr;
    assert!(
        refused.contains("`portcullis fabric top --once`"),
        "{refused}"
    );
}

#[test]
fn a_terminal_is_left_as_it_was() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    let mut terminal = Terminal::start(&session, "fabric top --interval 1");
    terminal.answer("0 routers, 0 online", "");
    session.json(&["transit-router", "create", "lisbon"]);
    terminal.answer("1 router, 0 online", GIVE_UP);
    let (code, shown) = terminal.end();
    assert_eq!(code, 130, "{shown:?}");
    assert_eq!(shown.matches(ENTER).count(), 1, "{shown:?}");
    let left = shown.find(LEAVE).expect("the screen is left");
    assert!(shown[left..].contains("cancelled"), "{shown:?}");
}

#[test]
fn a_session_that_ends_is_told_below_the_former_screen() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    let mut terminal = Terminal::start(&session, "fabric top --interval 1");
    terminal.answer("0 routers, 0 online", "");
    session.run(&["logout"]).success();
    let (code, shown) = terminal.end();
    assert_eq!(code, 3, "{shown:?}");
    let left = shown.find(LEAVE).expect("the screen is left");
    let told = "the session has expired";
    assert!(shown[left..].contains(told), "{shown:?}");
}
