//! Help, version and shell completion.

use crate::environment::Environment;
use insta::assert_snapshot;
use std::fs;
use std::io::Read as _;
use std::process::Stdio;

#[test]
#[expect(clippy::too_many_lines, reason = "the text is long")]
fn help_names_commands_and_exit_codes() {
    let environment = Environment::new();
    assert_snapshot!(environment.transcript(&["--help"]), @r"
        $ portcullis --help
        Administer a Portcullis network and enroll devices

        Usage: portcullis [OPTIONS] <COMMAND>

        Commands:
          login                       Log in to a controller by password, certificate or JWT
          logout                      End the session
          whoami                      Show the logged-in identity, or the identity of an identity file
          enroll                      Enroll with a token from an administrator, to get an identity file or
                                      set a password
          renew                       Renew the certificate of an identity file
          identity                    Manage identities [alias: identities]
          enrollment                  Manage enrollments [alias: enrollments]
          authenticator               Manage authenticators, the credentials of identities [alias:
                                      authenticators]
          session                     List, show and end sessions [alias: sessions]
          revocation                  Revoke signed tokens, and list and show revocations [alias:
                                      revocations]
          auth-policy                 Manage authentication policies [alias: auth-policies]
          ca                          Manage third-party CAs [alias: cas]
          ext-jwt-signer              Manage external JWT signers [alias: ext-jwt-signers]
          service                     Manage services [alias: services]
          config                      Manage configurations for services and routers [alias: configs]
          config-type                 Manage configuration types [alias: config-types]
          service-policy              Manage policies that let identities dial or bind services [alias:
                                      service-policies]
          edge-router-policy          Manage policies that let identities use edge routers [alias:
                                      edge-router-policies]
          service-edge-router-policy  Manage policies that let services use edge routers [alias:
                                      service-edge-router-policies]
          posture-check               Manage posture checks, which policies require of devices and users
                                      [alias: posture-checks]
          edge-router                 Manage edge routers [alias: edge-routers]
          transit-router              Manage transit routers [alias: transit-routers]
          terminator                  Manage terminators, the addresses at which services are available
                                      [alias: terminators]
          policy-advisor              Explain why identities can or cannot use services
          database                    Back up and check the controller's store, and count its entities
                                      [alias: db]
          mfa                         Protect your own logins with TOTP codes from an authenticator app
          password                    Change your own password
          api                         Send an arbitrary request to the API
          router-config               Check, show, explain and generate router configuration files, offline
          version                     Show the version of this program and of the controller
          completion                  Generate a shell completion script
          help                        Print this message or the help of the given subcommand(s)

        Options:
          -h, --help
                  Print help (see a summary with '-h')

          -V, --version
                  Print version

        Global options:
          -o, --output <FORMAT>
                  Output format

                  Possible values:
                  - table: Human-readable tables; very long values are truncated
                  - json:  A JSON document
                  - yaml:  The same document as YAML 1.1 and 1.2

                  [default: table]

              --profile <NAME>
                  Profile to use, which stores a controller and a session (default: `PORTCULLIS_PROFILE`, or
                  `default`)

              --config-dir <DIR>
                  Directory for profiles (default: `PORTCULLIS_CONFIG_DIR`)

              --timeout <SECONDS>
                  Request timeout in seconds

                  [default: 30]

          -v, --verbose
                  Log each request to standard error, without secrets

        Examples:
          portcullis login https://localhost:1280 --username admin
          portcullis identity create laptop --type device --output-jwt laptop.jwt
          portcullis enroll laptop.jwt
          portcullis whoami --identity laptop.json
          portcullis router-config check router.yml

        Exit codes:
          0    success
          1    the controller refused the request, the command failed, or a checked file is invalid
          2    the arguments are invalid, or a prompt is needed but there is no terminal
          3    not logged in, or the session has expired
          4    the controller cannot be reached or is not trusted
          130  cancelled with Ctrl-C

        Results go to standard output, errors to standard error, as plain text in every output format. It is
        not an error if a reader closes the output early.

        Environment:
          PORTCULLIS_PROFILE       profile to use instead of `default`
          PORTCULLIS_CONFIG_DIR    directory for profiles instead of ~/.config/portcullis
          PORTCULLIS_CODE          TOTP or recovery code, for `login`, `whoami`, `renew` and `mfa`
          PORTCULLIS_PASSWORD      your password, for `login`, `enroll` and `password change`
          PORTCULLIS_NEW_PASSWORD  new password, for `password change` and `authenticator`
          NO_COLOR                 disable colors
        [0]
        ");
}

#[test]
fn help_of_a_command_explains_arguments_and_options() {
    let environment = Environment::new();
    assert_snapshot!(environment.transcript(&["enrollment refresh --help"]), @r"
        $ portcullis enrollment refresh --help
        Replace the token of an enrollment

        Usage: portcullis enrollment refresh [OPTIONS] <ID>

        Arguments:
          <ID>
                  Id of the enrollment, as shown by `enrollment list`

        Options:
              --expires-in <DURATION>
                  Lifetime of the token, for example `90m` or `48h`

                  [default: 3h]

              --output-jwt <FILE>
                  Write the enrollment token to a new file, or standard output for `-`

              --force
                  Overwrite the token file if it exists; follows symbolic links, and writes to pipes and
                  devices

          -h, --help
                  Print help (see a summary with '-h')

        Global options:
          -o, --output <FORMAT>
                  Output format

                  Possible values:
                  - table: Human-readable tables; very long values are truncated
                  - json:  A JSON document
                  - yaml:  The same document as YAML 1.1 and 1.2

                  [default: table]

              --profile <NAME>
                  Profile to use, which stores a controller and a session (default: `PORTCULLIS_PROFILE`, or
                  `default`)

              --config-dir <DIR>
                  Directory for profiles (default: `PORTCULLIS_CONFIG_DIR`)

              --timeout <SECONDS>
                  Request timeout in seconds

                  [default: 30]

          -v, --verbose
                  Log each request to standard error, without secrets

        The old token stops working.

        Examples:
          portcullis enrollment refresh Yb0Dk.7vQ --output-jwt laptop.jwt
          portcullis enrollment refresh Yb0Dk.7vQ --expires-in 48h --output-jwt laptop.jwt
        [0]
        ");
}

#[test]
fn exit_codes_are_documented_as_help_names_them() {
    let environment = Environment::new();
    let help = environment.run("--help").stdout;
    let codes = help.split("Exit codes:\n").nth(1).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let operations = fs::read_to_string(path).unwrap();
    for line in codes.lines().take_while(|line| !line.is_empty()) {
        let (code, meaning) = line.trim().split_once(' ').unwrap();
        let (start, end) = (format!("| {code} |"), format!("| {} |", meaning.trim()));
        let mut rows = operations.lines();
        assert!(
            rows.any(|row| row.starts_with(&start) && row.ends_with(&end)),
            "{line}"
        );
    }
}

/// Each command names itself in an example.
#[test]
fn help_of_every_command_teaches_by_examples() {
    let environment = Environment::new();
    let mut commands = subcommands(&environment.run("--help").stdout);
    assert!(commands.len() > 25, "{commands:?}");
    let mut count = 0;
    while let Some(command) = commands.pop() {
        count += 1;
        let help = environment.run(&format!("{command} --help"));
        assert_eq!(help.code, 0, "{command}");
        let example = format!("portcullis {command}");
        let examples = help.stdout.split("Examples:").nth(1).unwrap_or_default();
        assert!(examples.contains(&example), "{command}: {}", help.stdout);
        for line in help.stdout.lines() {
            assert!(line.chars().count() <= 100, "{command}: too wide: {line}");
        }
        let below = subcommands(&help.stdout).into_iter();
        commands.extend(below.map(|verb| format!("{command} {verb}")));
    }
    assert!(count > 150, "only {count} commands were found");
}

/// The commands that `help` lists.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .filter(|command| *command != "help")
        .map(str::to_owned)
        .collect()
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
