//! Checking, showing, explaining and generating the files of routers.

use crate::router_config_support::{RouterConfigFiles, VALID, codes, crashing, lines, misspelled};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use support::{run, wait};

#[test]
fn each_file_is_judged_on_a_line_of_its_own() {
    let files = RouterConfigFiles::new();
    files.write("good.yml", VALID);
    files.write("misspelled.yml", misspelled());
    files.write("crashing.yml", crashing());
    files.write("nothing.yml", "");
    let names = [
        "misspelled.yml",
        "nothing.yml",
        "good.yml",
        "missing.yml",
        "crashing.yml",
    ];
    for (norm, verdicts) in [
        (
            "portcullis",
            ["refuse", "refuse", "accept", "refuse", "refuse"],
        ),
        (
            "openziti",
            ["accept", "refuse", "accept", "refuse", "crash"],
        ),
    ] {
        let arguments = [&["check", "--as", norm, "--format", "json"], &names[..]].concat();
        let outcome = files.run(&arguments).expect_code(1);
        assert_eq!(outcome.stderr, "");
        let lines = lines(&outcome);
        let told: Vec<_> = lines
            .iter()
            .map(|line| line["file"].as_str().unwrap())
            .collect();
        assert_eq!(told, names);
        let told: Vec<_> = lines
            .iter()
            .map(|line| line["verdict"].as_str().unwrap())
            .collect();
        assert_eq!(told, verdicts, "{norm}");
    }
    // The form that is asked for of all commands is one of this one too.
    let outcome = files.run(&["check", "good.yml", "-o", "json"]).success();
    assert_eq!(lines(&outcome).len(), 1);
}

#[test]
fn finding_is_told_with_place_and_cure() {
    let files = RouterConfigFiles::new();
    files.write("r.yml", misspelled());
    let start = misspelled().find("linkDialWorkerCont").unwrap();
    let end = start + "linkDialWorkerCont".len();
    let judged = files.check_json(&["r.yml"], 1);
    let findings = judged["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|finding| finding["severity"] == "error");
    assert_eq!(
        found.unwrap(),
        &json!({
            "severity": "error",
            "path": "forwarder.linkDialWorkerCont",
            "line": 8,
            "column": 3,
            "code": "unknown-key",
            "message": "unknown key `linkDialWorkerCont` in `forwarder`",
            "help": "did you mean `linkDialWorkerCount`?",
            "span": { "start": start, "end": end },
            "reference": "docs/router-config.md#forwarder",
        })
    );
    let allowed = files.check_json(&["--allow-unknown", "r.yml"], 0);
    assert_eq!(allowed["verdict"], "accept");
    assert!(codes(&allowed).contains(&"unknown-key"));
}

#[test]
fn people_see_the_line() {
    let files = RouterConfigFiles::new();
    files.write("r.yml", crashing());
    let told = files.run(&["check", "r.yml"]).expect_code(1).text();
    let finding = "\
error[wrong-type]: `ctrl.defaultRequestTimeout` must be a duration, not a number without a unit
 --> r.yml:5:26
  |
5 |   defaultRequestTimeout: 5
  |                          ^ ctrl.defaultRequestTimeout
  |
  = help: write the unit too, such as `5s` or `5ms`
  = note: see `portcullis router-config explain ctrl.defaultRequestTimeout`, or docs/router-config.md#ctrl

";
    assert!(told.contains(finding), "{told}");
    assert!(told.contains("\nr.yml: refused, 1 error"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told:?}");

    let told = files.run(&["check", "--as", "openziti", "r.yml"]);
    let told = told.expect_code(1).text();
    assert!(
        told.contains("`ziti router run` crashes while loading"),
        "{told}"
    );
    assert!(
        told.ends_with("r.yml: OpenZiti crashes while loading, 1 error\n"),
        "{told}"
    );

    let told = files.run_with(&["check", "-"], VALID.as_bytes()).success();
    assert!(told.text().contains("<stdin>: accepted"), "{}", told.text());
}

#[test]
fn missing_key_is_shown_where_it_belongs() {
    let files = RouterConfigFiles::new();
    files.write(
        "r.yml",
        VALID.replace("  endpoint: tls:ctrl.example.test:6262\n", "  bind: lo\n"),
    );
    let told = files.run(&["check", "r.yml"]).expect_code(1).text();
    let finding = "\
error[missing-key]: `ctrl` has no `endpoint`
 --> r.yml:3:1
  |
3 | ctrl:
  | ^^^^
  |
  = help: write `endpoint: tls:ctrl.example.test:6262`
";
    assert!(told.contains(finding), "{told}");
}

#[test]
fn arguments_that_make_no_sense_are_told_and_nothing_is_judged() {
    let files = RouterConfigFiles::new();
    files.write("r.yml", VALID);
    files.write("bad.env", "A=1\nno variable, but a secret\n");
    for (arguments, told) in [
        (&["check"][..], "--help"),
        (&["check", "--as", "ziti", "r.yml"], "openziti"),
        (&["check", "--format", "yaml", "r.yml"], "human"),
        (&["check", "-o", "yaml", "r.yml"], "--format"),
        (&["check", "-", "-"], "once"),
        (&["check", "--env-file", "none.env", "r.yml"], "none.env"),
        (
            &["check", "--env-file", "bad.env", "r.yml"],
            "line 2 of bad.env",
        ),
        (&["show"], "--help"),
        (&["show", "r.yml", "r.yml"], "--help"),
        (&["explain", "link.dialer"], "did you mean `dialers`?"),
        (&["explain", "split"], "link.dialers[].split"),
        (&["generate", "edge"], "--name"),
        (
            &["generate", "fabric", "--name", "r", "--tunnel", "host"],
            "--tunnel",
        ),
        (
            &["generate", "edge", "--name", "r", "--tunnel", "proxy"],
            "--service",
        ),
        (
            &["generate", "edge", "--name", "r", "--service", "web:80"],
            "--tunnel proxy",
        ),
        (
            &["generate", "edge", "--name", "r", "--lan-interface", "a"],
            "--tunnel tproxy",
        ),
        (
            &["generate", "edge", "--name", "r", "--link-port", "0"],
            "--link-port",
        ),
        (&["generate", "edge", "--name", "r", "--force"], "--out"),
        (&["generate", "edge", "--name", "no host"], "--host"),
        (&["generate", "edge", "--name", ""], "empty"),
        (
            &["generate", "edge", "--name", "r", "--host", "r1:3022"],
            "with nothing before",
        ),
        (
            &["generate", "edge", "--name", "r", "--host", "tls:r1"],
            "with nothing before",
        ),
        (
            &["generate", "edge", "--name", "r", "--controller", "ctrl"],
            "ctrl.example.com:6262",
        ),
        (
            &["generate", "edge", "--name", "r", "--controller", "::1:62"],
            "`[::1]:6262`",
        ),
        (
            &["generate", "edge", "--name", "r", "--host", "2001:db8::1"],
            "the IPv6 address `2001:db8::1`",
        ),
        (
            &["generate", "edge", "--name", "r", "--host", "[::1]"],
            "`--ip ::1`",
        ),
    ] {
        let outcome = files.run(arguments).expect_code(2);
        assert_eq!(outcome.text(), "", "{arguments:?}");
        assert!(
            outcome.stderr.contains(told),
            "{arguments:?}: {}",
            outcome.stderr
        );
        assert!(!outcome.stderr.contains("secret"), "{}", outcome.stderr);
    }
}

#[test]
fn variables_come_from_the_environment_or_from_a_file() {
    let files = RouterConfigFiles::new();
    files.write(
        "r.yml",
        VALID.replace("tls:ctrl.example.test:6262", "${RC_ADDRESS}"),
    );
    files.write("router.env", "\u{feff}# where the controller is\r\n\r\nRC_ADDRESS=tls:a=b:1\r\nRC_ADDRESS=tls:file.example.test:6262\r\n");
    let missing = files.check_json(&["r.yml"], 1);
    assert!(codes(&missing).contains(&"env-unset"), "{missing}");

    let show = ["show", "--format", "json", "r.yml"];
    let own = run(files
        .command()
        .args(show)
        .env("RC_ADDRESS", "tls:own.example.test:6262"));
    let shown: serde_json::Value = serde_json::from_slice(&own.success().stdout).unwrap();
    assert_eq!(
        shown["ctrl.endpoint"],
        json!({
            "value": "tls:own.example.test:6262",
            "source": "environment",
            "line": 4,
            "variables": ["RC_ADDRESS"],
        })
    );
    let written = run(files
        .command()
        .args(show)
        .args(["--env-file", "router.env"])
        .env("RC_ADDRESS", "tls:own.example.test:6262"));
    let shown: serde_json::Value = serde_json::from_slice(&written.success().stdout).unwrap();
    assert_eq!(
        shown["ctrl.endpoint"]["value"],
        "tls:file.example.test:6262"
    );
    // A file stands for the whole environment.
    files.write("empty.env", "");
    let mut check = files.command();
    check.args(["check", "--env-file", "empty.env", "r.yml"]);
    run(check.env("RC_ADDRESS", "tls:own.example.test:6262")).expect_code(1);
}

#[test]
fn effective_values_follow_the_norm() {
    let files = RouterConfigFiles::new();
    files.write(
        "r.yml",
        format!(
            "{VALID}link: {{dialers: [{{binding: transport}}, {{binding: transport, split: no}}]}}\n"
        ),
    );
    let ours = files.run(&["show", "r.yml"]).success().text();
    let dialer = "    - binding: \"transport\" # line 7\n      groups: [\"default\"] # default\n";
    assert!(ours.contains(dialer), "{ours}");
    assert!(ours.contains("      split: false # line 7\n"), "{ours}");

    let value = |norm: &str, path: &str| {
        let shown = files.run(&["show", "--as", norm, "-o", "json", "r.yml"]);
        let shown: serde_json::Value = serde_json::from_slice(&shown.success().stdout).unwrap();
        shown[path]["value"].clone()
    };
    let path = "forwarder.rateLimitedWorkerCount";
    assert_ne!(value("portcullis", path), value("openziti", path));

    // Mistakes are told beside what is understood.
    files.write("bad.yml", crashing());
    let outcome = files.run(&["show", "bad.yml"]).expect_code(1);
    assert!(
        outcome
            .text()
            .contains("endpoint: \"tls:ctrl.example.test:6262\"")
    );
    assert!(outcome.stderr.contains("wrong-type"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("bad.yml: refused, 1 error"));
    let outcome = files.run(&["show", "none.yml"]).expect_code(1);
    assert_eq!(outcome.text(), "");
    assert!(
        outcome.stderr.contains("none.yml: refused"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn keys_are_explained() {
    let files = RouterConfigFiles::new();
    let told = files
        .run(&["explain", "link.dialers[0].split"])
        .success()
        .text();
    for part in [
        "link.dialers[0].split\n",
        "default:  true",
        "example:  split:",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let told = files.run(&["explain", "listeners.options.connectTimeout"]);
    assert!(told.success().text().contains("(binding tunnel)"));
    let sections = files.run(&["explain"]).success().text();
    for section in ["\nctrl ", "\nhealthChecks ", "\nweb "] {
        assert!(sections.contains(section), "{sections}");
    }
    for line in sections.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let told = files
        .run(&["explain", "-o", "json", "ctrl.endpoint"])
        .success();
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told[0]["path"], "ctrl.endpoint");
}

#[test]
fn schema_is_one_document() {
    let files = RouterConfigFiles::new();
    let schema = files.run(&["schema"]).success();
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert!(schema["properties"]["ctrl"].is_object());
}

#[test]
fn generated_files_are_accepted() {
    let files = RouterConfigFiles::new();
    for arguments in [
        &["edge", "--name", "r1"][..],
        &["edge", "--name", "r1", "--tunnel", "none", "--private"],
        &["edge", "--name", "r1", "--tunnel", "host", "--web-sockets"],
        &[
            "edge",
            "--name",
            "r1",
            "--tunnel",
            "tproxy",
            "--lan-interface",
            "eth1",
        ],
        &[
            "edge",
            "--name",
            "r1",
            "--tunnel",
            "proxy",
            "--service",
            "a:80,b:81",
            "--service",
            "c:82:udp",
        ],
        &[
            "edge",
            "--name",
            "my router",
            "--host",
            "r1.example.test",
            "--ip",
            "192.0.2.1",
        ],
        &[
            "edge",
            "--name",
            "r1",
            "--controller",
            "tls:c.example.test:6262",
            "--folder",
            "/etc/r",
            "--edge-port",
            "443",
        ],
        &[
            "fabric",
            "--name",
            "r1",
            "--link-port",
            "6000",
            "--health-port",
            "8081",
        ],
        &["fabric", "--name", "r1", "--private"],
        &["edge", "--name", "r1", "--ip", "2001:db8::1"],
        &["fabric", "--name", "r1", "--host", "2001:db8::1"],
        &["fabric", "--name", "::1", "--health-port", "8081"],
    ] {
        let made = files.run(&[&["generate"], arguments].concat()).success();
        assert_eq!(made.stderr, "");
        for norm in ["portcullis", "openziti"] {
            let check = ["check", "--format", "json", "--as", norm, "-"];
            let outcome = files.run_with(&check, &made.stdout).success();
            let judged = &lines(&outcome)[0];
            let findings = judged["findings"].as_array().unwrap();
            let notes = findings.iter().all(|finding| finding["severity"] == "note");
            assert!(notes, "{arguments:?}: {judged}");
        }
    }
}

/// The original takes IPv6 addresses for links, not for clients.
#[test]
fn fabric_router_is_reached_by_an_ipv6_address() {
    let files = RouterConfigFiles::new();
    for host in ["2001:db8::1", "[2001:db8::1]", "2001:0DB8:0::1"] {
        let arguments = ["generate", "fabric", "--name", "r1", "--host", host];
        let made = files.run(&arguments).success().text();
        for line in [
            "bind: \"tls:[::]:10080\"",
            "advertise: \"tls:[2001:db8::1]:10080\"",
            "      - \"2001:db8::1\"",
        ] {
            assert!(made.contains(line), "{host}: {line} is not in\n{made}");
        }
    }
}

#[test]
fn generated_file_is_readable_and_replaces_nothing_unasked() {
    let files = RouterConfigFiles::new();
    let path = files.site.file("r1.yml");
    let generate = ["generate", "edge", "--name", "r1", "--out", "r1.yml"];
    let outcome = files.run(&generate).success();
    assert_eq!(outcome.text(), "");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o644);

    fs::write(&path, "mine").unwrap();
    let outcome = files.run(&generate).expect_code(1);
    assert!(outcome.stderr.contains("--force"), "{}", outcome.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    files.run(&[&generate[..], &["--force"]].concat()).success();
    assert!(fs::read_to_string(&path).unwrap().contains("r1:3022"));
    assert_eq!(mode(&path), 0o644);
}

/// The exit code is wanted by whoever cuts the output short.
#[test]
fn verdict_outlives_the_reader() {
    let files = RouterConfigFiles::new();
    files.write("bad.yml", misspelled());
    let mut child = files
        .command()
        .args(["check", "bad.yml", "bad.yml"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let status = wait::until(wait::DEFAULT_TIMEOUT, || {
        child.try_wait().unwrap().ok_or("still there")
    });
    assert_eq!(status.unwrap().code(), Some(1));
    let outcome = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), "");
}

#[test]
fn help_teaches() {
    let files = RouterConfigFiles::new();
    for (arguments, told) in [
        (&["--help"][..], "check --as openziti"),
        (&["check", "--help"], "Exit codes:"),
        (&["show", "--help"], "Examples:"),
        (&["explain", "--help"], "Examples:"),
        (&["schema", "--help"], "yaml-language-server"),
        (&["generate", "--help"], "--tunnel tproxy"),
        (&["generate", "edge", "--help"], "--service"),
        (&["generate", "fabric", "--help"], "--link-port"),
    ] {
        let help = files.run(arguments).success().text();
        assert!(help.contains(told), "{arguments:?}: {help}");
    }
}
