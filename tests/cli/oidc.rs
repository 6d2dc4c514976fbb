//! Sessions that are opened by OpenID Connect.

use crate::Session;
use crate::session::PASSWORD;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use support::{TestDirectory, binaries};

/// The file with the profiles.
fn profiles(session: &Session) -> PathBuf {
    session.site.folder().join("profiles/profiles.json")
}

fn read(session: &Session) -> Value {
    serde_json::from_slice(&fs::read(profiles(session)).unwrap()).unwrap()
}

/// The stored session of a profile.
fn stored(session: &Session, profile: &str) -> Value {
    read(session)["profiles"][profile]["session"].clone()
}

/// Has the access token of the profile be over, as far as the command line knows.
fn expire(session: &Session) {
    let mut all = read(session);
    all["profiles"]["default"]["session"]["accessExpiresAt"] = json!("2026-01-01T00:00:00.000Z");
    fs::write(profiles(session), all.to_string()).unwrap();
}

#[test]
fn tokens_are_kept_in_a_private_file_and_shown_nowhere() {
    let session = Session::new();
    let ca = session.controller.ca();
    let login = ["--verbose", "login", session.controller.url(), "--ca"];
    let who = [ca.to_str().unwrap(), "--username", "admin"];
    let login = session.run(&[&login[..], &who].concat()).success();
    let held = stored(&session, "default");
    let tokens = ["accessToken", "refreshToken"].map(|name| held[name].as_str().unwrap());
    let mode = fs::metadata(profiles(&session))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    let shown = session.json(&["profile", "show"]);
    assert_eq!(shown["protocol"], "oidc");
    assert_eq!(shown["expiresAt"], held["expiresAt"]);
    let who = session.json(&["whoami"]);
    assert_eq!(who["session"]["expiresAt"], held["expiresAt"]);
    let told = [
        login.text(),
        login.stderr,
        shown.to_string(),
        session.run(&["--verbose", "whoami"]).success().stderr,
        session.run(&["profile", "show"]).success().text(),
    ];
    for (text, token) in told
        .iter()
        .flat_map(|text| tokens.map(|token| (text, token)))
    {
        assert!(!text.contains(token), "{text}");
    }
    let log = session.site.logged();
    assert!(tokens.iter().all(|token| !log.contains(token)));
}

#[test]
fn one_of_several_processes_renews_for_all() {
    let session = Session::logged_in();
    let before = stored(&session, "default");
    expire(&session);
    let run = || {
        let mut command = session.command(&binaries::cli());
        command.args(["--verbose", "whoami"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| run()).collect();
    let renewals: usize = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{told}");
            told.matches("POST /oidc/oauth/token").count()
        })
        .sum();
    assert_eq!(renewals, 1);
    let after = stored(&session, "default");
    for token in ["accessToken", "refreshToken"] {
        assert_ne!(before[token], after[token], "{token}");
    }
    session.run(&["whoami"]).success();
    let mode = fs::metadata(profiles(&session))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Whoever stole the file, or restored an old one, ends the session, and is told to log in.
#[test]
fn spent_refresh_token_leads_to_a_new_login() {
    let session = Session::logged_in();
    expire(&session);
    let old = fs::read(profiles(&session)).unwrap();
    session.run(&["whoami"]).success();
    fs::write(profiles(&session), old).unwrap();
    let refused = session.run(&["whoami"]).expect_code(3).stderr;
    assert!(refused.contains("the session has expired"), "{refused}");
    let hint = format!("run `portcullis login {}`", session.controller.url());
    assert!(refused.contains(&hint), "{refused}");
    session.run(&["login"]).success();
    session.run(&["whoami"]).success();
}

#[test]
fn logout_revokes_and_forgets_even_without_the_controller() {
    let session = Session::logged_in();
    let kept = fs::read(profiles(&session)).unwrap();
    session.run(&["logout"]).success();
    assert_eq!(stored(&session, "default"), Value::Null);
    fs::write(profiles(&session), kept).unwrap();
    let refused = session.run(&["whoami"]).expect_code(3).stderr;
    assert!(refused.contains("the session has expired"), "{refused}");
    session.run(&["logout"]).success();

    session.log_in();
    let Session { controller, site } = session;
    let url = controller.url().to_owned();
    controller.kill();
    let session = Offline { site };
    let refused = session.run(&["logout"], 4);
    assert!(refused.contains("cannot be reached"), "{refused}");
    assert!(
        refused.contains("the session was removed here"),
        "{refused}"
    );
    let refused = session.run(&["whoami"], 3);
    assert!(
        refused.contains(&format!("portcullis login {url}")),
        "{refused}"
    );
}

/// The folder of a person whose controller is gone.
struct Offline {
    site: TestDirectory,
}

impl Offline {
    fn run(&self, arguments: &[&str], code: i32) -> String {
        let mut command = std::process::Command::new(binaries::cli());
        command
            .args(arguments)
            .env("PORTCULLIS_CONFIG_DIR", self.site.folder().join("profiles"));
        support::run(&mut command).expect_code(code).stderr
    }
}

#[test]
fn controller_without_oidc_opens_sessions_with_a_token() {
    let site = TestDirectory::new();
    let config = site.file("partial.yml");
    fs::write(&config, "edge: {api: {disableOidcAutoBinding: true}}\n").unwrap();
    let launch = site.quickstart().with(["--password", PASSWORD]);
    let controller = launch.with(["--config", config.to_str().unwrap()]).start();
    let session = Session { controller, site };
    session.log_in();
    assert!(stored(&session, "default")["token"].is_string());
    assert_eq!(
        session.json(&["profile", "show"])["protocol"],
        "session-token"
    );
    session.run(&["whoami"]).success();
    let refused = session.run(&["login", "--browser"]).expect_code(1).stderr;
    assert!(
        refused.contains("offers no login in a browser"),
        "{refused}"
    );
    session.run(&["whoami"]).success();
    session.run(&["logout"]).success();
}

/// Access tokens of a login by certificate count with that certificate alone.
#[test]
fn certificate_goes_with_every_command() {
    let session = Session::logged_in();
    let create = ["identity", "create", "anna", "--output-jwt", "anna.jwt"];
    session.run(&create).success();
    session.run(&["enroll", "anna.jwt"]).success();
    let anna = ["--profile", "anna"];
    let login = ["login", "--identity", "anna.json"];
    session.run(&[&anna[..], &login].concat()).success();
    assert!(stored(&session, "anna")["refreshToken"].is_string());
    let who = session.json(&["whoami", "--profile", "anna"]);
    assert_eq!(who["name"], "anna");

    let (here, away) = (
        session.site.file("anna.json"),
        session.site.file("away.json"),
    );
    fs::rename(&here, &away).unwrap();
    let refused = session.run(&["whoami", "--profile", "anna"]).expect_code(1);
    assert!(refused.stderr.contains("anna.json"), "{}", refused.stderr);
    session.run(&["logout", "--profile", "anna"]).success();
    fs::rename(&away, &here).unwrap();
    session.run(&[&anna[..], &["login"]].concat()).success();
    session.run(&["whoami", "--profile", "anna"]).success();
}
