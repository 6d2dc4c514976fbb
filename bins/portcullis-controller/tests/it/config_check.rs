//! `config check`.

use crate::support::{finish, made, program};
use std::fs;

const MISTAKEN: &str = "\
v: 3
dbs: ctrl.db
web:
  - name: all
    bindPoints: []
";

#[test]
fn every_mistake_is_shown_with_its_place_and_help() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.yml"), MISTAKEN).unwrap();
    let finished = finish(
        program()
            .current_dir(&folder)
            .args(["config", "check", "bad.yml"]),
    );
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let shown = &finished.stdout;
    for part in [
        "error[unknown-key]",
        "bad.yml:2:1",
        "dbs: ctrl.db",
        "help: did you mean `db`?",
        "bad.yml:5:17",
        "error[missing-key]",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    let last = shown.lines().last().unwrap();
    assert!(
        last.starts_with("bad.yml: ") && last.contains(" mistakes, "),
        "{last}"
    );
}

#[test]
fn json_names_the_same_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.yml"), MISTAKEN).unwrap();
    let finished = finish(
        program()
            .current_dir(&folder)
            .args(["config", "check", "--format", "json", "bad.yml"]),
    );
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let list: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let unknown = list
        .as_array()
        .unwrap()
        .iter()
        .find(|each| each["code"] == "unknown-key");
    let unknown = unknown.unwrap_or_else(|| panic!("{list}"));
    assert_eq!(unknown["file"], "bad.yml");
    assert_eq!(
        (&unknown["line"], &unknown["column"]),
        (&2.into(), &1.into())
    );
    assert_eq!(unknown["severity"], "error");
    assert_eq!(unknown["help"], "did you mean `db`?");
}

#[test]
fn file_that_is_not_yaml_is_a_mistake_not_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("text.yml", &b"a: [b\n"[..]),
        ("binary.yml", &b"a: \xff\xfe\n"[..]),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
        let finished = finish(
            program()
                .current_dir(&folder)
                .args(["config", "check", name]),
        );
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert!(
            finished
                .stdout
                .contains(&format!("{name}: 1 mistake, no warnings")),
            "{finished:?}"
        );
    }
}

#[test]
fn missing_file_is_named() {
    let finished = finish(program().args(["config", "check", "/nonexistent/ctrl.yml"]));
    finished.failed_with(&["there is no configuration file /nonexistent/ctrl.yml"]);
}

#[test]
fn generated_file_has_no_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let finished = finish(
        program()
            .args(["config", "check"])
            .arg(home.join("controller.yml")),
    );
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished
            .stdout
            .trim_end()
            .ends_with("no mistakes, no warnings"),
        "{finished:?}"
    );
}
