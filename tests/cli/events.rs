//! Events that are followed.

use crate::Session;
use crate::terminal::{GIVE_UP, Terminal};
use insta::assert_snapshot;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::process::{Child, ChildStderr, ChildStdout, Stdio};
use support::{Tool, binaries, command, tools};

/// A program that follows events.
struct Follower {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    stderr: BufReader<ChildStderr>,
}

impl Follower {
    fn start(session: &Session, arguments: &[&str]) -> Self {
        let mut line = session.command(&binaries::cli());
        line.args(["events", "--follow"]).args(arguments);
        line.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = line.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let stderr = child.stderr.take().unwrap();
        Self {
            child,
            lines: BufReader::new(stdout).lines(),
            stderr: BufReader::new(stderr),
        }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// The next event that is as wanted.
    fn event(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = serde_json::from_str(&self.line()).unwrap();
            if is_wanted(&event) {
                return event;
            }
        }
    }

    /// The next line of standard error.
    fn note(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    /// Waits for the end; answers the exit code and the rest of standard error.
    fn ended(mut self) -> (i32, String) {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (code, rest)
    }
}

/// Counts come as soon as there is a channel.
const COUNTS: [&str; 4] = [
    "--type",
    "entityCount,entityChange",
    "--option",
    "entityChange.include=services",
];

fn is_change(event: &Value) -> bool {
    event["entityType"] == "services"
}

fn is_count(event: &Value) -> bool {
    event["namespace"] == "entityCount"
}

#[test]
fn events_come_as_lines_of_json_until_ctrl_c() {
    let session = Session::logged_in();
    let mut follower = Follower::start(&session, &COUNTS);
    let counts = follower.event(is_count);
    assert_eq!(counts["counts"]["services"], 0);
    session.json(&["service", "create", "wiki"]);
    let change = follower.event(is_change);
    assert_eq!(change["eventType"], "created");
    assert_eq!(change["finalState"]["name"], "wiki");
    command::signal(&follower.child, "INT");
    let (code, rest) = follower.ended();
    assert_eq!(code, 130);
    assert!(rest.contains("cancelled"), "{rest}");

    let mut yaml = Follower::start(&session, &[&COUNTS[..], &["-o", "yaml"]].concat());
    assert_eq!(yaml.line(), "---");
    assert_eq!(yaml.line(), "namespace: entityCount");
    let mut people = Follower::start(&session, &[&COUNTS[..], &["-o", "wide"]].concat());
    let line = people.line();
    assert!(
        line.contains(" entityCount ") && line.contains(" counts.services=1"),
        "{line}"
    );
    for follower in [yaml, people] {
        command::signal(&follower.child, "INT");
        assert_eq!(follower.ended().0, 130);
    }
}

#[test]
fn a_closed_pipe_ends_it_although_nothing_happens() {
    let session = Session::logged_in();
    let mut follower = Follower::start(&session, &["--type", "entityCount"]);
    follower.event(is_count);
    let Follower {
        mut child,
        lines,
        mut stderr,
    } = follower;
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn it_comes_back_when_the_controller_does_and_ends_with_the_session() {
    let session = Session::logged_in();
    let mut follower = Follower::start(&session, &COUNTS);
    follower.event(is_count);
    let Session { controller, site } = session;
    assert!(controller.terminate().success());
    let controller = site.quickstart().start();
    let session = Session { controller, site };
    let note = follower.note();
    assert!(
        note.contains("the controller stops; connecting again"),
        "{note}"
    );
    let note = follower.note();
    assert!(
        note.contains("events that happened meanwhile are missing"),
        "{note}"
    );
    follower.event(is_count);
    session.json(&["service", "create", "wiki"]);
    follower.event(is_change);

    session.run(&["logout"]).success();
    let note = follower.note();
    assert!(
        note.contains("the session or its permission has ended"),
        "{note}"
    );
    let (code, rest) = follower.ended();
    assert_eq!(code, 3, "{rest}");
    assert!(rest.contains("the session has expired"), "{rest}");
}

#[test]
fn what_is_missing_or_wrong_is_told_at_once() {
    let session = Session::logged_in();
    assert_snapshot!(session.transcript(&[
        "events",
        "events --follow --type routers",
        "events --follow --option router.include=x",
        "events --follow --type link --option circuit.include=failed",
    ]), @r#"
    $ portcullis events
    error: controllers keep no events: only those that happen from now on can be shown
    hint: `portcullis events --follow` shows them; to have them later, name a file in the section `events` of the controller's file
    [2]
    $ portcullis events --follow --type routers
    error: invalid value 'routers' for '--type <NAME>'
      [possible values: alert, apiSession, authentication, circuit, cluster, connect, entityChange, entityCount, link, metrics, router, sdk, service, session, terminator, usage]

      tip: a similar value exists: 'router'

    For more information, try '--help'.
    [2]
    $ portcullis events --follow --option router.include=x
    error: invalid value 'router.include=x' for '--option <TYPE.NAME=VALUE>': `router` has no options

    For more information, try '--help'.
    [2]
    $ portcullis events --follow --type link --option circuit.include=failed
    error: `--option circuit.include` has no effect: `--type` does not name `circuit`
    [2]
    "#);

    let create = [
        "identity",
        "create",
        "anna",
        "--updb",
        "anna",
        "--output-jwt",
    ];
    session
        .run(&[&create[..], &["anna.jwt"]].concat())
        .success();
    session.run(&["enroll", "anna.jwt"]).success();
    let login = ["login", "--username", "anna", "--profile", "anna"];
    let ca = session.controller.ca();
    let trust = [session.controller.url(), "--ca", ca.to_str().unwrap()];
    session.run(&[&login[..], &trust].concat()).success();
    let follow = ["events", "--follow", "--profile", "anna"];
    let refused = session.run(&follow).expect_code(1).stderr;
    assert!(refused.contains("`anna` lacks the permission"), "{refused}");
    assert!(
        refused.contains("the permission `ops` as a whole"),
        "{refused}"
    );
}

#[test]
fn a_terminal_shows_lines_for_people() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    let line = "events --follow --type entityCount,entityChange";
    let mut terminal = Terminal::start(&session, line);
    terminal.answer("counts.services=", "");
    session.json(&["service", "create", "wiki"]);
    terminal.answer("wiki", GIVE_UP);
    let (code, shown) = terminal.end();
    assert_eq!(code, 130, "{shown:?}");
    for part in ["following events", "services"] {
        assert!(shown.contains(part), "{shown:?}");
    }
    assert!(!shown.contains("{\"namespace\""), "{shown:?}");
}
