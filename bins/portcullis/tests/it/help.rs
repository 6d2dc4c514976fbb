//! Help, version and shell completion.

use crate::environment::Environment;
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn help_names_commands_and_exit_codes() {
    let environment = Environment::new();
    let help = environment.run("--help");
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    for word in [
        "login",
        "logout",
        "whoami",
        "enroll",
        "identity",
        "enrollment",
        "authenticator",
        "session",
        "auth-policy",
        "api",
        "version",
        "completion",
        "Examples:",
        "Exit codes:",
        "PORTCULLIS_PROFILE",
        "--output",
    ] {
        assert!(
            help.stdout.contains(word),
            "{word} is missing: {}",
            help.stdout
        );
    }
}

#[test]
fn help_of_every_command_teaches_by_examples() {
    teach_by_examples(&[
        "login",
        "logout",
        "whoami",
        "enroll",
        "renew",
        "version",
        "completion",
        "identity",
        "identity create",
        "identity list",
        "identity role-attributes",
        "identity show",
        "identity update",
        "identity delete",
        "enrollment",
        "enrollment create",
        "enrollment list",
        "enrollment show",
        "enrollment refresh",
        "enrollment delete",
        "authenticator",
        "authenticator list",
        "authenticator show",
        "authenticator create",
        "authenticator update",
        "authenticator delete",
        "authenticator reset",
        "authenticator request-extend",
        "ca",
        "ca create",
        "ca verify",
        "ca jwt",
        "ca list",
        "ca show",
        "ca update",
        "ca delete",
        "ext-jwt-signer",
        "ext-jwt-signer create",
        "ext-jwt-signer list",
        "ext-jwt-signer show",
        "ext-jwt-signer update",
        "ext-jwt-signer delete",
        "password",
        "password change",
        "mfa",
        "mfa status",
        "mfa enroll",
        "mfa verify",
        "mfa codes",
        "mfa new-codes",
        "mfa remove",
        "identity mfa-remove",
        "session",
        "session list",
        "session show",
        "session delete",
        "auth-policy",
        "auth-policy create",
        "auth-policy list",
        "auth-policy show",
        "auth-policy update",
        "auth-policy delete",
        "api",
    ]);
}

#[test]
fn help_about_services_and_policies_teaches_by_examples() {
    teach_by_examples(&[
        "service",
        "service create",
        "service list",
        "service role-attributes",
        "service show",
        "service update",
        "service delete",
        "config",
        "config create",
        "config list",
        "config show",
        "config update",
        "config delete",
        "config-type",
        "config-type create",
        "config-type list",
        "config-type show",
        "config-type update",
        "config-type delete",
        "service-policy",
        "service-policy create",
        "service-policy list",
        "service-policy show",
        "service-policy update",
        "service-policy delete",
        "edge-router-policy",
        "edge-router-policy create",
        "edge-router-policy list",
        "edge-router-policy show",
        "edge-router-policy update",
        "edge-router-policy delete",
        "service-edge-router-policy",
        "service-edge-router-policy create",
        "service-edge-router-policy list",
        "service-edge-router-policy show",
        "service-edge-router-policy update",
        "service-edge-router-policy delete",
        "posture-check",
        "posture-check create",
        "posture-check create os",
        "posture-check create mac",
        "posture-check create domain",
        "posture-check create process",
        "posture-check create process-multi",
        "posture-check create mfa",
        "posture-check list",
        "posture-check role-attributes",
        "posture-check show",
        "posture-check update",
        "posture-check update os",
        "posture-check update mac",
        "posture-check update domain",
        "posture-check update process",
        "posture-check update process-multi",
        "posture-check update mfa",
        "posture-check delete",
    ]);
}

#[test]
fn help_about_routers_teaches_by_examples() {
    teach_by_examples(&[
        "edge-router",
        "edge-router create",
        "edge-router list",
        "edge-router role-attributes",
        "edge-router show",
        "edge-router update",
        "edge-router delete",
        "transit-router",
        "transit-router create",
        "transit-router list",
        "transit-router show",
        "transit-router update",
        "transit-router delete",
        "terminator",
        "terminator create",
        "terminator list",
        "terminator show",
        "terminator update",
        "terminator delete",
        "edge-router re-enroll",
        "policy-advisor",
        "policy-advisor identities",
        "policy-advisor services",
    ]);
}

/// Each command names itself in an example.
fn teach_by_examples(commands: &[&str]) {
    let environment = Environment::new();
    for command in commands {
        let help = environment.run(&format!("{command} --help"));
        assert_eq!(help.code, 0, "{command}");
        let example = format!("portcullis {command}");
        let examples = help.stdout.split("Examples:").nth(1).unwrap_or_default();
        assert!(examples.contains(&example), "{command}: {}", help.stdout);
        for line in help.stdout.lines() {
            assert!(line.chars().count() <= 100, "{command}: too wide: {line}");
        }
    }
}

#[test]
fn version_is_told_to_people_and_programs() {
    let environment = Environment::new();
    let number = env!("CARGO_PKG_VERSION");
    let people = environment.run("version");
    assert_eq!(
        (people.code, people.stdout),
        (0, format!("portcullis:  {number}\n"))
    );
    let programs = environment.run("version --output json");
    let document: serde_json::Value = serde_json::from_str(&programs.stdout).unwrap();
    assert_eq!(document, serde_json::json!({"program": number}));
    let yaml = environment.run("version --output yaml").stdout;
    let same: serde_json::Value = serde_yaml::from_str(&yaml).unwrap();
    assert_eq!(same, document, "{yaml}");
    assert_eq!(
        environment.run("--version").stdout,
        format!("portcullis {number}\n")
    );
}

#[test]
fn scripts_for_completion_are_printed() {
    let environment = Environment::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = environment.run(&format!("completion {shell}"));
        assert_eq!(script.code, 0, "{shell}");
        for word in [
            "enrollment",
            "role-attributes",
            "auth-policy",
            "dry-run",
            "new-codes",
        ] {
            assert!(script.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(environment.run("completion tcsh").code, 2);
}

#[test]
fn reader_who_has_seen_enough_is_no_failure() {
    let environment = Environment::new();
    let mut command = environment.command();
    command
        .args(["completion", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The script is larger than what a pipe holds.
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    let mut complaints = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaints)
        .unwrap();
    assert_eq!((status.code(), complaints.as_str()), (Some(0), ""));
}
