//! `doctor`.

use crate::support::{Finished, Serving, finish, program, quickstart};
use serde_json::Value;
use std::fs;
use std::net::TcpListener;
use std::path::Path;

fn doctor(home: &Path) -> Finished {
    finish(program().arg("doctor").arg(home.join("controller.yml")))
}

/// Findings of `doctor`, as severity and code, with whether all is well.
fn findings(home: &Path) -> (bool, Vec<(String, String)>) {
    let config = home.join("controller.yml");
    let finished = finish(program().args(["doctor", "-o", "json"]).arg(config));
    let report: Value = serde_json::from_str(&finished.stdout).unwrap();
    let healthy = report.pointer("/healthy").and_then(Value::as_bool).unwrap();
    assert_eq!(finished.code, Some(i32::from(!healthy)), "{report:#}");
    let text = |it: &Value, member: &str| it[member].as_str().unwrap().to_owned();
    let found = report
        .pointer("/findings")
        .and_then(Value::as_array)
        .unwrap()
        .iter();
    let found = found.map(|it| (text(it, "severity"), text(it, "code")));
    (healthy, found.collect())
}

fn has(found: &[(String, String)], severity: &str, code: &str) -> bool {
    let mut all = found.iter();
    all.any(|it| (it.0.as_str(), it.1.as_str()) == (severity, code))
}

#[test]
fn running_controller_is_well_and_a_stopped_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let serving = quickstart(&home);
    let files = || {
        let mut all: Vec<_> = fs::read_dir(&home)
            .unwrap()
            .map(|it| it.unwrap().file_name())
            .collect();
        all.sort_unstable();
        all
    };
    let before = files();
    let (healthy, found) = findings(&home);
    assert!(healthy, "{found:?}");
    for code in [
        "configuration",
        "store",
        "running",
        "disk",
        "address",
        "served-certificate",
        "clock",
    ] {
        assert!(has(&found, "ok", code), "{code}: {found:?}");
    }
    let shown = doctor(&home);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(
        shown
            .stdout
            .contains("\nok       a controller is running: it holds the store\n"),
        "{shown:?}"
    );
    let limits = format!("the running controller (process {}) may open", serving.id());
    let said = shown.stdout.replace("\n        ", "");
    assert!(said.contains(&limits), "{shown:?}");
    assert!(
        shown.stdout.ends_with("\nno problems, no warnings\n"),
        "{shown:?}"
    );
    assert_eq!(files(), before, "nothing is changed");
    assert_eq!(serving.stop("TERM").code, Some(0));

    let (healthy, found) = findings(&home);
    assert!(!healthy);
    for code in ["running", "address"] {
        assert!(has(&found, "error", code), "{code}: {found:?}");
    }
    let shown = doctor(&home).stdout;
    assert!(
        shown.contains("no controller is running on the store"),
        "{shown}"
    );
    assert!(shown.contains("nothing listens there"), "{shown}");
    assert!(
        shown.contains("a controller that this user starts may open"),
        "{shown}"
    );
}

#[test]
fn another_server_at_the_address_is_told_from_the_controller() {
    let folder = tempfile::tempdir().unwrap();
    let (home, other) = (folder.path().join("home"), folder.path().join("other"));
    let mut first = quickstart(&home);
    let address = first.value("Address");
    let port = address.rsplit(':').next().unwrap().to_owned();
    assert_eq!(first.stop("TERM").code, Some(0));

    let mut command = program();
    command.args(["quickstart", "--ctrl-port", &port, "--home"]);
    let mut second = Serving::start(command.arg(&other));
    second.ready();
    let (_, found) = findings(&home);
    assert!(has(&found, "error", "served-certificate"), "{found:?}");
    assert!(has(&found, "warning", "other-certificate"), "{found:?}");
    assert!(has(&found, "warning", "address-in-use"), "{found:?}");
    drop(second);

    // One that accepts connections and never says anything it should.
    let mute = TcpListener::bind(("127.0.0.1", port.parse().unwrap())).unwrap();
    std::thread::spawn(move || {
        for socket in mute.incoming().map_while(Result::ok) {
            let _ = std::io::Write::write_all(&mut &socket, b"SSH-2.0-OpenSSH_9\r\n");
        }
    });
    let shown = doctor(&home).stdout.replace("\n        ", "");
    assert!(shown.contains("speaks no TLS that fits"), "{shown}");
}

#[test]
fn lost_store_and_unreadable_configuration_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let missing = doctor(&home);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    let said = missing.stdout.replace("\n        ", "");
    assert!(said.contains("does not exist"), "{missing:?}");

    drop(quickstart(&home));
    fs::remove_file(home.join("ctrl.db.portcullis")).unwrap();
    let (healthy, found) = findings(&home);
    assert!(!healthy && has(&found, "error", "store"), "{found:?}");

    fs::write(home.join("controller.yml"), "v: 3\ndbs: x\n").unwrap();
    let (healthy, found) = findings(&home);
    assert!(!healthy && has(&found, "error", "unknown-key"), "{found:?}");
}
