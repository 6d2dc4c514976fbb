//! `doctor`.

use crate::support::{Finished, Serving, finish, made, program, quickstart};
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

/// A port of this machine that nothing listens at.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
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
    assert_eq!(second.stop("TERM").code, Some(0));
    for home in [&home, &other] {
        let config = home.join("controller.yml");
        let text = fs::read_to_string(&config).unwrap();
        let text = text.replace("# - binding: health-checks", "- binding: health-checks");
        fs::write(&config, text).unwrap();
    }
    let run = |home: &Path| {
        let mut serving = Serving::start(program().arg("run").arg(home.join("controller.yml")));
        assert!(serving.serves());
        serving
    };
    let second = run(&other);
    let (_, found) = findings(&home);
    assert!(has(&found, "error", "address"), "{found:?}");
    assert!(has(&found, "warning", "address-in-use"), "{found:?}");
    for code in ["address", "health", "served-certificate"] {
        assert!(!has(&found, "ok", code), "{code}: {found:?}");
    }
    let shown = doctor(&home).stdout.replace("\n         ", " ");
    assert!(
        shown.contains("another server answers at https://"),
        "{shown}"
    );

    // The same while its own controller serves at another port than the file says by now.
    let config = home.join("controller.yml");
    let text = fs::read_to_string(&config).unwrap();
    let port_of_its_own = format!(":{}", free_port());
    fs::write(&config, text.replace(&format!(":{port}"), &port_of_its_own)).unwrap();
    let own = run(&home);
    let (_, found) = findings(&home);
    assert!(
        has(&found, "ok", "address") && has(&found, "ok", "health"),
        "{found:?}"
    );
    fs::write(&config, text).unwrap();
    let (_, found) = findings(&home);
    assert!(has(&found, "ok", "running"), "{found:?}");
    assert!(has(&found, "error", "served-certificate"), "{found:?}");
    assert!(has(&found, "warning", "other-certificate"), "{found:?}");
    for code in ["address", "health"] {
        assert!(!has(&found, "ok", code), "{code}: {found:?}");
    }
    drop((own, second));

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
fn unreadable_configuration_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let missing = doctor(&home);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    let said = missing.stdout.replace("\n        ", "");
    assert!(said.contains("does not exist"), "{missing:?}");

    drop(quickstart(&home));
    fs::write(home.join("controller.yml"), "v: 3\ndbs: x\n").unwrap();
    let (healthy, found) = findings(&home);
    assert!(!healthy && has(&found, "error", "unknown-key"), "{found:?}");
}

/// Breaks the store of a home, and answers the sentence with which `run` refuses it.
fn refused(home: &Path, breaking: impl FnOnce(&Path)) -> String {
    made(home);
    breaking(&home.join("ctrl.db.portcullis"));
    let run = finish(program().arg("run").arg(home.join("controller.yml")));
    assert_eq!(run.code, Some(1), "{run:?}");
    let said = run
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("error: "));
    said.unwrap_or_else(|| panic!("{run:?}")).to_owned()
}

#[test]
fn stopped_store_is_judged_as_a_start_does() {
    let folder = tempfile::tempdir().unwrap();
    let (other, key) = (folder.path().join("other"), "ctrl.db.portcullis.key");
    made(&other);
    let foreign_key = fs::read(other.join(key)).unwrap();
    let lost = refused(&folder.path().join("lost"), |store| {
        fs::remove_file(store).unwrap();
    });
    let empty = refused(&folder.path().join("empty"), |store| {
        fs::write(store, "").unwrap();
    });
    let random = refused(&folder.path().join("random"), |store| {
        let noise: Vec<u8> = (0..153_600_u32)
            .map(|it| (it.wrapping_mul(0x9e37_79b9) >> 24) as u8)
            .collect();
        fs::write(store, noise).unwrap();
    });
    let locked = refused(&folder.path().join("locked"), |store| {
        fs::remove_file(store.with_file_name(key)).unwrap();
    });
    let foreign = refused(&folder.path().join("foreign"), |store| {
        fs::write(store.with_file_name(key), foreign_key).unwrap();
    });
    for (name, sentence, part) in [
        ("lost", lost, "is missing, although there was one"),
        ("empty", empty, "is empty: its content is lost"),
        ("random", random, "is not a readable store"),
        ("locked", locked, "ctrl.db.portcullis.key is missing"),
        ("foreign", foreign, "cannot be opened with the sealing key"),
    ] {
        assert!(sentence.contains(part), "{sentence}");
        let home = folder.path().join(name);
        let (healthy, found) = findings(&home);
        assert!(
            !healthy && has(&found, "error", "unusable-store"),
            "{name}: {found:?}"
        );
        assert!(!has(&found, "ok", "store"), "{name}: {found:?}");
        let shown = doctor(&home).stdout;
        assert!(!shown.contains("portcullis-controller run"), "{shown}");

        let config = home.join("controller.yml");
        let checked = finish(
            program()
                .args(["config", "check", "-o", "json"])
                .arg(&config),
        );
        assert_eq!(checked.code, Some(1), "{checked:?}");
        let found: Value = serde_json::from_str(&checked.stdout).unwrap();
        let mut all = found.as_array().unwrap().iter();
        let said = all.find(|it| it["code"] == "unusable-store").unwrap();
        assert_eq!(
            (&said["message"], &said["path"]),
            (&sentence.into(), &"db".into())
        );
    }
}

#[test]
fn rows_of_a_stopped_store_are_read_and_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let store = home.join("ctrl.db.portcullis");
    let before = fs::read(&store).unwrap();
    let (_, found) = findings(&home);
    assert!(
        has(&found, "ok", "store") && has(&found, "ok", "administrator"),
        "{found:?}"
    );
    assert_eq!(fs::read(&store).unwrap(), before);

    crate::damage::lose_identity(&store);
    let (_, found) = findings(&home);
    assert!(has(&found, "error", "store"), "{found:?}");
    let shown = doctor(&home).stdout.replace("\n         ", " ");
    assert!(shown.contains("ctrl.db.portcullis is damaged: "), "{shown}");
    assert!(shown.contains("--accept-damage"), "{shown}");
}

#[test]
fn network_without_administrator_is_told_from_one_that_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let config = home.join("controller.yml");
    let port = free_port().to_string();
    let made = finish(
        program()
            .args(["config", "generate", "--address", "localhost", "--port"])
            .args([&port, "--dir"])
            .arg(&home),
    );
    assert_eq!(made.code, Some(0), "{made:?}");
    let (_, found) = findings(&home);
    assert!(has(&found, "warning", "administrator"), "{found:?}");
    let mut serving = Serving::start(program().arg("run").arg(&config));
    assert!(serving.serves());
    let shown = doctor(&home).stdout.replace("\n         ", " ");
    assert!(
        shown.contains("there is no administrator, so nobody can log in"),
        "{shown}"
    );
    assert!(
        shown.contains("stop the controller and run `portcullis-controller init "),
        "{shown}"
    );
    assert_eq!(serving.stop("TERM").code, Some(0));

    let mut init = program();
    init.arg("init")
        .arg(&config)
        .args(["-u", "operator", "-p", "correct horse"]);
    assert_eq!(finish(&mut init).code, Some(0));
    let mut serving = Serving::start(program().arg("run").arg(&config));
    assert!(serving.serves());
    let (_, found) = findings(&home);
    assert!(!has(&found, "warning", "administrator"), "{found:?}");
}

#[test]
fn altered_audit_file_is_an_error_before_a_start_refuses_it() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let (config, file) = (home.join("controller.yml"), home.join("audit.jsonl"));
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\naudit: {{file: audit.jsonl}}\n")).unwrap();
    let (_, found) = findings(&home);
    assert!(
        !found.iter().any(|(_, code)| code == "audit-file"),
        "{found:?}"
    );

    let mut serving = Serving::start(program().arg("run").arg(&config));
    assert!(serving.serves());
    let (_, found) = findings(&home);
    assert!(has(&found, "ok", "audit-file"), "{found:?}");
    assert_eq!(serving.stop("TERM").code, Some(0));
    let (_, found) = findings(&home);
    assert!(has(&found, "ok", "audit-file"), "{found:?}");

    let trail = fs::read_to_string(&file).unwrap();
    let altered = trail.replacen("\"first\":1,", "\"first\":2,", 1);
    assert_ne!(altered, trail);
    fs::write(&file, &altered).unwrap();
    let (healthy, found) = findings(&home);
    assert!(!healthy && has(&found, "error", "audit-file"), "{found:?}");
    let said = doctor(&home).stdout.replace("\n         ", " ");
    let run = finish(program().arg("run").arg(&config));
    assert_eq!(run.code, Some(1), "{run:?}");
    let refusal = run
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("error: "));
    assert!(said.contains(refusal.unwrap()), "{said} {run:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), altered);
}
