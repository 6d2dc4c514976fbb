//! The exit codes that the help promises, and words that say what to do next.

use crate::Session;
use insta::assert_snapshot;
use std::path::Path;
use support::controller::free_port;
use support::{binaries, run};

#[test]
fn exit_codes_tell_what_went_wrong() {
    let session = Session::new();
    let nowhere = format!("https://localhost:{}", free_port());
    let transcript = session.transcript(&[
        "identity list",
        "whoami",
        "identity bogus",
        "identity create",
        "login http://localhost:1 --username admin --yes",
        &format!("login {nowhere} --username admin --yes"),
        "enroll nothing.jwt",
    ]);
    assert_snapshot!(transcript.replace(&nowhere[8..], "NOWHERE"), @r"
        $ portcullis identity list
        error: not logged in (profile `default`)
        hint: run `portcullis login URL --username NAME`
        [3]
        $ portcullis whoami
        error: not logged in (profile `default`)
        hint: run `portcullis login URL --username NAME`
        [3]
        $ portcullis identity bogus
        error: unrecognized subcommand 'bogus'

        Usage: portcullis identity <COMMAND>

        For more information, try '--help'.
        [2]
        $ portcullis identity create
        error: the following required arguments were not provided:
          <NAME>

        Usage: portcullis identity create <NAME>

        For more information, try '--help'.
        [2]
        $ portcullis login http://localhost:1 --username admin --yes
        error: `http://localhost:1` is not a controller address: controllers speak https only
        hint: use https://localhost:1
        [2]
        $ portcullis login https://NOWHERE --username admin --yes
        error: the controller at NOWHERE cannot be reached: nothing is listening there
        hint: check that the controller is running and that the address NOWHERE is correct
        [4]
        $ portcullis enroll nothing.jwt
        error: nothing.jwt cannot be read: it does not exist
        hint: the first argument is the file with the token, which administrators write with `portcullis enrollment show ID --output-jwt FILE`
        [1]
        ");

    session.log_in();
    let transcript = session.transcript(&[
        "identity show nobody",
        "identity list --filter 'name ='",
        "identity create admin --type user",
        "identity create anna --enrollment none --output name",
        "identity update anna --name admin",
        "enrollment delete nothing --yes",
        "enrollment show anna --output-jwt anna.jwt",
        "enrollment refresh anna",
        "identity list --columns 'NAME, Admin'",
        "ca create corporate nothing.pem",
    ]);
    assert_snapshot!(transcript, @r#"
        $ portcullis identity show nobody
        error: no identity with id or name `nobody` exists
        hint: run `portcullis identity list` to list them
        [1]
        $ portcullis identity list --filter 'name ='
        error: the controller refused: The filter is not valid (INVALID_FILTER): line 1, column 7: expected a string, a number, a datetime, a boolean or `null`, but found end
          name =
                ^
        hint: filters look like `name contains "lap" and isAdmin = false`
        request id: REQUEST
        [1]
        $ portcullis identity create admin --type user
        error: an identity named `admin` exists already
        hint: see it with `portcullis identity show admin`
        request id: REQUEST
        [1]
        $ portcullis identity create anna --enrollment none --output name
        anna
        [0]
        $ portcullis identity update anna --name admin
        error: an identity named `admin` exists already
        hint: see it with `portcullis identity show admin`
        request id: REQUEST
        [1]
        $ portcullis enrollment delete nothing --yes
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND): enrollment with id nothing not found
        hint: `portcullis enrollment list --identity NAME` shows the ids of an identity
        request id: REQUEST
        [1]
        $ portcullis enrollment show anna --output-jwt anna.jwt
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND): enrollment with id anna not found
        hint: `portcullis enrollment list --identity NAME` shows the ids of an identity
        request id: REQUEST
        [1]
        $ portcullis enrollment refresh anna
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND)
        hint: `portcullis enrollment list --identity NAME` shows the ids of an identity
        request id: REQUEST
        [1]
        $ portcullis identity list --columns 'NAME, Admin'
        NAME   ADMIN
        admin  yes
        anna
        2 identities
        [0]
        $ portcullis ca create corporate nothing.pem
        error: nothing.pem cannot be read: it does not exist
        hint: the second argument is the PEM file with the certificate of the CA
        hint: ask whoever runs the CA for it; for a trial, make one with `openssl req -x509 -newkey rsa:3072 -nodes -subj /CN=trial -keyout ca.key -out ca.pem`
        [1]
        "#);
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
