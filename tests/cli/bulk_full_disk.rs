//! A disk that fills in the middle of an import: nothing half-done, and the same command goes on.

use crate::Session;
use crate::bulk_create::{IMPORT_MANY, MANY, assert_complete, write_many};
use std::fs;
use std::path::Path;
use std::process::Command;
use support::{CommandOutput, binaries, run};

/// Runs the import in a shell, whose script gets it as its arguments.
fn import_within(shell: &mut Command, script: &str, options: &[&str]) -> CommandOutput {
    let shell = shell.args(["-c", script, "sh"]);
    run(shell.arg(binaries::cli()).args(options))
}

/// Whether file systems can be mounted in a namespace of one's own.
fn can_mount() -> bool {
    let probe = ["-rm", "sh", "-c", "mount -t tmpfs none /tmp"];
    let is_able = Command::new("unshare")
        .args(probe)
        .output()
        .is_ok_and(|probed| probed.status.success());
    if !is_able {
        println!("skipped: no file system can be mounted here");
    }
    is_able
}

/// The file system has room for the tokens, and not for as many files; that cannot be seen beforehand.
#[test]
fn import_goes_on_after_the_disk_of_the_tokens_was_full() {
    if !can_mount() {
        return;
    }
    let session = Session::logged_in();
    write_many(&session);
    let script = "
        mount -t tmpfs -o nr_inodes=100 none tokens || exit 99
        \"$@\"; echo \"ended with $?\"
        find tokens -type f -size 0; ls tokens | wc -l
        \"$@\"; echo \"ended with $?\"
        mount -o remount,nr_inodes=1000 tokens
        \"$@\"; echo \"ended with $?\"
        cp -a tokens kept; umount tokens; cp -a kept/. tokens";
    let options = [&IMPORT_MANY[..], &["4"]].concat();
    let mut shell = session.command(Path::new("unshare"));
    let ended = import_within(shell.args(["-rm", "sh"]), script, &options).success();
    let stdout = ended.text();
    let told: Vec<_> = stdout
        .lines()
        .filter(|line| !line.starts_with("unfinished"))
        .collect();
    // The directory itself is one of the hundred.
    let [
        interrupted,
        "ended with 1",
        "99",
        "ended with 1",
        complete,
        "ended with 0",
    ] = told[..]
    else {
        panic!("{ended:?}")
    };
    assert!(
        interrupted.starts_with("99 identities created, "),
        "{ended:?}"
    );
    assert_eq!(complete, "201 identities created, 99 created before");
    let errors: Vec<_> = ended.stderr.lines().collect();
    let [
        first,
        "hint: make room on the disk",
        again,
        second,
        "hint: make room on the disk",
    ] = errors[..]
    else {
        panic!("{ended:?}")
    };
    assert!(
        first.ends_with(".jwt cannot be written: the disk is full"),
        "{ended:?}"
    );
    assert_eq!(again, "hint: run the same command again to go on");
    assert_eq!(second, "error: tokens cannot be written: the disk is full");
    assert_complete(&session);
}

/// A limit on the size of files stands for a disk that has no room for the whole checkpoint.
#[test]
fn import_goes_on_after_the_disk_of_the_checkpoint_was_full() {
    let session = Session::logged_in();
    write_many(&session);
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let options = ["identity", "import", "many.csv", "--checkpoint", "state"];
    let ended =
        import_within(&mut session.command(Path::new("sh")), script, &options).expect_code(1);
    assert!(
        ended
            .stderr
            .contains("state cannot be written: the file is too large"),
        "{ended:?}"
    );
    assert!(
        ended.stderr.contains("run the same command again to go on"),
        "{ended:?}"
    );
    assert!(fs::metadata(session.site.file("state")).unwrap().len() <= 8 * 1024);
    let report = session.json(&options);
    let count = |of: &str| report[of].as_array().unwrap().len();
    assert_eq!(count("created") + count("createdBefore"), MANY);
    let filter = [
        "identity",
        "list",
        "--all",
        "--filter",
        "name contains \"bulk-\"",
    ];
    let listed = session.json(&filter);
    assert_eq!(listed.as_array().unwrap().len(), MANY);
}
