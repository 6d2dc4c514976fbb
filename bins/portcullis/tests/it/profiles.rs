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
        "logout",
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
fn session_is_forgotten_even_when_the_controller_is_away() {
    let environment = Environment::new();
    let url = closed();
    environment.log_in(&url);
    let first = environment.run("logout");
    assert_eq!(first.code, 4, "{}", first.stderr);
    let file = environment.profiles().join("profiles.json");
    assert!(!environment.read(&file).contains("s3cret"));
    let second = environment.run("logout");
    assert_eq!(second.code, 3);
    let hint = format!("hint: run `portcullis login {url}`\n");
    assert!(second.stderr.ends_with(&hint), "{}", second.stderr);
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
