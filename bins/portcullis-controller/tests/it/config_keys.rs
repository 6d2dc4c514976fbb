//! `config explain`, `config show` and `config schema`.

use crate::support::{Finished, finish, program};
use serde_json::Value;
use std::fs;

fn config(arguments: &[&str]) -> Finished {
    finish(program().arg("config").args(arguments))
}

fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap()
}

#[test]
fn keys_are_explained_and_typos_corrected() {
    let sections = config(&["explain"]);
    assert_eq!(sections.code, Some(0), "{sections:?}");
    assert!(
        sections
            .stdout
            .contains("\nedge                   Enrollments"),
        "{sections:?}"
    );
    assert!(
        sections
            .stdout
            .lines()
            .all(|line| line.chars().count() <= 100)
    );

    let one = config(&["explain", "edge.api.sessionTimeout"]).stdout;
    for part in [
        "default:  30m",
        "bounds:   at least 1m",
        "example:  sessionTimeout: 1h",
    ] {
        assert!(one.contains(part), "{part:?} is not in {one}");
    }
    let record = json(&config(&[
        "explain",
        "-o",
        "json",
        "web[0].apis[spa].options.path",
    ]));
    assert_eq!(record[0]["binding"], Value::Null);
    assert_eq!(record[0]["required"], true);

    config(&["explain", "edge.api.adress"]).misused(&["did you mean `address`?"]);
    config(&["explain", "sessionTimeout"]).misused(&["did you mean edge.api.sessionTimeout?"]);
    config(&["explain", "a\u{1b}[31m"]).misused(&["config explain` lists the sections"]);
}

#[test]
fn values_are_shown_with_their_sources() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let generate = ["generate", "--address", "ctrl.example.com", "--dir"];
    config(&[&generate[..], &[home.to_str().unwrap()]].concat());
    let file = home.join("controller.yml");
    let file = file.to_str().unwrap();
    let shown = config(&["show", file]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(
        shown.stdout.contains("sessionTimeout: \"30m\" # line "),
        "{shown:?}"
    );
    assert!(
        shown.stdout.contains("requireExpiry: true # default"),
        "{shown:?}"
    );
    let values = json(&config(&["show", "-o", "json", file]));
    assert_eq!(values["edge.api.address"]["value"], "ctrl.example.com:1280");
    assert_eq!(values["edge.api.address"]["source"], "file");
    assert_eq!(values["limits.connectionsPerPeer"]["source"], "default");
    assert_eq!(values["web[0].apis[3].binding"]["source"], "derived");
}

#[test]
fn overlays_are_shown_and_checked_with_what_they_override() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let generate = ["generate", "--address", "localhost", "--dir"];
    config(&[&generate[..], &[home.to_str().unwrap()]].concat());
    let (file, overlay) = (home.join("controller.yml"), folder.path().join("short.yml"));
    let (file, overlay) = (file.to_str().unwrap(), overlay.to_str().unwrap());
    fs::write(overlay, "edge: {api: {sessionTimeout: 5m}}\n").unwrap();

    let shown = config(&["show", file, "--overlay", overlay]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let line = format!("sessionTimeout: \"5m\" # line 1 of {overlay}\n");
    assert!(shown.stdout.contains(&line), "{shown:?}");
    let values = json(&config(&["show", "-o", "json", file, "--overlay", overlay]));
    assert_eq!(values["edge.api.sessionTimeout"]["file"], overlay);
    assert_eq!(values["edge.api.address"]["file"], file);

    fs::write(overlay, "edge: {api: {sessionTimeout: soon}}\n").unwrap();
    let checked = config(&["check", file, "--overlay", overlay]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let summary = format!("{file} with {overlay}: 1 mistake, ");
    assert!(checked.stdout.contains(&summary), "{checked:?}");
    let missing = config(&["show", file, "--overlay", "/nonexistent.yml"]);
    missing.failed_with(&["/nonexistent.yml does not exist"]);
}

#[test]
fn mistakes_are_told_beside_what_can_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("controller.yml");
    fs::write(
        &file,
        "v: 3\nwebb: []\ntrustDomain: \"a\u{202e}\"\nadditionalTrustDomains: [b]\n",
    )
    .unwrap();
    let shown = config(&["show", file.to_str().unwrap()]);
    assert_eq!(shown.code, Some(1), "{shown:?}");
    assert!(shown.stdout.contains("v: 3 # line 1"), "{shown:?}");
    assert!(shown.stderr.contains("did you mean `web`?"), "{shown:?}");
    assert!(
        !shown.stdout.contains('\u{202e}') && !shown.stderr.contains('\u{202e}'),
        "{shown:?}"
    );

    fs::write(&file, b"v: 3\ndb: \xff\n").unwrap();
    let shown = config(&["show", file.to_str().unwrap()]);
    assert_eq!(
        (shown.code, shown.stdout.as_str()),
        (Some(1), ""),
        "{shown:?}"
    );
    config(&["show", "/nonexistent.yml"]).failed_with(&["/nonexistent.yml does not exist"]);
}

#[test]
fn schema_is_json() {
    let schema = json(&config(&["schema"]));
    assert_eq!(schema["title"], "Controller configuration");
    assert!(schema.pointer("/properties/edge/properties/api").is_some());
}

#[test]
fn router_files_and_typos_are_one_finding() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("router.yml");
    let router = "v: 3\nidentity: {cert: a, key: b}\nctrl: {endpoint: tls:a:1}\nlink: {}\n";
    fs::write(&file, router).unwrap();
    let checked = config(&["check", file.to_str().unwrap()]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(
        checked.stdout.contains("this is the file of a router"),
        "{checked:?}"
    );
    assert!(
        checked.stdout.contains("portcullis router-config check"),
        "{checked:?}"
    );
    assert!(
        checked.stdout.ends_with("1 mistake, no warnings\n"),
        "{checked:?}"
    );
}
