//! Help, man pages and completion.

use crate::support::{Finished, finish, program};
use insta::assert_snapshot;
use std::fs;

/// Help at a terminal of some width.
fn help(command: &str, columns: &str) -> String {
    let mut program = program();
    program
        .env("COLUMNS", columns)
        .args(command.split_whitespace());
    let shown = finish(program.arg("--help"));
    assert_eq!(shown.code, Some(0), "{command}: {shown:?}");
    // The parser pads empty lines.
    let lines: Vec<_> = shown.stdout.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// The commands that a help lists.
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
fn help_names_commands_in_groups() {
    assert_snapshot!(help("", "80"), @r"
    Controller of a zero-trust overlay network, compatible with OpenZiti

    Usage: portcullis-controller [OPTIONS] <COMMAND>

    Serving a network:
      quickstart   Create a network and serve it
      config       Generate, check, show and explain configuration files
      init         Create the first administrator of a network
      run          Serve the network of a configuration file

    Operations:
      doctor       Find out what is wrong with a controller, running or not
      fingerprint  Show the fingerprint of the CA
      backup       Verify copies of the store, and restore one
      audit        Work with files of the audit trail
      admin        Restore access when nobody who could help can log in

    This program:
      completion   Generate a shell completion script
      man          Write man pages
      version      Show the version

    Options:
          --log <FILTER>
              What to log to stderr: a level, or levels by component such as
              `warn,audit=info` [default: `log.filter` of the configuration, or else
              `info`]

              [env: PORTCULLIS_LOG=]

      -v, --verbose
              The same as `--log debug`

          --allow-core-dumps
              Allow core dumps, and debuggers run by the same user; both can expose
              secrets

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Examples:
      portcullis-controller quickstart                     to try things out
      portcullis-controller quickstart --home ~/network    the same, kept
      portcullis-controller config generate                a network that stays
      portcullis-controller config check controller.yml    every mistake in it
      portcullis-controller init controller.yml -u admin
      portcullis-controller run controller.yml             serve it
      portcullis-controller doctor controller.yml          what is wrong with it

    Use `portcullis-controller COMMAND --help` for the subcommands, options and
    examples of a command.

    Exit codes:
      0  success
      1  the command or a check failed
      2  invalid arguments, or a prompt is needed but there is no terminal

    Results go to standard output, the log and errors to standard error.

    Environment:
      PORTCULLIS_LOG           what to log, like --log
      PORTCULLIS_NEW_PASSWORD  password for `init` and `admin reset-password`
      ZITI_CTRL_EDGE_ADVERTISED_ADDRESS, ZITI_CTRL_EDGE_ADVERTISED_PORT,
      ZITI_USER, ZITI_PWD      options of `quickstart`, as in `ziti edge quickstart`
    ");
}

#[test]
fn help_of_a_command_explains_arguments_and_options() {
    assert_snapshot!(help("config show", "80"), @r#"
    Show effective values, including defaults, and their sources

    Usage: portcullis-controller config show [OPTIONS] <CONFIG>

    Arguments:
      <CONFIG>
              Configuration file

    Options:
          --overlay <FILE>
              Partial file whose keys override those of the configuration file, like
              --config of `quickstart`; may be repeated

      -o, --output <FORMAT>
              Format of the values

              Possible values:
              - yaml: Nested like the file, with the source of each value in a
                comment
              - json: A JSON object from key paths to values and their sources

              [default: yaml]

      -h, --help
              Print help (see a summary with '-h')

    Each value has its source: a line of the file, an environment variable, a
    default, or another value that it follows from. If the file has mistakes, all
    values that can be understood are shown; the mistakes go to standard error, and
    the exit code is 1. Private keys in the file are omitted.

    Examples:
      portcullis-controller config show controller.yml
      portcullis-controller config show controller.yml --overlay production.yml
      portcullis-controller config show -o json controller.yml |
          jq '.["edge.api.address"]'

    Global options: see `portcullis-controller --help`
    "#);
}

/// Each command names itself in an example, and fits a small terminal.
#[test]
fn help_of_every_command_teaches_by_examples() {
    let mut commands = subcommands(&help("", "80"));
    let mut count = 0;
    while let Some(command) = commands.pop() {
        count += 1;
        let shown = help(&command, "80");
        let example = format!("portcullis-controller {command}");
        let examples = shown.split("Examples:").nth(1).unwrap_or_default();
        assert!(examples.contains(&example), "{command}: {shown}");
        for line in shown.lines() {
            assert!(line.chars().count() <= 80, "{command}: too wide: {line}");
        }
        let below = subcommands(&shown).into_iter();
        commands.extend(below.map(|verb| format!("{command} {verb}")));
    }
    assert!(count > 20, "only {count} commands were found");
}

/// Shown once, at the top, and taken everywhere.
#[test]
fn global_options_are_taken_where_they_are_not_shown() {
    let shown = help("audit verify", "80");
    assert!(!shown.contains("--log <"), "{shown}");
    assert!(
        shown.ends_with("\n\nGlobal options: see `portcullis-controller --help`\n"),
        "{shown}"
    );
    for line in ["--log warn version", "version --log warn"] {
        let finished = finish(program().args(line.split(' ')));
        assert_eq!(finished.code, Some(0), "{line}: {finished:?}");
    }
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    let man = |further: &[&str]| -> Finished {
        finish(program().args(["man", "--out"]).arg(&pages).args(further))
    };
    let made = man(&[]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(fs::read_dir(&pages).unwrap().count() > 20);
    let page = fs::read_to_string(pages.join("portcullis-controller-run.1")).unwrap();
    for section in [
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "EXAMPLES",
        "\"SEE ALSO\"",
    ] {
        assert!(page.contains(&format!("\n.SH {section}\n")), "{page}");
    }
    let top = fs::read_to_string(pages.join("portcullis-controller.1")).unwrap();
    for section in ["\"EXIT STATUS\"", "ENVIRONMENT", "EXAMPLES"] {
        assert!(top.contains(&format!("\n.SH {section}\n")), "{top}");
    }
    man(&[]).failed_with(&["exists; pass --force to replace it"]);
    assert_eq!(man(&["--force"]).code, Some(0));
}

#[test]
fn commands_options_and_keys_are_completed() {
    for (words, expected) in [
        (&["back"][..], &["backup"][..]),
        (&["backup", "re"], &["restore"]),
        (&["run", "--audit"], &["--audit-file"]),
        (&["completion", "f"], &["fish"]),
        (&["config", "show", "-o", "y"], &["yaml"]),
        (
            &["config", "explain", "edge.totp.h"],
            &["edge.totp.hostname"],
        ),
        (
            &["config", "explain", "edge.totp"],
            &["edge.totp", "edge.totp.compatibility", "edge.totp.hostname"],
        ),
    ] {
        let mut command = program();
        command.env("PORTCULLIS_CONTROLLER_COMPLETE", "fish");
        command.args(["--", "portcullis-controller"]).args(words);
        let answer = finish(&mut command);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
        let values = answer.stdout.lines().map(|line| line.split('\t').next());
        let mut values: Vec<_> = values.flatten().collect();
        values.sort_unstable();
        assert_eq!(values, expected, "{words:?}");
    }
}

#[test]
fn scripts_for_completion_are_printed() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = finish(program().args(["completion", shell]));
        assert_eq!(script.code, Some(0), "{shell}");
        assert!(
            script.stdout.contains("PORTCULLIS_CONTROLLER_COMPLETE"),
            "{shell}"
        );
    }
    assert_eq!(finish(program().args(["completion", "tcsh"])).code, Some(2));
}
