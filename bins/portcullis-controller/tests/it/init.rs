//! `init`, beside `run`.

use crate::support::{Serving, finish, made, program, quickstart};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A home whose store has been put away: certificates and configuration, nothing else.
fn configured(home: &Path) {
    made(home);
    for name in [
        "ctrl.db.portcullis",
        "ctrl.db.portcullis.key",
        "admin-password",
    ] {
        fs::remove_file(home.join(name)).unwrap();
    }
}

#[test]
fn administrator_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    configured(&home);
    let config = home.join("controller.yml");
    let secret = folder.path().join("secret");
    fs::write(&secret, "correct horse\n").unwrap();
    let init = || {
        let mut command = program();
        command
            .arg("init")
            .arg(&config)
            .args(["-u", "operator", "--password-file"])
            .arg(&secret);
        command
    };
    let made = finish(&mut init());
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(
        made.stdout.starts_with("administrator operator created\n"),
        "{made:?}"
    );
    let run = format!("\n  portcullis-controller run {}", config.display());
    for next in [run.as_str(), "\n  portcullis login https://localhost:"] {
        assert!(made.stdout.contains(next), "{next}: {made:?}");
    }
    finish(&mut init()).failed_with(&[
        "this network already has an administrator, operator: to set its password, run \
         `portcullis-controller admin reset-password ",
        "controller.yml operator`",
    ]);
}

#[test]
fn password_is_asked_for_only_if_it_can_be_set() {
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let asked = |command: &str, who: &str| {
        let program = env!("CARGO_BIN_EXE_portcullis-controller");
        let config = home.join("controller.yml");
        let line = format!("{program} {command} {} {who}", config.display());
        Serving::start_on_terminal(&line).ended()
    };
    for (command, who, refusal) in [
        ("init", "-u admin", "already has an administrator, admin"),
        ("admin reset-password", "admni", "did you mean admin?"),
    ] {
        let finished = asked(command, who);
        // The terminal breaks lines.
        let shown = finished
            .stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(shown.contains(refusal), "{finished:?}");
        assert!(!shown.contains("Password:"), "{finished:?}");
    }
    finish(program().args(["init", "missing.yml", "-u", "admin"])).failed_with(&["missing.yml"]);
}

#[test]
fn unfit_names_and_passwords_are_refused_with_their_rule() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    configured(&home);
    let config = home.join("controller.yml");
    let init = |name: &str, password: &str| {
        finish(
            program()
                .arg("init")
                .arg(&config)
                .args(["-u", name, "-p", password]),
        )
    };
    init("me", "correct horse").misused(&["username", "4 to 100 characters"]);
    init("admin", "1234").misused(&["password", "at least 5 characters"]);
    let finished = finish(program().arg("init").arg(&config).args(["-u", "admin"]));
    finished.misused(&["a password is required: use --password-file FILE"]);
    assert!(!home.join("ctrl.db.portcullis").exists());
}

#[test]
fn password_comes_from_one_place() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    configured(&home);
    let secret = folder.path().join("secret");
    fs::write(&secret, "correct horse\n").unwrap();
    let init = || {
        let mut command = program();
        command
            .arg("init")
            .arg(home.join("controller.yml"))
            .args(["-u", "operator"]);
        command
    };
    let both = finish(
        init()
            .args(["-p", "other horse", "--password-file"])
            .arg(&secret),
    );
    both.misused(&["--password", "--password-file"]);
    assert!(!home.join("ctrl.db.portcullis").exists());

    // Only the first line counts, as in the files that `portcullis` reads.
    fs::write(&secret, "1234\ncorrect horse\n").unwrap();
    finish(init().arg("--password-file").arg(&secret)).failed_with(&["at least 5 characters"]);
    fs::write(&secret, "correct horse\nand more\n").unwrap();

    let mut piped = init();
    piped.args(["--password-file", "-"]);
    finish(&mut piped).failed_with(&["stdin contains no password"]);
    let output = piped
        .stdin(fs::File::open(&secret).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn variable_holds_a_new_password_unless_an_option_does() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let reset = |variable: &str, value: &str, options: &[&str]| {
        let mut command = program();
        command
            .env(variable, value)
            .args(["admin", "reset-password"]);
        finish(
            command
                .arg(home.join("controller.yml"))
                .arg("admin")
                .args(options),
        )
    };
    // The password to log in with is never one to set.
    reset("PORTCULLIS_PASSWORD", "correct horse", &[]).misused(&["a password is required"]);
    let variable = "PORTCULLIS_NEW_PASSWORD";
    reset(variable, "", &[]).misused(&["a password is required", variable]);
    reset(variable, "1234", &[]).misused(&["PORTCULLIS_NEW_PASSWORD: ", "at least 5"]);
    let stored = || fs::read_to_string(home.join("admin-password")).unwrap();
    assert_eq!(reset(variable, stored().trim(), &[]).code, Some(0));
    // A summary says whether the stored password is the current one.
    let is_current = || {
        let mut serving = Serving::start(program().arg("quickstart").arg("--home").arg(&home));
        serving.ready();
        !serving.stop("TERM").stdout.contains("is out of date")
    };
    assert!(is_current());
    let secret = folder.path().join("secret");
    fs::write(&secret, "correct horse").unwrap();
    let file = ["--password-file", secret.to_str().unwrap()];
    assert_eq!(reset(variable, stored().trim(), &file).code, Some(0));
    assert!(!is_current());
}

#[test]
fn network_without_administrator_is_served_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("my home");
    configured(&home);
    let config = home.join("controller.yml");
    // In the folder of a quickstart a store that is missing is a loss.
    fs::rename(home.join("pki"), home.join("certificates")).unwrap();
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("\"pki/", "\"certificates/")).unwrap();
    let mut serving = Serving::start(program().arg("run").arg(&config));
    let warning = serving.logged("there is no administrator");
    let advice = format!("init '{}' -u admin`", config.display());
    assert!(warning.contains(&advice), "{warning}");
    let finished = serving.stop("TERM");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished.stderr.contains("portcullis-controller init"),
        "{finished:?}"
    );
    for line in finished.stderr.lines() {
        let _: serde_json::Value = serde_json::from_str(line).unwrap();
    }
}

#[test]
fn running_controller_keeps_its_store_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let serving = quickstart(&home);
    let config = home.join("controller.yml");
    let init = finish(
        program()
            .arg("init")
            .arg(&config)
            .args(["-u", "admin", "-p", "secret"]),
    );
    init.failed_with(&[
        &format!("in use by process {};", serving.id()),
        "stop the controller that uses it first",
    ]);
    assert_eq!(serving.stop("TERM").code, Some(0));
}
