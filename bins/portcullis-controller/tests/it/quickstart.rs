//! `quickstart`.

use crate::support::{Serving, finish, made, mode, program, quickstart};
use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn summary_says_what_is_needed_next() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("my home");
    let mut serving = quickstart(&home);
    let address = serving.value("Address");
    let port: u16 = address
        .strip_prefix("https://localhost:")
        .unwrap()
        .parse()
        .unwrap();
    TcpStream::connect(("127.0.0.1", port)).unwrap();

    let ca = home.canonicalize().unwrap().join("ca.pem");
    assert_eq!(serving.value("CA bundle"), ca.display().to_string());
    assert_eq!(
        fs::read_to_string(&ca)
            .unwrap()
            .matches("BEGIN CERTIFICATE")
            .count(),
        2
    );
    assert_eq!(serving.value("Administrator"), "admin");
    let kept = fs::read_to_string(home.join("admin-password")).unwrap();
    assert!(kept.trim().len() >= 20, "{kept:?}");
    assert!(serving.value("Password").starts_with(kept.trim()));

    let login = serving.line("portcullis login");
    let expected = format!("portcullis login https://localhost:{port} --username admin \\");
    assert_eq!(login.trim(), expected);
    assert_eq!(
        serving.line("--ca ").trim(),
        format!("--ca '{}'", ca.display())
    );
    serving.line("portcullis identity create laptop --type device --output-jwt laptop.jwt");
    let config = fs::read_to_string(home.join("controller.yml")).unwrap();
    assert!(config.contains(&format!("localhost:{port}")), "{config}");

    let finished = serving.stop("TERM");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        !finished.stderr.contains(kept.trim()),
        "the password is in the log"
    );
}

#[test]
fn secrets_are_for_their_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    assert_eq!(mode(&home), 0o700);
    assert_eq!(mode(&home.join("pki")), 0o700);
    let keys = [
        "pki/root.key",
        "pki/signing.key",
        "pki/server.key",
        "pki/client.key",
    ];
    let others = [
        "admin-password",
        "controller.yml",
        "ctrl.db.portcullis",
        "ctrl.db.portcullis.key",
    ];
    for name in keys.iter().chain(&others) {
        assert_eq!(mode(&home.join(name)), 0o600, "{name}");
    }
    assert_eq!(mode(&home.join("ca.pem")), 0o644);
}

#[test]
fn second_start_continues_and_says_what_it_ignores() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let mut first = quickstart(&home);
    let address = first.value("Address");
    assert_eq!(first.stop("INT").code, Some(0));
    let read = |name| fs::read(home.join(name)).unwrap();
    let before = [
        "ca.pem",
        "pki/server.key",
        "controller.yml",
        "admin-password",
    ]
    .map(read);

    let mut second = Serving::start(
        program()
            .args([
                "quickstart",
                "--ctrl-address",
                "elsewhere.example",
                "--username",
                "other",
            ])
            .args([
                "--password",
                "another password",
                "--key-type",
                "p384",
                "--home",
            ])
            .arg(&home),
    );
    second.ready();
    assert_eq!(second.value("Address"), address);
    assert_eq!(second.value("Administrator"), "admin");
    assert!(second.value("Password").starts_with("as before"));
    let ignored = second.line("created with other settings");
    assert!(
        ignored
            .ends_with(": --ctrl-address (it has localhost), --key-type (its keys already exist)"),
        "{ignored}"
    );
    second.line("an administrator already exists: --username");
    second.line("an administrator already exists: --password");
    assert_eq!(second.stop("TERM").code, Some(0));
    assert_eq!(
        [
            "ca.pem",
            "pki/server.key",
            "controller.yml",
            "admin-password"
        ]
        .map(read),
        before
    );
}

#[test]
fn temporary_home_is_removed_at_the_end() {
    for signal in ["TERM", "INT"] {
        let mut serving = Serving::start(program().args(["quickstart", "--ctrl-port", "0"]));
        serving.ready();
        let ca = PathBuf::from(serving.value("CA bundle"));
        assert!(ca.exists());
        let finished = serving.stop(signal);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(!ca.parent().unwrap().exists());
    }
}

#[test]
fn wishes_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (home, overlay) = (folder.path().join("home"), folder.path().join("part.yml"));
    fs::write(&overlay, "edge: {api: {sessionTimeout: 5m}}\n").unwrap();
    let mut serving = Serving::start(
        program()
            .env("ZITI_USER", "operator")
            .env("ZITI_PWD", "correct horse")
            .args([
                "quickstart",
                "--ctrl-port",
                "0",
                "--ctrl-address",
                "ctrl.example.test",
            ])
            .args(["--key-type", "p384", "--config"])
            .arg(&overlay)
            .arg("--home")
            .arg(&home),
    );
    serving.ready();
    assert!(
        serving
            .value("Address")
            .starts_with("https://ctrl.example.test:")
    );
    assert_eq!(serving.value("Administrator"), "operator");
    assert_eq!(serving.value("Password"), "as given");
    assert!(!home.join("admin-password").exists());
    let finished = serving.stop("TERM");
    let output = format!("{}{}", finished.stdout, finished.stderr);
    assert!(!output.contains("correct horse"), "{output}");
    let pem = fs::read_to_string(home.join("pki/server.chain.pem")).unwrap();
    let leaf = portcullis_pki::Certificate::from_pem(&pem).unwrap();
    for host in ["ctrl.example.test", "localhost", "127.0.0.1", "::1"] {
        assert!(leaf.covers_host(host), "{host}");
    }
    assert_eq!(
        leaf.public_key().unwrap().kind(),
        portcullis_pki::PublicKeyKind::P384
    );
}

#[test]
fn mistake_in_the_overlay_is_found_in_the_overlay() {
    let folder = tempfile::tempdir().unwrap();
    let overlay = folder.path().join("part.yml");
    fs::write(&overlay, "\nedge: {api: {sessionTimeuot: 5m}}\n").unwrap();
    let finished = finish(
        program()
            .args(["quickstart", "--ctrl-port", "0", "--config"])
            .arg(&overlay),
    );
    finished.failed_with(&["with", "part.yml", "cannot be used: 1 mistake"]);
    assert!(finished.stderr.contains("part.yml:2:14"), "{finished:?}");
}

#[test]
fn unfit_name_or_password_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let refused = |flag: &str, value: &str, parts: &[&str]| {
        let finished = finish(
            program()
                .args(["quickstart", "--ctrl-port", "0", flag, value, "--home"])
                .arg(&home),
        );
        finished.misused(parts);
        assert!(!home.exists());
    };
    refused(
        "-u",
        "ab",
        &["--username", "must be 4 to 100 characters long"],
    );
    refused(
        "-p",
        "1234",
        &["--password", "must be at least 5 characters long"],
    );
    refused(
        "-p",
        "",
        &["--password", "must be at least 5 characters long"],
    );
}

#[test]
fn kept_password_is_the_one_to_log_in_with_or_not_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let kept = home.join("admin-password");
    made(&home);
    let mut again = quickstart(&home);
    assert_eq!(
        again.value("Password"),
        format!("as before (in {})", kept.canonicalize().unwrap().display())
    );
    assert_eq!(again.stop("TERM").code, Some(0));

    fs::write(&kept, "another one\n").unwrap();
    let mut again = quickstart(&home);
    assert_eq!(again.value("Password"), "as before");
    again.line("which is out of date)");
    assert_eq!(again.stop("TERM").code, Some(0));
}

#[test]
fn wishes_that_are_met_are_not_called_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let mut first = quickstart(&home);
    let address = first.value("Address");
    let port = address.rsplit(':').next().unwrap();
    assert_eq!(first.stop("TERM").code, Some(0));
    let again = |port: &str| {
        let mut command = program();
        command
            .args([
                "quickstart",
                "--ctrl-address",
                "LOCALHOST",
                "--key-type",
                "p256",
            ])
            .args(["--ctrl-port", port, "--home"])
            .arg(&home);
        command
    };
    let mut serving = Serving::start(&mut again(port));
    serving.ready();
    let finished = serving.stop("TERM");
    assert!(!finished.stdout.contains("Ignored"), "{finished:?}");

    let _taken = std::net::TcpListener::bind(("127.0.0.1", port.parse().unwrap())).unwrap();
    let finished = finish(&mut again("1"));
    finished.failed_with(&[
        "the address is in use",
        "change the port in",
        "controller.yml",
    ]);
    let ignored = format!("other settings: --ctrl-port (it has {port})");
    assert!(finished.stdout.contains(&ignored), "{finished:?}");
    assert!(
        !finished.stderr.contains("choose another port"),
        "{finished:?}"
    );
}

#[test]
fn password_file_of_an_interrupted_start_is_used_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let left = |name: &str, content: &str| {
        let home = folder.path().join(name);
        fs::create_dir(&home).unwrap();
        fs::write(home.join("admin-password"), content).unwrap();
        home
    };
    let home = left("used", "left behind\n");
    let mut serving = quickstart(&home);
    assert!(
        serving
            .value("Password")
            .starts_with("left behind (also in")
    );

    let home = left("unfit", "1234\n");
    let mut serving = quickstart(&home);
    let kept = fs::read_to_string(home.join("admin-password")).unwrap();
    assert!(kept.trim().len() > 5, "{kept:?}");
    assert!(serving.value("Password").starts_with(kept.trim()));

    let home = left("removed", "left behind\n");
    let mut serving = Serving::start(
        program()
            .args([
                "quickstart",
                "--ctrl-port",
                "0",
                "-p",
                "correct horse",
                "--home",
            ])
            .arg(&home),
    );
    serving.ready();
    assert_eq!(serving.value("Password"), "as given");
    assert!(!home.join("admin-password").exists());
}

#[test]
fn password_can_be_given_without_showing_it() {
    let folder = tempfile::tempdir().unwrap();
    let (home, secret) = (folder.path().join("home"), folder.path().join("secret"));
    fs::write(&secret, "correct horse\n").unwrap();
    let start = || {
        Serving::start(
            program()
                .args(["quickstart", "--ctrl-port", "0", "--password-file"])
                .arg(&secret)
                .arg("--home")
                .arg(&home),
        )
    };
    let mut serving = start();
    serving.ready();
    assert_eq!(serving.value("Password"), "as given");
    let line = fs::read_to_string(format!("/proc/{}/cmdline", serving.id())).unwrap();
    assert!(!line.contains("correct horse"), "{line:?}");
    drop(serving);

    fs::write(&secret, "1234\n").unwrap();
    start()
        .ended()
        .misused(&["--password", "at least 5 characters"]);
}

#[test]
fn summary_on_a_terminal_is_not_scrolled_away_by_the_audit_trail() {
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let start = format!(
        "exec '{}' quickstart --ctrl-port 0 --home '{}'",
        env!("CARGO_BIN_EXE_portcullis-controller"),
        home.display()
    );
    let mut terminal = Serving::start_on_terminal(&start);
    terminal.ready();
    terminal.interrupt();
    let finished = terminal.ended();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished.stdout.starts_with("Portcullis is ready."),
        "{finished:?}"
    );
    assert!(!finished.stdout.contains("audit: "), "{finished:?}");
    let trail = fs::read_to_string(home.join("audit.jsonl")).unwrap();
    for operation in ["config-type.create", "identity.create"] {
        assert!(trail.contains(operation), "{operation}: {trail}");
    }
}
