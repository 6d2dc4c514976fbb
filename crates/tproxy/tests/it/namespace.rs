//! Tests in network namespaces.

use crate::command::{sh, try_run};
use std::env;
use std::process::Command;
use tokio::runtime::Runtime;

/// Names the test that is in its namespace.
const ISOLATED: &str = "PORTCULLIS_ISOLATED_TEST";

/// If it is set, tests that cannot have a namespace fail instead of being skipped.
const REQUIRED: &str = "PORTCULLIS_NAMESPACES_REQUIRED";

/// What the child says when the test has run.
const DONE: &str = "the isolated test has run";

/// Runs a test in a network namespace, which has a loopback interface and nothing else.
pub(crate) fn isolated<F: Future<Output = ()>>(test: &str, body: impl FnOnce() -> F) {
    if is_isolated(test) {
        sh("ip link set lo up || true");
        return prepared(body);
    }
    if !is_allowed() {
        let lacking = "it takes the rights of root to make network namespaces";
        assert!(env::var(REQUIRED).is_err(), "{lacking}");
        return println!("skipped: {lacking}");
    }
    let wrapper = "unshare --net --mount --propagation private --";
    let wrapper: Vec<_> = wrapper.split(' ').collect();
    run_test(test, &mut in_same_namespace(test, &wrapper));
}

/// Runs the test itself.
pub(crate) fn prepared<F: Future<Output = ()>>(body: impl FnOnce() -> F) {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(body());
    println!("{DONE}");
}

/// Runs a command that is to run a test.
#[track_caller]
pub(crate) fn run_test(test: &str, command: &mut Command) {
    let output = command.output().expect("starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test}: {said}{complaints}");
    assert!(said.contains(DONE), "there is no test of the name {test}");
    print!("{said}");
}

/// Whether this is the process of a test that has its namespace.
pub(crate) fn is_isolated(test: &str) -> bool {
    env::var(ISOLATED).is_ok_and(|isolated| isolated == test)
}

/// A command that runs another test in the namespace of this one, or in that of the wrapper.
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
