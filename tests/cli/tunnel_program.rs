//! `portcullis-tunnel` without a network: help, and what it refuses.

use insta::assert_snapshot;
use std::fs;
use std::process::Command;
use support::{CommandOutput, TestDirectory, binaries, command, run};

/// Runs the program beside these files.
fn tunnel(site: &TestDirectory, arguments: &[&str]) -> CommandOutput {
    let mut line = Command::new(binaries::tunnel());
    line.env_clear()
        .envs(command::coverage())
        .env("COLUMNS", "80")
        .current_dir(site.work());
    run(line.args(arguments))
}

/// The error that ends it, without what was logged before.
fn error(output: &CommandOutput) -> String {
    let lines = output.stderr.lines();
    let errors = lines.filter(|line| line.starts_with("error: "));
    errors.collect::<Vec<_>>().join("\n")
}

#[test]
fn help_names_commands_in_groups() {
    let site = TestDirectory::new();
    let help = tunnel(&site, &["-h"]).success().text();
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    assert_snapshot!(lines.join("\n"), @r"
    Tunneler of a zero-trust overlay network, compatible with OpenZiti: servers are
    offered, and services are reached, by programs that know nothing of the network

    Usage: portcullis-tunnel [OPTIONS] <COMMAND>

    Joining a network:
      enroll      Get an identity file with a token of a controller
      run         Intercept connections as services say, and offer servers
      proxy       Open ports of this computer that stand for services, and offer servers
      host        Offer servers to the network, as services say

    This program:
      completion  Generate a shell completion script
      man         Write man pages
      version     Show the version

    Options:
          --log <FILTER>      What to log to stderr: a level, or levels by component
                              such as `warn,portcullis_tunnel=debug` [default: info]
                              [env: PORTCULLIS_LOG=]
      -v, --verbose           The same as `--log debug`
          --allow-core-dumps  Allow core dumps, and debuggers run by the same user;
                              both can expose secrets
      -h, --help              Print help (see more with '--help')
      -V, --version           Print version

    Examples:
      portcullis-tunnel enroll laptop.jwt                   writes laptop.json
      portcullis-tunnel proxy --identity laptop.json wiki:8080
      portcullis-tunnel host --identity server.json
      portcullis-tunnel run --identity laptop.json          takes CAP_NET_ADMIN

    Use `portcullis-tunnel COMMAND --help` for the options and examples of a
    command.
    ");
}

#[test]
fn identity_files_that_cannot_be_used_are_refused_by_field() {
    let site = TestDirectory::new();
    let file = site.work().join("laptop.json");
    for (text, expected) in [
        ("[", "laptop.json is not an identity file (line 1, column "),
        ("{}", "`id` of laptop.json is missing"),
        (
            r#"{"ztAPI": "https://localhost:1280", "id": {"ca": 7}}"#,
            "`id.ca` of laptop.json has the wrong type",
        ),
        (
            r#"{"ztAPI": "https://localhost:1280", "id": {"ca": "pem:none"}}"#,
            "`id.ca` of laptop.json contains something that is not a certificate",
        ),
    ] {
        fs::write(&file, text).unwrap();
        for command in [&["host"][..], &["proxy", "wiki:8080"]] {
            let arguments = [command, &["--identity", "laptop.json"]].concat();
            let refused = tunnel(&site, &arguments).expect_code(1);
            let error = error(&refused);
            assert!(error.contains(expected), "{error}");
        }
    }
    let missing = tunnel(&site, &["host", "--identity", "none.json"]).expect_code(1);
    let error = error(&missing);
    assert!(error.contains("none.json cannot be read"), "{error}");
}

#[test]
fn arguments_are_refused_with_what_is_right() {
    let site = TestDirectory::new();
    for (arguments, expected) in [
        (&["host"][..], "--identity <FILE>"),
        (&["proxy", "-i", "a.json"], "<SERVICE:PORT>"),
        (
            &["proxy", "-i", "a.json", "wiki"],
            "must be <service>:<port> or <service>:<port>:<tcp or udp>, not `wiki`",
        ),
        (
            &["proxy", "-i", "a.json", "--bind", "eth0", "wiki:80"],
            "invalid IP address syntax",
        ),
        (
            &["host", "-i", "a.json", "--udp-idle-timeout", "5"],
            "it is a number with a unit, 1s at least, such as `30s` or `5m`",
        ),
    ] {
        let refused = tunnel(&site, arguments).expect_code(2);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}

#[test]
fn tokens_that_are_none_are_refused() {
    let site = TestDirectory::new();
    fs::write(site.work().join("a.jwt"), "no token").unwrap();
    let refused = tunnel(&site, &["enroll", "a.jwt"]).expect_code(1);
    assert_eq!(
        error(&refused),
        "error: a.jwt is not an enrollment token, which is a single line with three parts separated by dots"
    );
    let missing = tunnel(&site, &["enroll", "b.jwt"]).expect_code(1);
    assert!(error(&missing).contains("b.jwt"), "{}", missing.stderr);
    let nameless = tunnel(&site, &["enroll", "-"]).expect_code(2);
    assert!(
        error(&nameless).contains("--out FILE"),
        "{}",
        nameless.stderr
    );
}
