//! The systemd units keep the programs in their sandboxes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use support::command::{self, run};
use support::{TestDirectory, binaries, repository};

/// A unit and the program that it runs.
struct Unit {
    name: &'static str,
    program: fn() -> PathBuf,
    /// Bounds on what the program takes.
    limits: &'static [&'static str],
    /// The capabilities that it may have.
    capabilities: &'static str,
    /// Most that `systemd-analyze` may find exposed, in tenths.
    most_exposed: u8,
}

const UNITS: [Unit; 3] = [
    Unit {
        name: "portcullis-controller",
        program: binaries::controller,
        limits: &["MemoryMax=1G", "LimitNOFILE=65536"],
        capabilities: "",
        most_exposed: 15,
    },
    Unit {
        name: "portcullis-router",
        program: binaries::router,
        limits: &["LimitNOFILE=65536", "TasksMax=256"],
        capabilities: "",
        most_exposed: 15,
    },
    Unit {
        name: "portcullis-tunnel",
        program: binaries::tunnel,
        limits: &["LimitNOFILE=65536", "TasksMax=256"],
        capabilities: "CAP_NET_ADMIN",
        most_exposed: 18,
    },
];

impl Unit {
    fn path(&self) -> PathBuf {
        let file = format!("docs/systemd/{}.service", self.name);
        repository::root().join(file)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }
}

#[test]
fn units_leave_little_exposed() {
    for unit in UNITS {
        let text = unit.text();
        let lines = [
            "DynamicUser=yes",
            "NoNewPrivileges=yes",
            &format!("CapabilityBoundingSet={}", unit.capabilities),
            &format!("AmbientCapabilities={}", unit.capabilities),
            "ProtectSystem=strict",
            "SystemCallFilter=@system-service",
        ];
        for line in lines.iter().chain(unit.limits) {
            assert!(text.lines().any(|found| found == *line), "{line}");
        }
        if command::find_in_path("systemd-analyze").is_none() {
            println!("skipped: there is no systemd-analyze to judge the unit");
            return;
        }
        let mut judge = Command::new("systemd-analyze");
        let most_exposed = format!("--threshold={}", unit.most_exposed);
        judge.args(["security", "--offline=true", &most_exposed]);
        let judged = run(judge.arg(unit.path()));
        let shown = String::from_utf8_lossy(&judged.stdout).into_owned();
        assert!(judged.status.success(), "{shown}");
        assert!(shown.contains("Overall exposure level"), "{shown}");
    }
}

#[test]
fn systemd_understands_the_units() {
    if command::find_in_path("systemd-analyze").is_none() {
        println!("skipped: there is no systemd-analyze to read the units");
        return;
    }
    let site = TestDirectory::new();
    for unit in UNITS {
        let installed = format!("/usr/bin/{}", unit.name);
        let built = (unit.program)().display().to_string();
        let text = unit.text().replace(&installed, &built);
        assert!(text.contains(&built), "{text}");
        let file = site.file(&format!("{}.service", unit.name));
        fs::write(&file, text).unwrap();
        let mut reader = Command::new("systemd-analyze");
        let read = run(reader.arg("verify").arg(&file));
        assert!(
            read.status.success() && read.stderr.is_empty(),
            "{}",
            read.stderr
        );
    }
}

/// In a user namespace of its own a capability counts for nothing outside.
#[test]
fn what_ports_below_1024_need_is_documented_as_it_works() {
    let text = fs::read_to_string(repository::root().join("docs/operations.md")).unwrap();
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
