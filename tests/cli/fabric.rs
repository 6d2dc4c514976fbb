//! The network at the moment, in which no router is connected.

use crate::Session;
use crate::terminal::{GIVE_UP, Terminal};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Stdio};
use support::{Tool, binaries, command, tools};

/// A list that is watched by a program.
struct Watch {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watch {
    fn start(session: &Session, arguments: &[&str]) -> Self {
        let mut line = session.command(&binaries::cli());
        line.args(arguments).stdout(Stdio::piped());
        let mut child = line.spawn().unwrap();
        let output = child.stdout.take().unwrap();
        Self {
            child,
            lines: BufReader::new(output).lines(),
        }
    }

    /// The next line.
    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Interrupts it; answers the exit code.
    fn end(mut self) -> i32 {
        command::signal(&self.child, "INT");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

#[test]
fn routers_and_terminators_are_seen_from_the_fabric() {
    let session = Session::logged_in();
    session.json(&["transit-router", "create", "r1", "--cost", "7"]);
    session.json(&["service", "create", "wiki"]);
    let made = session.json(&["terminator", "create", "wiki", "r1", "tcp:localhost:80"]);
    let id = made["id"].as_str().unwrap();
    let router = session.json(&["fabric", "router", "show", "r1"]);
    assert_eq!(
        (&router["connected"], &router["cost"]),
        (&json!(false), &json!(7))
    );
    assert_eq!(session.json(&["fabric", "routers", "ls"]), json!([router]));
    let filter = ["--filter", "connected = true"];
    let online = session.json(&[&["fabric", "router", "list"][..], &filter].concat());
    assert_eq!(online, json!([]));
    let terminator = session.json(&["fabric", "terminator", "show", id]);
    assert_eq!(terminator["dynamicCost"], 0);
    assert_snapshot!(session.transcript(&[
        "fabric router list --columns name,connected,cost",
        "fabric terminator list --columns service,router,address,cost,dynamicCost",
        "fabric link list",
        "fabric circuit list --all",
        "fabric link list --filter 'state = \"Connected\"' --sort 'cost desc'",
        "fabric circuit list x --filter 'createdAt > datetime(2031-01-02T03:04:05Z)'",
        "fabric link show nowhere",
        "fabric link update nowhere --cost 5",
        "fabric link update nowhere",
        "fabric link update nowhere --up --down",
        "fabric circuit delete nowhere",
        "fabric link list --filter 'down = true'",
    ]), @r#"
    $ portcullis fabric router list --columns name,connected,cost
    NAME  STATE    COST
    r1    offline  7
    1 router
    [0]
    $ portcullis fabric terminator list --columns service,router,address,cost,dynamicCost
    SERVICE  ROUTER  ADDRESS           COST  DYNAMIC
    wiki     r1      tcp:localhost:80  0     0
    1 terminator
    [0]
    $ portcullis fabric link list
    no links
    [0]
    $ portcullis fabric circuit list --all
    no circuits
    [0]
    $ portcullis fabric link list --filter 'state = "Connected"' --sort 'cost desc'
    no links
    [0]
    $ portcullis fabric circuit list x --filter 'createdAt > datetime(2031-01-02T03:04:05Z)'
    no circuits
    [0]
    $ portcullis fabric link show nowhere
    error: the controller refused: Nothing was found under this path or id (NOT_FOUND): link with id nowhere not found
    hint: `portcullis fabric link list` shows the ids
    request id: REQUEST
    [1]
    $ portcullis fabric link update nowhere --cost 5
    error: the controller refused: Nothing was found under this path or id (NOT_FOUND): link with id nowhere not found
    hint: `portcullis fabric link list` shows the ids
    request id: REQUEST
    [1]
    $ portcullis fabric link update nowhere
    error: nothing to change: no options were given
    hint: see `portcullis fabric link update --help`
    [2]
    $ portcullis fabric link update nowhere --up --down
    error: the argument '--up' cannot be used with '--down'

    Usage: portcullis fabric link update --up <ID>

    For more information, try '--help'.
    [2]
    $ portcullis fabric circuit delete nowhere
    error: the controller refused: Nothing was found under this path or id (NOT_FOUND): circuit with id nowhere not found
    hint: `portcullis fabric circuit list` shows the ids
    request id: REQUEST
    [1]
    $ portcullis fabric link list --filter 'down = true'
    error: the controller refused: The filter is not valid (INVALID_FILTER): line 1, column 1: unknown field `down`
      down = true
      ^^^^
    hint: filters look like `name contains "lap" and isAdmin = false`
    request id: REQUEST
    [1]
    "#);
    session
        .run(&["fabric", "terminator", "delete", id])
        .success();
    session.run(&["fabric", "router", "delete", "r1"]).success();
    assert_eq!(session.json(&["fabric", "router", "list"]), json!([]));
}

#[test]
fn a_watched_list_tells_programs_what_is_new_changed_and_gone() {
    let session = Session::logged_in();
    session.json(&["transit-router", "create", "r1"]);
    let list = ["fabric", "router", "list", "--watch=1"];
    let columns = ["--columns", "name,cost"];
    let mut table = Watch::start(&session, &[&list[..], &columns].concat());
    let mut json = Watch::start(&session, &[&list[..], &["-o", "json"]].concat());
    let mut names = Watch::start(&session, &[&list[..], &["-o", "name"]].concat());
    let mut next = || {
        let change: Value = serde_json::from_str(&json.line()).unwrap();
        let name = change["entity"]["name"].as_str().unwrap();
        let change = change["change"].as_str().unwrap();
        (table.line(), format!("{change} {name}"), names.line())
    };
    let told =
        |row: &str, change: &str, name: &str| (row.to_owned(), change.to_owned(), name.to_owned());
    assert_eq!(next(), told("+ r1  0", "new r1", "r1"));
    session.json(&["transit-router", "update", "r1", "--cost", "9"]);
    assert_eq!(next(), told("~ r1  9", "changed r1", "r1"));
    session.json(&["transit-router", "create", "r2"]);
    assert_eq!(next(), told("+ r2  0", "new r2", "r2"));
    let gone = session.json(&["transit-router", "show", "r1"]);
    session.run(&["transit-router", "delete", "r1"]).success();
    let id = gone["id"].as_str().unwrap();
    assert_eq!(next(), told("- r1  9", "gone r1", id));
    for watch in [table, json, names] {
        assert_eq!(watch.end(), 130);
    }
}

#[test]
fn a_watched_list_is_redrawn_at_a_terminal() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    session.json(&["transit-router", "create", "first"]);
    let mut terminal = Terminal::start(&session, "fabric router list --watch=1");
    terminal.answer("first", "");
    session.json(&["transit-router", "create", "second"]);
    terminal.answer("second", GIVE_UP);
    let (code, shown) = terminal.end();
    assert_eq!(code, 130, "{shown:?}");
    assert!(shown.contains("2 routers"), "{shown:?}");
    assert!(shown.matches("\u{1b}[H").count() >= 2, "{shown:?}");
}
