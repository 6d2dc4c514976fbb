//! Memory that holds secrets is not written to disks by the system (properties S-12, S-64).

use crate::support::Serving;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Serves from `folder`, has the program abort, and tells whether its memory was dumped.
fn is_dumped(folder: &Path, flags: &[&str]) -> bool {
    let program = env!("CARGO_BIN_EXE_portcullis-controller");
    let mut shell = Command::new("sh");
    shell
        .current_dir(folder)
        .args(["-c", "ulimit -c unlimited; exec \"$0\" \"$@\"", program])
        .args(flags)
        .args([
            "quickstart",
            "--ctrl-port",
            "0",
            "--ctrl-address",
            "localhost",
        ]);
    let mut serving = Serving::start(&mut shell);
    serving.ready();
    serving.stop("ABRT").is_dumped
}

#[test]
fn core_dumps_are_written_on_request_only() {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    if pattern.starts_with(['/', '|']) || pattern.is_empty() {
        println!(
            "skipped: core dumps of this system are not written where the test could remove them"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    if !is_dumped(folder.path(), &["--allow-core-dumps"]) {
        println!("skipped: this system writes no core dumps");
        return;
    }
    assert!(!is_dumped(folder.path(), &[]));
}
