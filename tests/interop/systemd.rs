//! The systemd unit keeps the controller in its sandbox.

use std::process::Command;
use support::command::{self, run};
use support::repository;

const UNIT: &str = "docs/systemd/portcullis-controller.service";

/// Most that `systemd-analyze` may find exposed, in tenths.
const MOST_EXPOSED: &str = "--threshold=15";

#[test]
fn unit_leaves_little_exposed() {
    let unit = repository::root().join(UNIT);
    let text = std::fs::read_to_string(&unit).unwrap();
    for line in [
        "DynamicUser=yes",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
        "ProtectSystem=strict",
        "SystemCallFilter=@system-service",
        "MemoryMax=1G",
        "LimitNOFILE=65536",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}");
    }
    if command::find_in_path("systemd-analyze").is_none() {
        println!("skipped: there is no systemd-analyze to judge the unit");
        return;
    }
    let mut judge = Command::new("systemd-analyze");
    judge.args(["security", "--offline=true", MOST_EXPOSED]);
    let judged = run(judge.arg(&unit));
    let shown = String::from_utf8_lossy(&judged.stdout).into_owned();
    assert!(judged.status.success(), "{shown}");
    assert!(shown.contains("Overall exposure level"), "{shown}");
}

/// In a user namespace of its own a capability counts for nothing outside.
#[test]
fn what_ports_below_1024_need_is_documented_as_it_works() {
    let text = std::fs::read_to_string(repository::root().join("docs/operations.md")).unwrap();
    let begin = text
        .find("AmbientCapabilities=CAP_NET_BIND_SERVICE")
        .unwrap();
    let drop_in = text[begin..].split("```").next().unwrap();
    let lines: Vec<_> = drop_in.lines().collect();
    assert_eq!(
        lines,
        [
            "AmbientCapabilities=CAP_NET_BIND_SERVICE",
            "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
            "PrivateUsers=no",
        ]
    );
}
