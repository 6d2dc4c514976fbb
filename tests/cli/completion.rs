//! Names that shells complete.

use crate::Session;
use std::path::PathBuf;
use support::{CommandOutput, binaries, run};

/// What Bash makes of the script for a line up to the cursor, whose last part it replaces.
fn complete(session: &Session, line: &str, replaced: &str) -> Option<Vec<String>> {
    let bash = PathBuf::from("/bin/bash");
    if !bash.exists() {
        return None;
    }
    let mut command = session.command(&bash);
    let script = "source <(\"$1\" completion bash)
        portcullis() { \"$PROGRAM\" \"$@\"; }
        COMP_LINE=$2 COMP_POINT=${#2}
        _portcullis portcullis \"$3\" x
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let program = binaries::cli();
    command
        .args(["-c", script, "bash"])
        .args([program.as_os_str()])
        .args([line, replaced])
        .env("PROGRAM", &program);
    let output: CommandOutput = run(&mut command).success();
    let lines = output.text().lines().map(str::to_owned).collect::<Vec<_>>();
    Some(lines.into_iter().filter(|line| !line.is_empty()).collect())
}

#[test]
fn shells_complete_names_from_the_controller() {
    let session = Session::logged_in();
    for name in [
        "laptop",
        "laptop 2",
        "lamp",
        "evil\u{202e}la",
        "la\u{1b}[2J",
    ] {
        let create = ["identity", "create", name, "-a", "office", "--tag", "a=b"];
        session.run(&create).success();
    }
    session
        .run(&["service", "create", "wiki", "-a", "intranet"])
        .success();
    for (line, replaced, expected) in [
        (
            "portcullis identity show la",
            "la",
            &["lamp", "laptop", r"laptop\ 2"][..],
        ),
        (
            "portcullis identity delete 'lap",
            "lap",
            &["laptop", "laptop 2"],
        ),
        ("portcullis identity show --profile none la", "la", &[]),
        ("portcullis identity update lamp -P De", "De", &["Default"]),
        (
            "portcullis identity update lamp --auth-policy=De",
            "De",
            &["Default"],
        ),
        (
            "portcullis service-policy create x dial --service-roles ",
            "",
            &[r"\#intranet", "@wiki"],
        ),
        (
            "portcullis service-policy create x dial --service-roles '#intranet,@w",
            "#intranet,@w",
            &["#intranet,@wiki"],
        ),
        (
            "portcullis service-policy create x dial --identity-roles @lap",
            "@lap",
            &["@laptop", r"@laptop\ 2"],
        ),
        ("portcullis service update wi", "wi", &["wiki"]),
    ] {
        let Some(found) = complete(&session, line, replaced) else {
            return;
        };
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn attributes_and_ids_are_completed_where_they_are_taken() {
    let session = Session::logged_in();
    for line in [
        "identity create anna -a office",
        "service create wiki -a intranet",
        "edge-router create r1 -a public",
        "posture-check create mfa code -a strict",
    ] {
        session.run(&line.split(' ').collect::<Vec<_>>()).success();
    }
    let enrollments = session.json(&["enrollment", "list", "--identity", "anna"]);
    let enrollment = enrollments[0]["id"].as_str().unwrap();
    let authenticators = session.json(&["authenticator", "list"]);
    let authenticator = authenticators[0]["id"].as_str().unwrap();
    let sessions = session.json(&["session", "list"]);
    let login = sessions[0]["id"].as_str().unwrap();
    for (line, word, found) in [
        ("service create x -a ", "in", "intranet"),
        (
            "service update wiki --role-attributes ",
            "a,in",
            "a,intranet",
        ),
        ("edge-router update r1 -a ", "pu", "public"),
        ("posture-check create os x -a ", "st", "strict"),
        ("posture-check update mfa code -a ", "st", "strict"),
        ("identity list --role ", "of", "office"),
        ("service list --role ", "#in", "#intranet"),
        ("edge-router list --role ", "pu", "public"),
        ("enrollment show ", enrollment, enrollment),
        ("enrollment delete ", enrollment, enrollment),
        ("authenticator delete ", authenticator, authenticator),
        ("session show ", login, login),
        ("session delete ", login, login),
    ] {
        let line = format!("portcullis {line}'{word}");
        let Some(completed) = complete(&session, &line, word) else {
            return;
        };
        assert_eq!(completed, [found], "{line}");
    }
    for (words, described) in [
        (
            ["enrollment", "show", ""],
            format!("{enrollment}\tott of anna"),
        ),
        (
            ["whoami", "--profile", ""],
            format!("default\t{}", session.controller.url()),
        ),
    ] {
        let mut command = session.command(&binaries::cli());
        command
            .args(["--", "portcullis"])
            .args(words)
            .env("PORTCULLIS_COMPLETE", "fish");
        let text = run(&mut command).success().text();
        assert!(text.lines().any(|line| line == described), "{text}");
    }
}
