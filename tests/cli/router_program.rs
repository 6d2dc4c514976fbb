//! `portcullis-router` beside no controller: help, configuration files, and files that it refuses.

use crate::router_config_support::{RouterConfigFiles, VALID, crashing, misspelled};
use insta::assert_snapshot;
use std::fs;
use std::process::Command;
use support::{CommandOutput, binaries, command, run};

/// Runs the program beside these files.
fn router(files: &RouterConfigFiles, arguments: &[&str]) -> CommandOutput {
    let mut line = Command::new(binaries::router());
    line.env_clear()
        .envs(command::coverage())
        .env("COLUMNS", "80")
        .current_dir(files.site.work());
    run(line.args(arguments))
}

#[test]
fn help_names_commands_in_groups() {
    let files = RouterConfigFiles::new();
    let help = router(&files, &["--help"]).success().text();
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    Router of a zero-trust overlay network, compatible with OpenZiti

    Usage: portcullis-router [OPTIONS] <COMMAND>

    Running a router:
      config        Check, show, explain and generate configuration files
      enroll        Get the certificates of a router with a token of its controller
      run           Run the router of a configuration file

    Looking after a router that runs:
      quiesce       Let no new clients come to what is hosted at a router that runs
      dequiesce     Let clients come again to what is hosted at a router that runs
      renew         Get new certificates for a router that runs
      decommission  Delete a router that runs from its network, and stop it

    This program:
      completion    Generate a shell completion script
      man           Write man pages
      version       Show the version

    Options:
          --log <FILTER>
              What to log to stderr: a level, or levels by component such as
              `warn,portcullis_router_io=debug` [default: info]

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
      portcullis-router config generate edge --name r1 --host r1.example.com \
          --controller ctrl.example.com:6262 --out r1.yml
      portcullis-router enroll r1.yml --jwt r1.jwt
      portcullis-router run r1.yml
      portcullis-router config check r1.yml              every mistake in it
      portcullis-router config explain link.listeners

    Use `portcullis-router COMMAND --help` for the subcommands, options and
    examples of a command.

    Exit codes:
      0  success
      1  the command or a check failed
      2  invalid arguments

    Results go to standard output, the log and errors to standard error.

    Environment:
      PORTCULLIS_LOG                   what to log, like --log
      PORTCULLIS_ROUTER_BUFFER_MEMORY  memory that messages may wait in, like
                                       --buffer-memory of `run`
    "#);
}

#[test]
fn help_of_enrollment_explains_where_things_go() {
    let files = RouterConfigFiles::new();
    let help = router(&files, &["enroll", "--help"]).success().text();
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    Get the certificates of a router with a token of its controller

    Usage: portcullis-router enroll [OPTIONS] --jwt <TOKEN> <CONFIG>

    Arguments:
      <CONFIG>
              Configuration file

    Options:
      -j, --jwt <TOKEN>
              File with the token, `-` for standard input, or the token itself,
              which other users of the machine can then see

          --force
              Enroll again: replace the certificates that are there. The key stays

      -a, --key-type <TYPE>
              Type of the key, if there is none yet [default: p256]. `rsa2048` suits
              SDKs of 2022 and before; `EC` and `RSA` are those of `ziti router
              enroll`

              Possible values:
              - p256:    ECDSA over P-256
              - p384:    ECDSA over P-384
              - rsa2048: RSA of 2048 bits
              - rsa4096: RSA of 4096 bits

              [alias: --keyAlg]

      -h, --help
              Print help (see a summary with '-h')

    The token is verified against the certificate of its controller, which then
    issues a client and a server certificate with the names of `csr`. They are
    written to the files of `identity`, as well as the CA certificates and, if there
    is none yet, the key. Only their owner may read them. Administrators get the
    token with `portcullis edge-router create NAME --output-jwt FILE`.

    Examples:
      portcullis-router enroll r1.yml --jwt r1.jwt
      portcullis-router enroll r1.yml --jwt - < r1.jwt
      portcullis-router enroll r1.yml --jwt again.jwt --force
      portcullis-router enroll r1.yml --jwt r1.jwt --key-type rsa2048

    Global options: see `portcullis-router --help`
    "#);
}

#[test]
fn commands_about_files_are_those_of_portcullis() {
    let files = RouterConfigFiles::new();
    files.write("good.yml", VALID);
    files.write("misspelled.yml", misspelled());
    files.write("crashing.yml", crashing());
    for (arguments, code) in [
        (
            &["check", "good.yml", "misspelled.yml", "crashing.yml"][..],
            1,
        ),
        (&["check", "--as", "openziti", "misspelled.yml"], 0),
        (&["check", "--format", "json", "good.yml"], 0),
        (&["show", "good.yml"], 0),
        (&["show", "crashing.yml", "--format", "json"], 1),
        (&["explain"], 0),
        (&["explain", "link.listeners"], 0),
        (&["explain", "-o", "json", "ctrl"], 0),
        (&["schema"], 0),
    ] {
        let ours = router(&files, &[&["config"], arguments].concat()).expect_code(code);
        let theirs = files.run(arguments).expect_code(code);
        let renamed =
            |text: &str| text.replace("portcullis router-config", "portcullis-router config");
        assert_eq!(ours.text(), renamed(&theirs.text()), "{arguments:?}");
        assert_eq!(ours.stderr, renamed(&theirs.stderr), "{arguments:?}");
    }
    let unknown = router(&files, &["config", "explain", "link.dialer"])
        .expect_code(2)
        .stderr;
    assert!(unknown.contains("did you mean `dialers`?"), "{unknown}");
    let generate = [
        "config", "generate", "edge", "--name", "r1", "--out", "good.yml",
    ];
    let kept = router(&files, &generate).expect_code(1).stderr;
    assert!(kept.contains("already exists"), "{kept}");
    router(&files, &[&generate[..], &["--force"]].concat()).success();
    assert_ne!(
        fs::read_to_string(files.site.file("good.yml")).unwrap(),
        VALID
    );
}

#[test]
fn key_without_effect_is_named_with_its_place() {
    let files = RouterConfigFiles::new();
    files.write("r.yml", format!("{VALID}\nenableDebugOps: true\n"));
    let checked = router(&files, &["config", "check", "r.yml"]).success();
    let told = format!("{}{}", checked.text(), checked.stderr);
    let line = VALID.lines().count() + 2;
    assert!(told.contains(&format!("r.yml:{line}:")), "{told}");
    assert!(
        told.contains("`enableDebugOps` has no effect: the router has no agent"),
        "{told}"
    );
}

#[test]
fn generated_files_can_be_run() {
    let files = RouterConfigFiles::new();
    for arguments in [
        &["edge"][..],
        &["fabric"],
        &["edge", "--private", "--web-sockets"],
        &["edge", "--private", "--tunnel", "host"],
        &["edge", "--tunnel", "proxy", "--service", "wiki:8080"],
        &["edge", "--tunnel", "tproxy", "--lan-interface", "lo"],
    ] {
        let line = [&["config", "generate"], arguments, &["--name", "r1"]].concat();
        let generated = router(
            &files,
            &[&line[..], &["--out", "r.yml", "--force"]].concat(),
        );
        generated.success();
        router(&files, &["config", "check", "r.yml"]).success();
        // It is taken as it is, and lacks certificates only.
        let started = router(&files, &["run", "r.yml"]).expect_code(1).stderr;
        assert!(started.contains("the router is not enrolled"), "{started}");
    }
}

#[test]
fn files_that_cannot_be_run_are_refused_with_the_place() {
    let files = RouterConfigFiles::new();
    files.write("crashing.yml", crashing());
    let tunnel =
        "edge: {}\nlisteners:\n  - binding: tunnel\n    options: {mode: 'tproxy:/bin/divert'}\n";
    files.write("tunnel.yml", format!("{VALID}{tunnel}"));
    files.write("engine.yml", VALID.replace("r.key", "pkcs11:x"));
    files.write("good.yml", VALID);
    for (arguments, parts) in [
        (
            &["run", "crashing.yml"][..],
            &[
                "write the unit too, such as `5s`",
                "--> crashing.yml:5:26",
                "error: the configuration crashing.yml cannot be used: 1 mistake",
            ][..],
        ),
        (
            &["run", "tunnel.yml"],
            &["--> tunnel.yml:10:21", "this router diverts traffic itself"],
        ),
        (
            &["config", "show", "tunnel.yml"],
            &[
                "this router diverts traffic itself",
                "tunnel.yml: refused, 1 error",
            ],
        ),
        (
            &["run", "engine.yml"],
            &["--> engine.yml:", "has its keys in files"],
        ),
        (&["run", "missing.yml"], &["missing.yml", "does not exist"]),
        (
            &["run", "good.yml"],
            &[
                "the router is not enrolled",
                "portcullis-router enroll good.yml",
            ],
        ),
        (
            &["enroll", "crashing.yml", "--jwt", "x.jwt"],
            &["cannot be used: 1 mistake"],
        ),
        (
            &["enroll", "good.yml", "--jwt", "x.jwt"],
            &["x.jwt cannot be read"],
        ),
    ] {
        let refused = router(&files, arguments).expect_code(1);
        for part in parts {
            assert!(
                refused.stderr.contains(part),
                "{part:?} is not in {}",
                refused.stderr
            );
        }
    }
    router(&files, &["run"]).expect_code(2);
    router(&files, &["--log", "inof", "run", "good.yml"]).expect_code(2);
}

#[test]
fn mistakes_that_openziti_passes_over_are_warnings_when_it_runs() {
    let files = RouterConfigFiles::new();
    let file = misspelled() + "metrics: off\n";
    files.write("r.yml", &file);
    router(&files, &["config", "check", "r.yml"]).expect_code(1);
    let meant = "did you mean `linkDialWorkerCount`?";
    for (arguments, end) in [
        (&["run", "r.yml"][..], "the router is not enrolled"),
        (
            &["enroll", "r.yml", "--jwt", "x.jwt"],
            "x.jwt cannot be read",
        ),
    ] {
        let told = router(&files, arguments).expect_code(1).stderr;
        for part in [
            meant,
            "`metrics` must be a map of keys",
            "it is left out",
            end,
        ] {
            assert!(told.contains(part), "{part:?} is not in {told}");
        }
    }
    // With one that OpenZiti's router does not start with, they are mistakes.
    let crashing = file.replace("6262\n", "6262\n  defaultRequestTimeout: 5\n");
    files.write("r.yml", crashing);
    let refused = router(&files, &["run", "r.yml"]).expect_code(1).stderr;
    assert!(refused.contains("cannot be used: 3 mistakes"), "{refused}");
}

#[test]
fn options_of_openziti_are_told_to_have_no_effect() {
    let files = RouterConfigFiles::new();
    files.write("good.yml", VALID);
    let options = ["run", "good.yml", "-e", "--log-formatter", "text", "-v"];
    let refused = router(&files, &options).expect_code(1).stderr;
    assert!(
        refused.contains("--log-formatter has no effect"),
        "{refused}"
    );
    assert!(!refused.contains("--extend has no effect"), "{refused}");
}

#[test]
fn pages_and_scripts_name_the_program() {
    let files = RouterConfigFiles::new();
    router(&files, &["man", "--out", "pages"]).success();
    let page = fs::read_to_string(files.site.file("pages").join("portcullis-router-run.1"));
    assert!(page.unwrap().contains("SIGHUP"));
    let script = router(&files, &["completion", "bash"]).success().text();
    assert!(script.contains("PORTCULLIS_ROUTER_COMPLETE"), "{script}");
    let version = router(&files, &["version"]).success().text();
    assert!(version.starts_with("portcullis-router 0."), "{version}");
}
