//! Tests in network namespaces.

use crate::command::{sh, try_run};
use std::env;
use std::process::Command;
use tokio::runtime::Runtime;

/// Names the test that is in its namespace.
const ISOLATED: &str = "PORTCULLIS_ISOLATED_TEST";

/// Runs a test in a network namespace, which has a loopback interface and nothing else.
pub(crate) fn isolated<F: Future<Output = ()>>(test: &str, body: impl FnOnce() -> F) {
    if is_isolated(test) {
        sh("ip link set lo up || true");
        return prepared(body);
    }
    if !is_allowed() {
        println!("skipped: it takes the rights of root to make network namespaces");
        return;
    }
    let mut command = Command::new("unshare");
    command
        .args(["--net", "--mount", "--propagation", "private", "--"])
        .arg(this_program())
        .args(["--exact", test, "--nocapture", "--include-ignored"])
        .env(ISOLATED, test);
    let status = command.status().expect("starts");
    assert!(status.success(), "{test} failed in its namespace");
}

/// Runs the test itself.
pub(crate) fn prepared<F: Future<Output = ()>>(body: impl FnOnce() -> F) {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(body());
}

/// Whether this is the process of a test that has its namespace.
pub(crate) fn is_isolated(test: &str) -> bool {
    env::var(ISOLATED).is_ok_and(|isolated| isolated == test)
}

/// A command that runs another test in the namespace of this one.
pub(crate) fn in_same_namespace(test: &str, wrapper: &[&str]) -> Command {
    let (program, arguments) = wrapper.split_first().expect("a program");
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(this_program())
        .args(["--exact", test, "--nocapture", "--include-ignored"])
        .env(ISOLATED, test);
    command
}

pub(crate) fn this_program() -> String {
    let program = env::current_exe().expect("a path");
    program.into_os_string().into_string().expect("a text")
}

fn is_allowed() -> bool {
    let is_allowed = try_run("unshare", &["--net", "--mount", "true"]);
    is_allowed.status.success()
}
