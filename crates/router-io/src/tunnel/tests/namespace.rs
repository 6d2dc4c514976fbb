//! Tests in network namespaces of their own.

use std::env;
use std::process::Command;
use tokio::runtime::Runtime;

/// Names the test that is in its namespace.
const ISOLATED: &str = "PORTCULLIS_ISOLATED_TEST";

/// Runs a test in a network namespace with nothing but a loopback interface: this program once more, as a child of
/// `unshare`.
pub(super) fn isolated<F: Future<Output = ()>>(test: &str, body: impl FnOnce() -> F) {
    if env::var(ISOLATED).is_ok_and(|isolated| isolated == test) {
        assert!(succeeds("ip", &["link", "set", "lo", "up"]));
        return Runtime::new().expect("a runtime").block_on(body());
    }
    if !succeeds("unshare", &["--net", "nft", "list", "ruleset"]) {
        println!(
            "skipped: it takes the rights of root to make network namespaces, and the program `nft`"
        );
        return;
    }
    let status = Command::new("unshare")
        .arg("--net")
        .arg(env::current_exe().expect("a path"))
        .args(["--exact", test, "--nocapture"])
        .env(ISOLATED, test)
        .status();
    assert!(status.expect("it starts").success(), "{test}");
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// What nftables has.
pub(super) fn ruleset() -> String {
    let output = Command::new("nft").args(["list", "ruleset"]).output();
    String::from_utf8(output.expect("it starts").stdout).expect("a text")
}
