//! Where files go, and what happens to those that are there.

use crate::Session;
use insta::assert_snapshot;
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;
use support::{CommandOutput, binaries, run};

/// Runs the command line where not a byte can be written to a file.
fn run_without_room(session: &Session, arguments: &[&str]) -> CommandOutput {
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let mut shell = session.command(Path::new("sh"));
    shell.args(["-c", script]).arg(binaries::cli());
    run(shell.args(arguments))
}

#[test]
fn token_in_place_of_its_file_is_not_repeated() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--output-jwt", "laptop.jwt"];
    session.run(&create).success();
    let token = fs::read_to_string(session.site.file("laptop.jwt")).unwrap();
    let token = token.trim();
    for line in [
        &["enroll", token][..],
        &["enroll", "laptop.jwt", "--ext-jwt", token],
        &["login", "--ext-jwt", token],
    ] {
        let told = session.run(line).stderr;
        assert!(!told.contains(token), "{told}");
    }
    let told = session.run(&["enroll", token]).expect_code(2).stderr;
    assert_snapshot!(told, @"
        error: the argument is a token, not a file with a token
        hint: give the file that contains it, or pipe it in and give `-`
        ");
}

#[test]
fn token_is_not_spent_for_a_place_that_cannot_be_written() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--output-jwt", "laptop.jwt"];
    session.run(&create).success();
    fs::create_dir(session.site.file("folder")).unwrap();
    for out in ["folder", "new/", "missing/x.json"] {
        let enroll = ["enroll", "laptop.jwt", "--force", "--out", out];
        let refused = session.run(&enroll).expect_code(1).stderr;
        let told = format!("error: `{out}` cannot be written: ");
        assert!(refused.starts_with(&told), "{refused}");
    }
    let full = run_without_room(&session, &["enroll", "laptop.jwt"]);
    let full = full.expect_code(1).stderr;
    let told = "error: laptop.json cannot be written: ";
    assert!(full.starts_with(told), "{full}");
    assert!(!full.contains(".portcullis-"), "{full}");

    session.run(&["enroll", "laptop.jwt"]).success();
    session
        .run(&["whoami", "--identity", "laptop.json"])
        .success();
    let left = fs::read_dir(session.site.work()).unwrap().count();
    assert_eq!(left, 3, "token, identity and folder");
}

#[test]
fn identity_is_not_created_for_a_token_that_cannot_be_written() {
    let session = Session::logged_in();
    fs::create_dir(session.site.file("folder")).unwrap();
    let create = ["identity", "create", "laptop", "--output-jwt"];
    let folder = [&create[..], &["folder", "--force"]].concat();
    let refused = session.run(&folder).expect_code(1).stderr;
    assert!(refused.contains("it is a directory"), "{refused}");
    let file = [&create[..], &["laptop.jwt"]].concat();
    let full = run_without_room(&session, &file).expect_code(1).stderr;
    assert!(full.contains("laptop.jwt cannot be written"), "{full}");
    session.run(&["identity", "show", "laptop"]).expect_code(1);
    session.run(&file).success();
}

/// A token that is lost on its way out can be had again.
#[test]
fn identity_without_its_token_is_told() {
    let session = Session::logged_in();
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" identity create laptop \
                  --output-jwt - > token";
    let mut shell = session.command(Path::new("sh"));
    let failed = run(shell.args(["-c", script]).arg(binaries::cli()));
    let failed = failed.expect_code(1).stderr;
    let laptop = session.json(&["identity", "show", "laptop"]);
    let id = laptop["id"].as_str().unwrap();
    let told = format!("the identity `laptop` was created with id {id}");
    assert!(failed.contains(&told), "{failed}");
    let enrollment = laptop["enrollment"]["ott"]["id"].as_str().unwrap();
    let told = format!("`portcullis enrollment show {enrollment} --output-jwt FILE`");
    assert!(failed.contains(&told), "{failed}");
    let show = ["enrollment", "show", enrollment, "--output-jwt", "x.jwt"];
    session.run(&show).success();
    session.run(&["enroll", "x.jwt"]).success();
}

#[test]
fn identity_that_cannot_be_shown_is_told() {
    let session = Session::logged_in();
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" identity create laptop > shown";
    let mut shell = session.command(Path::new("sh"));
    let failed = run(shell.args(["-c", script]).arg(binaries::cli()));
    let failed = failed.expect_code(1).stderr;
    assert!(
        failed.contains("the identity `laptop` was created"),
        "{failed}"
    );
    session.run(&["identity", "show", "laptop"]).success();
}

/// An identity is not lost when its place turns out to be a bad one after the token was spent.
#[test]
fn identity_of_a_spent_token_is_kept() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--output-jwt", "laptop.jwt"];
    session.run(&create).success();
    let pipe = session.site.file("pipe");
    run(Command::new("mkfifo").arg(&pipe)).success();
    // Whoever reads the pipe is gone before there is anything to read.
    let reader = thread::spawn(move || drop(File::open(pipe).unwrap()));
    let mut enroll = session.command(&binaries::cli());
    enroll.args(["enroll", "laptop.jwt", "--out", "pipe", "--force"]);
    enroll.env("TMPDIR", session.site.work());
    let failed = run(&mut enroll).expect_code(1).stderr;
    reader.join().unwrap();
    assert!(failed.contains("pipe cannot be written"), "{failed}");
    assert!(failed.contains("the token has been used"), "{failed}");
    let (_, kept) = failed.split_once("was saved to ").unwrap();
    let (kept, _) = kept.split_once(';').unwrap();
    let mode = fs::metadata(kept).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    session.run(&["whoami", "--identity", kept]).success();
}

/// Whatever `--force` says: the key could not be had again.
#[test]
fn files_that_are_read_are_not_written_over() {
    let session = Session::new();
    let file = |name: &str| session.site.file(name);
    for name in ["m.jwt", "m.pem", "m.key", "password"] {
        fs::write(file(name), name).unwrap();
    }
    symlink("m.key", file("link")).unwrap();
    fs::hard_link(file("m.key"), file("hard")).unwrap();
    let certificate = ["enroll", "m.jwt", "--cert", "m.pem", "--key", "m.key"];
    let password = ["enroll", "m.jwt", "--password-file", "password"];
    for (line, out) in [
        (&certificate[..], "m.key"),
        (&certificate[..], "./m.key"),
        (&certificate[..], "link"),
        (&certificate[..], "hard"),
        (&certificate[..], "m.pem"),
        (&certificate[..], "m.jwt"),
        (&password[..], "password"),
        (&["enroll", "m.jwt", "--ext-jwt", "m.pem"], "m.pem"),
    ] {
        let line = [line, &["--out", out, "--force"]].concat();
        let refused = session.run(&line).expect_code(2).stderr;
        assert!(
            refused.contains("is not overwritten"),
            "{line:?}: {refused}"
        );
    }
    for name in ["m.jwt", "m.pem", "m.key", "password"] {
        assert_eq!(fs::read_to_string(file(name)).unwrap(), name);
    }
}

#[test]
fn only_files_are_replaced() {
    let session = Session::logged_in();
    let file = |name: &str| session.site.file(name);
    let create = |name: &str, place: &str| {
        let create = ["identity", "create", name, "--output-jwt", place];
        session.run(&[&create[..], &["--force"]].concat())
    };
    fs::write(file("target"), "old").unwrap();
    symlink("target", file("link")).unwrap();
    create("a", "link").success();
    assert!(fs::symlink_metadata(file("link")).unwrap().is_symlink());
    assert!(fs::read_to_string(file("target")).unwrap().starts_with('e'));

    symlink("nowhere", file("broken")).unwrap();
    let refused = create("b", "broken").expect_code(1).stderr;
    assert!(refused.contains("dangling symbolic link"), "{refused}");

    run(Command::new("mkfifo").arg(file("pipe"))).success();
    let pipe = file("pipe");
    let reader = thread::spawn(move || fs::read_to_string(pipe).unwrap());
    create("c", "pipe").success();
    assert_eq!(reader.join().unwrap().split('.').count(), 3);
    let kind = fs::symlink_metadata(file("pipe")).unwrap().file_type();
    assert!(kind.is_fifo());
}
