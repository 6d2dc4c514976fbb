//! What can be wrong around the program: one clear sentence each, and a non-zero exit.

use crate::support::{Finished, Serving, finish, made, mode, program, quickstart};
use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn home() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    (folder, home)
}

fn run(home: &Path) -> Finished {
    finish(program().arg("run").arg(home.join("controller.yml")))
}

#[test]
fn busy_port_is_named_and_nothing_is_made() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let finished = finish(
        program()
            .args(["quickstart", "--ctrl-port", &port, "--home"])
            .arg(&home),
    );
    finished.failed_with(&[&port, "the address is in use", "choose another port"]);
    assert!(!home.exists());
}

#[test]
fn sentence_on_a_terminal_breaks_between_words() {
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let line = format!(
        "stty cols 40; exec '{}' run /no/file/with/this/name",
        env!("CARGO_BIN_EXE_portcullis-controller")
    );
    let finished = Serving::start_on_terminal(&line).ended();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(
        finished
            .stdout
            .contains("error: the configuration file\n/no/file/with/this/name does not exist"),
        "{finished:?}"
    );
}

#[test]
fn error_that_ends_a_service_is_logged_as_well() {
    let finished = finish(program().args(["run", "missing.yml"]));
    let (logged, told) = finished.stderr.split_once('\n').unwrap();
    let logged: serde_json::Value = serde_json::from_str(logged).unwrap();
    assert_eq!(logged["level"], "ERROR");
    let message = logged["message"].as_str().unwrap();
    assert!(message.contains("missing.yml does not exist"), "{message}");
    assert_eq!(told, format!("error: {message}\n"));
}

#[test]
fn filter_is_blamed_on_where_it_stands() {
    let filter = ["--log", "loud"];
    finish(program().args(filter).arg("version")).misused(&["--log: ", "`loud`"]);
    let mut variable = program();
    variable.env("PORTCULLIS_LOG", "loud").arg("version");
    finish(&mut variable).misused(&["PORTCULLIS_LOG: ", "`loud`"]);
}

#[test]
fn second_controller_of_a_home_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let serving = quickstart(&home);
    let holder = format!("is in use by process {};", serving.id());
    run(&home).failed_with(&["the store ", &holder]);
    assert_eq!(serving.stop("TERM").code, Some(0));
}

#[test]
fn files_that_the_configuration_names_must_be_there_and_fit() {
    let (_folder, home) = home();
    let refused = |parts: &[&str]| {
        let finished = run(&home);
        finished.failed_with(&["controller.yml", "cannot be used: 1 mistake"]);
        for part in parts {
            assert!(finished.stderr.contains(part), "{part:?}: {finished:?}");
        }
    };
    let key = home.join("pki/server.key");
    let kept = fs::read(&key).unwrap();

    fs::write(&key, fs::read(home.join("pki/client.key")).unwrap()).unwrap();
    refused(&[
        "identity.server_cert",
        "identity.server_key",
        "does not match",
    ]);

    fs::write(&key, "no key").unwrap();
    refused(&["identity.server_key", "server.key", "no usable key"]);

    fs::remove_file(&key).unwrap();
    refused(&[
        "identity.server_key",
        "server.key",
        "cannot be read",
        "it does not exist",
    ]);
    fs::write(&key, kept).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o606)).unwrap();
    refused(&["identity.server_key", "mode 606", "chmod 600"]);
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();

    let put = |from: &str, to: &str| fs::copy(home.join(from), home.join(to)).unwrap();
    put("pki/client.chain.pem", "pki/signing.cert");
    put("pki/client.key", "pki/signing.key");
    refused(&[
        "edge.enrollment.signingCert.cert",
        "cannot issue certificates",
    ]);
}

#[test]
fn lost_sealing_key_is_asked_for() {
    let (_folder, home) = home();
    let key = home.join("ctrl.db.portcullis.key");
    fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
    let finished = run(&home);
    finished.failed_with(&["controller.yml", "cannot be used: 1 mistake"]);
    for part in [
        "the sealing key",
        "ctrl.db.portcullis.key",
        "mode 644",
        "chmod 600",
    ] {
        assert!(finished.stderr.contains(part), "{part:?}: {finished:?}");
    }
    fs::remove_file(&key).unwrap();
    run(&home).failed_with(&["the sealing key", "is missing", "restore it from a backup"]);
}

#[test]
fn store_that_is_none_is_refused() {
    let (_folder, home) = home();
    fs::write(home.join("ctrl.db.portcullis"), "not a store".repeat(1000)).unwrap();
    let finished = run(&home);
    finished.failed_with(&[
        "not a readable store: it does not begin like a store",
        "restore a backup",
    ]);
    assert!(!finished.stderr.contains("redb"), "{finished:?}");
}

#[test]
fn directory_that_holds_other_files_becomes_no_home() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join("notes \u{202e}.txt"), "").unwrap();
    let mut quickstart = program();
    quickstart.args(["quickstart", "--ctrl-port", "0", "--home"]);
    let finished = finish(quickstart.arg(folder.path()));
    finished.failed_with(&[
        "is no home of a network and not empty",
        "it contains .git, notes \\u{202e}.txt; name a new or empty directory",
    ]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn half_a_home_is_not_overwritten() {
    let (_folder, home) = home();
    fs::remove_file(home.join("controller.yml")).unwrap();
    let key = fs::read(home.join("pki/root.key")).unwrap();
    let again = finish(
        program()
            .args(["quickstart", "--ctrl-port", "0", "--home"])
            .arg(&home),
    );
    again.failed_with(&["an incomplete network", "controller.yml"]);
    assert_eq!(fs::read(home.join("pki/root.key")).unwrap(), key);
}

#[test]
fn first_start_that_was_cut_short_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("pki")).unwrap();
    fs::write(home.join("pki/root.key"), "half").unwrap();
    made(&home);
    let kept = fs::read_to_string(home.join("pki.incomplete/root.key")).unwrap();
    assert_eq!(kept, "half", "what was there is kept aside");
    assert!(home.join("controller.yml").exists());
}

#[test]
fn home_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let home = file.join("home");
    let finished = finish(
        program()
            .args(["quickstart", "--ctrl-port", "0", "--home"])
            .arg(&home),
    );
    finished.failed_with(&["the directory", "file/home", "cannot be created"]);
}

#[test]
fn home_that_is_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let finished = finish(program().args(["quickstart", "--home"]).arg(&file));
    finished.failed_with(&["the home", "is a file"]);
}

#[test]
fn home_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::set_permissions(&home, Permissions::from_mode(0o500)).unwrap();
    if fs::write(home.join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    let finished = finish(
        program()
            .args(["quickstart", "--ctrl-port", "0", "--home"])
            .arg(&home),
    );
    finished.failed_with(&["the home", "cannot be written", "Permission denied"]);
    assert_eq!(mode(&home), 0o500);
}

#[test]
fn bad_host_is_named() {
    let finished = finish(program().args([
        "quickstart",
        "--ctrl-port",
        "0",
        "--ctrl-address",
        "no host",
    ]));
    finished.failed_with(&["no host", "neither a host name nor an IP address"]);
}

#[test]
fn log_filter_that_would_silence_the_log_is_refused() {
    for filter in ["inof", "", "!!", "a=b=c", "audit"] {
        let finished = finish(program().args(["--log", filter, "version"]));
        finished.misused(&["--log", "error, warn, info, debug"]);
    }
}

#[test]
fn configuration_with_mistakes_shows_them_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("controller.yml"), "v: 2\ndbs: ctrl.db\n").unwrap();
    let finished = run(folder.path());
    finished.failed_with(&["controller.yml", "cannot be used", "mistakes"]);
    for part in ["controller.yml:1:4", "controller.yml:2:1"] {
        assert!(finished.stderr.contains(part), "{finished:?}");
    }
}

#[test]
fn lost_log_reader_neither_ends_it_nor_keeps_it_from_ending() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program()
        .args(["quickstart", "--ctrl-port", "0", "--home"])
        .arg(folder.path().join("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // From here on every line of the log meets a broken pipe.
    drop(child.stderr.take());
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_ready = lines
        .map_while(Result::ok)
        .any(|line| line.contains("portcullis enroll laptop.jwt"));
    assert!(is_ready, "{:?}", child.wait());

    let id = child.id().to_string();
    Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
