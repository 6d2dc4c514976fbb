//! Tests in network namespaces of their own.

use std::env;
use std::process::Command;
use tokio::runtime::Runtime;

/// Names the test that is in its namespace.
const ISOLATED: &str = "PORTCULLIS_ISOLATED_TEST";

/// If it is set, tests that cannot have a namespace fail instead of being skipped.
const REQUIRED: &str = "PORTCULLIS_NAMESPACES_REQUIRED";

/// What the child says when the test has run.
const DONE: &str = "the isolated test has run";

/// Runs a test in a network namespace with nothing but a loopback interface: this program once more, as a child of
/// `unshare`.
pub(crate) fn isolated<F: Future<Output = ()>>(test: &str, body: impl FnOnce() -> F) {
    if env::var(ISOLATED).is_ok_and(|isolated| isolated == test) {
        assert!(succeeds("ip", &["link", "set", "lo", "up"]));
        Runtime::new().expect("a runtime").block_on(body());
        return println!("{DONE}");
    }
    if !succeeds("unshare", &["--net", "nft", "list", "ruleset"]) {
        let lacking =
            "it takes the rights of root to make network namespaces, and the program `nft`";
        assert!(env::var(REQUIRED).is_err(), "{lacking}");
        return println!("skipped: {lacking}");
    }
    let output = Command::new("unshare")
        .arg("--net")
        .arg(env::current_exe().expect("a path"))
        .args(["--exact", test, "--nocapture"])
        .env(ISOLATED, test)
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test}: {said}{complaints}");
    assert!(said.contains(DONE), "there is no test of the name {test}");
}

/// Adds a route to a network, as machines with a default route have one to each.
pub(crate) fn add_route(network: &str) {
    assert!(succeeds("ip", &["route", "add", network, "dev", "lo"]));
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// What nftables has.
pub(crate) fn ruleset() -> String {
    let output = Command::new("nft").args(["list", "ruleset"]).output();
    String::from_utf8(output.expect("it starts").stdout).expect("a text")
}
