//! The exit codes that the help promises, and words that say what to do next.

use crate::Session;
use std::path::Path;
use support::controller::free_port;
use support::{binaries, run};

#[test]
fn exit_codes_tell_what_went_wrong() {
    let session = Session::new();
    let nowhere = format!("https://localhost:{}", free_port());
    for (arguments, code, hint) in [
        (&["identity", "list"][..], 3, "portcullis login"),
        (&["whoami"], 3, "portcullis login"),
        (&["identity", "bogus"], 2, "--help"),
        (&["identity", "create"], 2, "--help"),
        (
            &[
                "login",
                "http://localhost:1",
                "--username",
                "admin",
                "--yes",
            ],
            2,
            "https",
        ),
        (
            &["login", &nowhere, "--username", "admin", "--yes"],
            4,
            "hint: ",
        ),
        (&["enroll", "nothing.jwt"], 1, "nothing.jwt"),
    ] {
        let outcome = session.run(arguments).expect_code(code);
        assert!(
            outcome.stderr.contains(hint),
            "{arguments:?}: {}",
            outcome.stderr
        );
        assert_eq!(outcome.text(), "", "{arguments:?}");
    }

    session.log_in();
    for (arguments, hint) in [
        (
            &["identity", "show", "nobody"][..],
            "portcullis identity list",
        ),
        (&["identity", "list", "--filter", "name ="], "filter"),
        (&["identity", "create", "admin", "--type", "user"], "name"),
        (&["enrollment", "delete", "nothing", "--yes"], "nothing"),
    ] {
        let outcome = session.run(arguments).expect_code(1);
        assert!(
            outcome.stderr.contains(hint),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
    let login = ["login", "--username", "admin"];
    let wrong = session
        .run_with_password(&login, "not-the-password")
        .expect_code(1);
    assert!(
        !wrong.stderr.contains("not-the-password"),
        "{}",
        wrong.stderr
    );

    assert!(
        wrong
            .stderr
            .contains("hint: check the username and password\n"),
        "{}",
        wrong.stderr
    );

    session.run(&["logout"]).success();
    session.run(&["identity", "list"]).expect_code(3);
}

#[test]
fn controller_that_is_gone_is_unreachable() {
    let session = Session::logged_in();
    let Session { controller, site } = session;
    controller.kill();
    let controller = site.quickstart().start();
    let session = Session { controller, site };
    session.run(&["whoami"]).success();
    let url = session.controller.url().to_owned();
    let mut cli = session.command(&binaries::cli());
    assert!(session.controller.terminate().success());
    let outcome = run(cli.arg("whoami")).expect_code(4);
    assert!(outcome.stderr.contains("hint: "), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains(url.trim_start_matches("https://")),
        "{}",
        outcome.stderr
    );
}

/// What cannot be written is a failure, of help as well.
#[test]
fn results_that_are_lost_are_no_success() {
    let session = Session::new();
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\" > out";
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["identity", "create", "--help"],
        &["version"],
        &["completion", "bash"],
    ] {
        let mut shell = session.command(Path::new("sh"));
        shell.args(["-c", script]).arg(binaries::cli());
        let outcome = run(shell.args(arguments)).expect_code(1);
        let told = "error: the output cannot be written";
        assert!(outcome.stderr.starts_with(told), "{}", outcome.stderr);
    }
}

#[test]
fn help_names_the_exit_codes() {
    let session = Session::new();
    let help = session.run(&["--help"]).success().text();
    for code in [
        "0    success",
        "1    ",
        "2    ",
        "3    not logged in",
        "4    ",
        "130  ",
    ] {
        assert!(help.contains(&format!("\n  {code}")), "{help}");
    }
}
