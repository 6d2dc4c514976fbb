//! Whose certificates the command line takes.

use crate::Session;
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::thread;
use support::openssl::Openssl;
use support::tools::are_available;
use support::{Tool, binaries, command, run, wait};

#[test]
fn unknown_controller_is_not_trusted_without_a_word() {
    let session = Session::new();
    let login = ["login", session.controller.url(), "--username", "admin"];
    let refused = session.run(&login).expect_code(2);
    assert!(refused.stderr.contains("SHA-256"), "{}", refused.stderr);
    let told = refused.stderr.split_once("error: ").unwrap().1;
    assert_snapshot!(told, @"
        the controller is not trusted yet, and there is no terminal to ask on
        hint: pass `--fingerprint SHA256`, which `portcullis-controller fingerprint` shows on its machine, or `--ca FILE`
        hint: `--yes` trusts whoever answers, without a comparison
        ");
    session.run(&["whoami"]).expect_code(3);

    let accepted = session.run(&[&login[..], &["--yes"]].concat());
    let told = accepted.success().stderr;
    assert!(told.contains("because of `--yes`"), "{told}");
    // From now on it is known.
    session.run(&login).success();
    session.run(&["whoami"]).success();
}

#[test]
fn ways_to_pass_a_password_are_named_without_a_terminal() {
    let session = Session::logged_in();
    let mut login = session.command(&binaries::cli());
    login.arg("login").env_remove("PORTCULLIS_PASSWORD");
    let told = run(&mut login).expect_code(2).stderr;
    assert_snapshot!(told, @"
        error: cannot prompt for the password: there is no terminal
        hint: pass `--password-file FILE` (`-` for standard input), or set `PORTCULLIS_PASSWORD`
        ");
}

#[test]
fn question_shows_the_fingerprint_that_openssl_computes() {
    if !are_available(&[Tool::Openssl]) {
        return;
    }
    let session = Session::new();
    let login = ["login", session.controller.url(), "--username", "admin"];
    let shown = session.run(&login).expect_code(2).stderr;
    let openssl = Openssl::new(session.site.work());
    // The first certificate of the bundle is the root.
    let mut command = openssl.command();
    command.args(["x509", "-noout", "-fingerprint", "-sha256", "-in"]);
    let printed = run(command.arg(session.controller.ca())).success().text();
    let fingerprint = printed.trim().split_once('=').unwrap().1;
    assert!(shown.contains(fingerprint), "{fingerprint}: {shown}");
}

/// The fingerprint that a login shows for the CA of a controller.
fn fingerprint(session: &Session) -> String {
    let login = ["login", session.controller.url(), "--username", "admin"];
    let shown = session.run(&login).expect_code(2).stderr;
    let line = shown.lines().find(|line| line.contains("SHA-256"));
    line.unwrap().split_whitespace().last().unwrap().to_owned()
}

#[test]
fn only_the_ca_with_the_given_fingerprint_is_trusted() {
    let (session, other) = (Session::new(), Session::new());
    let (own, foreign) = (fingerprint(&session), fingerprint(&other));
    let login = ["login", session.controller.url(), "--username", "admin"];
    let with =
        |fingerprint: &str| session.run(&[&login[..], &["--fingerprint", fingerprint]].concat());
    let refused = with(&foreign).expect_code(4).stderr;
    assert!(
        refused.contains(&own) && refused.contains(&foreign),
        "{refused}"
    );
    with("AA:BB").expect_code(2);
    session.run(&["whoami"]).expect_code(3);

    let trusted = with(&own.to_lowercase().replace(':', "")).success();
    assert!(
        !trusted.stderr.contains("SHA-256"),
        "nothing is left to confirm"
    );
    session.run(&["whoami"]).success();
}

#[test]
fn enrollment_leaves_the_ca_that_its_token_vouched_for() {
    let session = Session::logged_in();
    let create = [
        "identity",
        "create",
        "carl",
        "--updb",
        "carl",
        "--output-jwt",
        "carl.jwt",
    ];
    session.run(&create).success();
    let carl = ["--profile", "carl"];
    session
        .run(&[&carl[..], &["enroll", "carl.jwt"]].concat())
        .success();
    let login = ["login", session.controller.url()];
    let login = session.run(&[&carl[..], &login].concat()).success();
    assert!(!login.stderr.contains("SHA-256"), "{}", login.stderr);
    session.run(&[&carl[..], &["whoami"]].concat()).success();
}

#[test]
fn what_is_no_controller_is_told() {
    let session = Session::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            // What is left unread would break the connection before the answer arrives.
            if client.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {
                let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        }
    });
    let url = format!("https://localhost:{port}");
    let refused = session.run(&["login", &url, "--username", "admin", "--yes"]);
    let refused = refused.expect_code(4).stderr;
    assert!(
        refused.contains("it speaks no TLS (plain HTTP?)"),
        "{refused}"
    );
}

#[test]
fn answer_to_the_question_counts() {
    if !are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::new();
    for (answer, code) in [("n\n", 1), ("y\n", 0)] {
        // A terminal of its own, since only there something is asked.
        let mut terminal = session.command(Path::new("script"));
        let line = format!(
            "{} login {} --username admin",
            binaries::cli().display(),
            session.controller.url()
        );
        terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        let outcome = command::run_with(&mut terminal, answer.as_bytes(), wait::DEFAULT_TIMEOUT);
        let outcome = outcome.expect_code(code);
        assert!(outcome.text().contains("SHA-256"), "{}", outcome.text());
    }
    session.run(&["whoami"]).success();
}

#[test]
fn authorities_of_another_network_are_refused() {
    let (session, other) = (Session::new(), Session::new());
    let ca = other.controller.ca();
    let login = ["login", session.controller.url(), "--username", "admin"];
    let refused = session.run(&[&login[..], &["--ca", ca.to_str().unwrap()]].concat());
    let refused = refused.expect_code(4);
    assert!(refused.stderr.starts_with("error: "), "{}", refused.stderr);
    session.run(&["whoami"]).expect_code(3);

    // Neither is a file without certificates.
    let empty = session.site.file("empty.pem");
    fs::write(&empty, "").unwrap();
    let refused = session.run(&[&login[..], &["--ca", empty.to_str().unwrap()]].concat());
    assert!(matches!(refused.code(), 1 | 2), "{}", refused.stderr);
}

/// Whoever asks a controller with other authorities than before learns what can be done about it.
#[test]
fn replaced_authorities_are_explained() {
    let (session, other) = (Session::logged_in(), Session::new());
    let create = ["identity", "create", "laptop", "--output-jwt", "laptop.jwt"];
    session.run(&create).success();
    session.run(&["enroll", "laptop.jwt"]).success();
    let theirs = fs::read_to_string(other.controller.ca()).unwrap();
    let profiles = session.site.folder().join("profiles/profiles.json");
    let text = fs::read_to_string(&profiles).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["profiles"]["default"]["ca"] = theirs.clone().into();
    fs::write(&profiles, document.to_string()).unwrap();
    let url = session.controller.url();
    let hint = format!("`portcullis login {url} --forget-ca`");
    for arguments in [
        &["login"][..],
        &["whoami"],
        &["identity", "list"],
        &["identity", "delete", "a"],
        &["api", "GET", "identities"],
        &["version", "--controller"],
        &["logout"],
    ] {
        let refused = session.run(arguments).expect_code(4).stderr;
        assert!(refused.contains(&hint), "{arguments:?}: {refused}");
    }

    let file = session.site.file("laptop.json");
    let mut identity: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    identity["id"]["ca"] = format!("pem:{theirs}").into();
    fs::write(&file, identity.to_string()).unwrap();
    let whoami = ["whoami", "--identity", "laptop.json"];
    let refused = session.run(&whoami).expect_code(4).stderr;
    assert!(refused.contains("enroll again"), "{refused}");
}
