//! `portcullis api`: requests that have no command of their own.

use crate::Session;
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;
use support::{binaries, command, wait};

#[test]
fn answers_are_laid_out_or_as_they_came() {
    let session = Session::logged_in();
    for path in [
        "identities",
        "/identities",
        "./identities",
        "/edge/management/v1/identities",
        "edge/management/v1/identities",
    ] {
        let laid_out = session
            .run(&["api", "get", path, "isAdmin = true"])
            .success();
        let laid_out = laid_out.text();
        assert!(
            laid_out.starts_with("{\n  \"data\": [\n    {\n      \"_links\": {"),
            "{laid_out}"
        );
        let raw = session.run(&["api", "GET", path, "isAdmin = true", "--output", "json"]);
        let raw = raw.success().text();
        assert_eq!(raw.lines().count(), 1, "{raw}");
        let raw: Value = serde_json::from_str(&raw).unwrap();
        let laid_out: Value = serde_json::from_str(&laid_out).unwrap();
        assert_eq!(raw, laid_out);
        assert_eq!(raw["data"][0]["name"], "admin");
    }
    let yaml = [
        "api",
        "GET",
        "identity-types",
        "--query",
        "limit=1",
        "--output",
        "yaml",
    ];
    let yaml = session.run(&yaml).success().text();
    assert!(yaml.starts_with("data:\n- _links:\n"), "{yaml}");
    // What is no document is left alone.
    let bundle = session.run(&["api", "GET", ".well-known/est/cacerts", "--client"]);
    assert!(bundle.success().text().starts_with("MII"));
}

#[test]
fn bodies_come_from_where_they_are() {
    let session = Session::logged_in();
    let body = |name: &str| format!(r#"{{"name": "{name}", "type": "User", "isAdmin": false}}"#);
    let create = ["api", "POST", "identities", "--body"];
    session
        .run(&[&create[..], &[&body("given")]].concat())
        .success();
    fs::write(session.site.file("body.json"), body("file")).unwrap();
    session
        .run(&[&create[..], &["@body.json"]].concat())
        .success();
    let mut line = session.command(&binaries::cli());
    line.args(create).arg("-");
    let piped = command::run_with(&mut line, body("piped").as_bytes(), wait::DEFAULT_TIMEOUT);
    let created: Value = serde_json::from_slice(&piped.success().stdout).unwrap();
    let list = session.json(&["identity", "list", "--sort", "name"]);
    assert_eq!(
        crate::lists::names(&list),
        ["admin", "file", "given", "piped"]
    );

    let id = created["data"]["id"].as_str().unwrap();
    let path = format!("identities/{id}");
    let change = ["api", "PATCH", &path, "--body", r#"{"name": "changed"}"#];
    session.run(&change).success();
    // What the answer refers to by a link.
    let href = created["data"]["_links"]["self"]["href"].as_str().unwrap();
    let shown = session.json(&["api", "GET", href]);
    assert_eq!(shown["data"]["name"], "changed");
    session.run(&["api", "delete", &path]).success();
    session.run(&["api", "GET", &path]).expect_code(1);
}

#[test]
fn refusals_are_told_as_elsewhere() {
    let session = Session::new();
    session.run(&["api", "GET", "identities"]).expect_code(3);
    session.log_in();
    let transcript = session.transcript(&[
        "api GET nothing",
        "api GET identities/nobody",
        "api PUT identities --body {}",
        "api POST identities --body {}",
        "api POST identities --body {",
        "api POST identities --body @missing.json",
        "api TRACE identities",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis api GET nothing
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND): nothing is served at /edge/management/v1/nothing; check the path and the API version
        request id: REQUEST
        [1]
        $ portcullis api GET identities/nobody
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND): identity with id nobody not found
        request id: REQUEST
        [1]
        $ portcullis api PUT identities --body {}
        error: the controller refused: This path does not support the HTTP method of the request (METHOD_NOT_ALLOWED): the method PUT is not supported here; use GET, POST
        request id: REQUEST
        [1]
        $ portcullis api POST identities --body {}
        error: `isAdmin`: is required
        request id: REQUEST
        [1]
        $ portcullis api POST identities --body {
        error: the body is not valid JSON (line 1, column 1)
        [2]
        $ portcullis api POST identities --body @missing.json
        error: missing.json cannot be read: it does not exist
        [1]
        $ portcullis api TRACE identities
        error: invalid value 'TRACE' for '<METHOD>'
          [possible values: GET, POST, PUT, PATCH, DELETE]

        For more information, try '--help'.
        [2]
        ");
    session
        .run(&["api", "DELETE", "current-api-session"])
        .success();
    let over = session.run(&["api", "GET", "identities"]).expect_code(3);
    assert!(over.stderr.contains("portcullis login"), "{}", over.stderr);
}

/// What others chose cannot drive the terminal, and stays the same for programs.
#[test]
fn control_characters_in_answers_are_escaped() {
    let session = Session::logged_in();
    let name = "evil\u{9b}2Jname\u{202e}";
    session.json(&["identity", "create", name]);
    let shown = session.run(&["api", "GET", "identities", "isAdmin = false"]);
    let shown = shown.success().text();
    assert!(!shown.contains(['\u{9b}', '\u{202e}']), "{shown:?}");
    let document: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(document["data"][0]["name"], name);
}
