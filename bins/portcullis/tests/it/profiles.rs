//! Stored profiles.

use crate::environment::{Environment, closed, outcome};
use insta::assert_snapshot;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

#[test]
fn commands_that_need_a_session_say_how_to_get_one() {
    let environment = Environment::new();
    for line in [
        "whoami",
        "identity list",
        "identity show x",
        "identity create x",
        "identity delete x y",
        "enrollment list",
        "enrollment refresh x",
        "version --controller",
    ] {
        let outcome = environment.run(line);
        assert_eq!(outcome.code, 3, "{line}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
        assert!(
            outcome
                .stderr
                .ends_with("hint: run `portcullis login URL --username NAME`\n"),
            "{line}"
        );
    }
}

#[test]
fn misspelled_profiles_are_told_from_sessions_that_are_missing() {
    let environment = Environment::new();
    environment.log_in(&closed());
    let outcome = environment.run("whoami --profile defualt");
    assert_eq!(outcome.code, 3);
    assert_snapshot!(outcome.stderr, @"
        error: there is no profile `defualt`
        hint: did you mean `default`?
        ");
    let outcome = environment.run("whoami --profile other");
    assert_snapshot!(outcome.stderr, @"
        error: there is no profile `other`
        hint: there are `default`
        ");
}

#[test]
fn session_is_forgotten_even_when_the_controller_is_away() {
    let environment = Environment::new();
    let url = closed();
    environment.log_in(&url);
    let first = environment.run("logout");
    assert_eq!(first.code, 4, "{}", first.stderr);
    let file = environment.profiles().join("profiles.json");
    assert!(!environment.read(&file).contains("s3cret"));
    let second = environment.run("logout");
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(second.stdout, "Not logged in (profile `default`).\n");
}

#[test]
fn profiles_are_for_their_owner_alone() {
    let environment = Environment::new();
    environment.log_in(&closed());
    let file = environment.profiles().join("profiles.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(environment.run("logout").code, 4);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
}

/// Set to nothing is how shells leave a variable out.
#[test]
fn empty_variables_count_as_unset() {
    let environment = Environment::new();
    environment.log_in(&closed());
    let mut command = environment.command();
    command
        .env("PORTCULLIS_PROFILE", "")
        .env("PORTCULLIS_CONFIG_DIR", "");
    let outcome = outcome(command.arg("whoami"));
    assert_eq!(outcome.code, 4, "logged in, and away: {}", outcome.stderr);
}

#[test]
fn profiles_stand_beside_each_other() {
    let environment = Environment::new();
    environment.log_in(&closed());
    let other = environment.run("whoami --profile other");
    assert_eq!(other.code, 3);
    assert!(other.stderr.contains("`other`"), "{}", other.stderr);
    let mut command = environment.command();
    command.env("PORTCULLIS_PROFILE", "another").arg("whoami");
    assert!(outcome(&mut command).stderr.contains("`another`"));
    let mut command = environment.command();
    command
        .env("PORTCULLIS_CONFIG_DIR", environment.path("elsewhere"))
        .arg("whoami");
    assert_eq!(outcome(&mut command).code, 3);
}

#[test]
fn broken_profiles_are_named() {
    let environment = Environment::new();
    environment.write("home/.config/portcullis/profiles.json", "{");
    assert_snapshot!(environment.transcript(&["whoami"]), @r"
        $ portcullis whoami
        error: FOLDER/home/.config/portcullis/profiles.json cannot be read: unexpected JSON at line 1, column 1
        hint: repair or remove the file, then log in again
        [1]
        ");
}

#[test]
fn profiles_are_listed_chosen_and_removed() {
    let environment = Environment::new();
    assert_eq!(
        environment.run("profile list").stdout,
        "no profiles; `portcullis login URL` makes one\n"
    );
    let profiles = serde_json::json!({"profiles": {
        "default": {"url": closed(), "username": "admin", "session": {"token": "s3cret-token"}},
        "staging": {"url": "https://staging:1280"},
        "evil\u{1b}[2J\u{202e}": {"url": "https://evil:1280"},
    }});
    let file = "home/.config/portcullis/profiles.json";
    environment.write(file, &profiles.to_string());
    let current = |arguments: &str| {
        let list = environment.run(&format!("profile list -o json {arguments}"));
        let list: serde_json::Value = serde_json::from_str(&list.stdout).unwrap();
        let current = list.as_array().unwrap().iter();
        let mut current = current.filter(|profile| profile["isCurrent"] == true);
        current.next().map(|profile| profile["name"].clone())
    };
    assert_eq!(current("").unwrap(), "default");
    assert_eq!(environment.run("profile use staging").code, 0);
    assert_eq!(current("").unwrap(), "staging");
    assert_eq!(current("--profile default").unwrap(), "default");
    let mut command = environment.command();
    command.env("PORTCULLIS_PROFILE", "default");
    let shown = outcome(command.args(["profile", "show", "-o", "json"]));
    assert!(
        shown.stdout.contains("\"name\": \"default\""),
        "{}",
        shown.stdout
    );

    let unknown = environment.run("profile use stagin");
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.stderr.contains("did you mean `staging`?"),
        "{}",
        unknown.stderr
    );
    let unconfirmed = environment.run("profile remove staging");
    assert_eq!(unconfirmed.code, 2, "{}", unconfirmed.stderr);
    assert_eq!(environment.run("profile remove staging --yes").code, 0);
    assert_eq!(current("").unwrap(), "default");
    // The controller is away, and the session is gone all the same.
    let removed = environment.run("profile remove default --yes");
    assert_eq!(removed.code, 0);
    assert!(
        removed.stderr.contains("could not be ended"),
        "{}",
        removed.stderr
    );
    assert!(!environment.read(Path::new(file)).contains("s3cret"));
}

/// Nobody has asked for the controller.
#[test]
fn version_does_not_depend_on_the_controller() {
    let environment = Environment::new();
    environment.log_in(&closed());
    assert_eq!(environment.run("version").code, 0);
    assert_eq!(environment.run("version --controller").code, 4);
    environment.write("home/.config/portcullis/profiles.json", "no JSON");
    assert_eq!(environment.run("version").code, 0);
}
