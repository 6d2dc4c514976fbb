//! Help, version and shell completion.

use crate::environment::{Environment, closed, outcome};
use insta::assert_snapshot;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

#[test]
#[expect(clippy::too_many_lines, reason = "the text is long")]
fn help_names_commands_and_exit_codes() {
    let environment = Environment::new();
    assert_snapshot!(environment.transcript(&["--help"]), @r"
        $ portcullis --help
        Administer a Portcullis network and enroll devices

        Usage: portcullis [OPTIONS] <COMMAND>

        Getting in:
          login                       Log in by password, certificate or JWT
          logout                      End the session
          whoami                      Show your identity, or that of an identity file
          profile                     List, choose and remove profiles
          enroll                      Redeem a token for an identity file or a password
          renew                       Renew the certificate of an identity file
          mfa                         Protect your own logins with TOTP codes
          password                    Change your own password

        Identities and credentials:
          identity                    Manage identities
          enrollment                  Manage enrollments and their tokens
          authenticator               Manage the credentials of identities
          session                     List, show and end sessions
          revocation                  Revoke signed tokens, list and show revocations
          auth-policy                 Manage authentication policies
          ca                          Manage third-party CAs
          ext-jwt-signer              Manage external JWT signers

        Services and access:
          service                     Manage services
          config                      Manage configurations for services and routers
          config-type                 Manage configuration types
          service-policy              Manage who may dial or bind services
          posture-check               Manage what policies require of devices and users
          policy-advisor              Explain why identities can or cannot use services

        Network:
          edge-router                 Manage edge routers
          transit-router              Manage transit routers
          terminator                  Manage terminators, the addresses of services
          fabric                      See routers, links and circuits as they are now
          edge-router-policy          Manage which edge routers identities may use
          service-edge-router-policy  Manage which edge routers services may use

        Operations:
          events                      Follow events of the network as they happen
          database                    Back up and check the store, count its entities
          api                         Send an arbitrary request to the API

        Offline tools:
          router-config               Check, show, explain and generate router files
          completion                  Generate a shell completion script
          man                         Write man pages
          version                     Show the versions of program and controller

        Options:
          -o, --output <FORMAT>
                  Output format

                  Possible values:
                  - table: Tables that fit the terminal
                  - wide:  Tables with more columns, full values and times
                  - name:  One name, or else id, on each line
                  - json:  JSON: an entity, or an array of entities
                  - yaml:  The same as YAML 1.1 and 1.2

                  [default: table]

              --profile <NAME>
                  Profile to use, which stores a controller and a session (default: `PORTCULLIS_PROFILE`, or
                  the one that `profile use` chose, or `default`)

              --config-dir <DIR>
                  Directory for profiles (default: `PORTCULLIS_CONFIG_DIR`)

              --timeout <SECONDS>
                  Request timeout in seconds

                  [default: 30]

          -v, --verbose
                  Log each request to standard error, without secrets

          -h, --help
                  Print help (see a summary with '-h')

          -V, --version
                  Print version

        Examples:
          portcullis login https://localhost:1280 --username admin
          portcullis identity create laptop --type device --output-jwt laptop.jwt
          portcullis enroll laptop.jwt
          portcullis whoami --identity laptop.json
          portcullis router-config check router.yml

        Use `portcullis COMMAND --help` for the subcommands, options and examples of a
        command.

        Exit codes:
          0    success
          1    the controller refused the request, or the command or a check failed
          2    invalid arguments, or a prompt is needed but there is no terminal
          3    not logged in, or the session has expired
          4    the controller cannot be reached or is not trusted
          130  cancelled with Ctrl-C

        Results go to standard output, errors to standard error, as plain text in every
        output format. It is not an error if a reader closes the output early.

        Environment:
          PORTCULLIS_PROFILE       profile to use instead of the chosen one
          PORTCULLIS_CONFIG_DIR    directory for profiles, not ~/.config/portcullis
          PORTCULLIS_CODE          TOTP or recovery code, for `login`, `whoami`, `renew`
                                   and `mfa`
          PORTCULLIS_PASSWORD      your password, for `login`, `enroll` and `password`
          PORTCULLIS_NEW_PASSWORD  new password, for `password` and `authenticator`
          COLUMNS                  width of tables, not that of the terminal
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

        The old token stops working.

        Examples:
          portcullis enrollment refresh Yb0Dk.7vQ --output-jwt laptop.jwt
          portcullis enrollment refresh Yb0Dk.7vQ --expires-in 48h \
              --output-jwt laptop.jwt

        Global options: see `portcullis --help`
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
        let narrow = outcome(
            environment
                .command()
                .env("COLUMNS", "80")
                .args(command.split(' '))
                .arg("--help"),
        );
        // Where a terminal breaks an example, its first line alone may be another command.
        let shown = narrow.stdout.split("Examples:").nth(1).unwrap_or_default();
        let indented = |text: &str| -> Vec<_> {
            let lines = text.lines().filter(|line| line.starts_with(' '));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(indented(shown), indented(examples), "{command}");
        let below = subcommands(&help.stdout).into_iter();
        commands.extend(below.map(|verb| format!("{command} {verb}")));
    }
    assert!(count > 150, "only {count} commands were found");
}

/// The commands that `help` lists.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.split("\nOptions:\n").next().unwrap_or_default();
    listed
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter_map(|line| line.split(' ').next())
        .filter(|command| *command != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_of_the_program_fits_a_small_terminal() {
    let environment = Environment::new();
    for line in ["-h", "--help"] {
        let mut command = environment.command();
        let help = outcome(command.env("COLUMNS", "80").arg(line)).stdout;
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "too wide: {line}");
        }
    }
}

/// Shown once, at the top, and taken everywhere.
#[test]
fn global_options_are_taken_where_they_are_not_shown() {
    let environment = Environment::new();
    let help = environment.run("identity list --help").stdout;
    assert!(!help.contains("--profile <"), "{help}");
    assert!(
        help.ends_with("\n\nGlobal options: see `portcullis --help`\n"),
        "{help}"
    );
    for line in [
        "--profile p version --timeout 5 --output json",
        "version --profile p --timeout 5 -o json -v",
    ] {
        let outcome = environment.run(line);
        assert_eq!(outcome.code, 0, "{line}: {}", outcome.stderr);
        assert!(outcome.stdout.starts_with('{'), "{line}");
    }
    let deep = environment.run("identity list --profile nobody");
    assert!(deep.stderr.contains("profile `nobody`"), "{}", deep.stderr);
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
        assert!(script.stdout.contains("PORTCULLIS_COMPLETE"), "{shell}");
    }
    assert_eq!(environment.run("completion tcsh").code, 2);
}

/// Asks as the scripts do. Nobody is logged in, so there are no names.
#[test]
fn commands_options_and_profiles_are_completed() {
    let environment = Environment::new();
    environment.log_in(&closed());
    for (words, expected) in [
        (&["ident"][..], &["identity"][..]),
        (&["identity", "role"], &["role-attributes"]),
        (
            &["identity", "list", "--rol"],
            &["--role", "--role-semantic"],
        ),
        (&["identity", "list", "--prof"], &["--profile"]),
        (&["--profile", "de"], &["default"]),
        (&["--output", "js"], &["json"]),
        (&["identity", "show", "la"], &[]),
        (
            &["router-config", "explain", "ctrl.endp"],
            &["ctrl.endpoint", "ctrl.endpoints", "ctrl.endpointsFile"],
        ),
    ] {
        let mut command = environment.command();
        command.env("PORTCULLIS_COMPLETE", "fish");
        command.args(["--", "portcullis"]).args(words);
        let answer = outcome(&mut command);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{words:?}");
        let values = answer.stdout.lines().map(|line| line.split('\t').next());
        let values: Vec<_> = values.flatten().collect();
        assert_eq!(values, expected, "{words:?}");
    }
}

#[test]
fn every_command_has_a_man_page() {
    let environment = Environment::new();
    assert_eq!(environment.run("man --out man1").code, 0);
    let pages = || fs::read_dir(environment.path("man1")).unwrap();
    assert!(pages().count() > 150, "{}", pages().count());
    for page in ["portcullis.1", "portcullis-identity-create.1"] {
        let text = environment.read(&Path::new("man1").join(page));
        for section in ["SYNOPSIS", "EXAMPLES"] {
            assert!(text.contains(&format!("\n.SH {section}\n")), "{text}");
        }
    }
    let again = environment.run("man --out man1");
    assert_eq!(again.code, 1);
    assert!(
        again
            .stderr
            .ends_with("hint: pass `--force` to replace it\n"),
        "{}",
        again.stderr
    );
    assert_eq!(environment.run("man --out man1 --force").code, 0);
    let file = environment.write("file", "");
    let refused = environment.run(&format!("man --out {}", file.display()));
    assert_eq!(refused.code, 1, "{}", refused.stderr);
}

#[test]
fn reader_who_has_seen_enough_is_no_failure() {
    let environment = Environment::new();
    let mut command = environment.command();
    command
        .args(["router-config", "schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The schema is larger than what a pipe holds.
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
