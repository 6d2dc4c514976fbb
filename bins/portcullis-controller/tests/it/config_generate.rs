//! `config generate`: everything or nothing, and nothing of what is there.

use crate::support::{Finished, finish, mode, program};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Creates a network for `ctrl.example.com` in a directory.
fn generate(directory: &Path, further: &[&str]) -> Finished {
    finish(
        program()
            .args([
                "config",
                "generate",
                "--address",
                "ctrl.example.com",
                "--dir",
            ])
            .arg(directory)
            .args(further),
    )
}

/// Codes of what `config check` finds in a file, apart from the machine that it runs on.
fn findings(config: &Path) -> Vec<String> {
    let check = ["config", "check", "--format", "json"];
    let checked = finish(program().args(check).arg(config));
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let found: Vec<serde_json::Value> = serde_json::from_str(&checked.stdout).unwrap();
    let codes = found
        .iter()
        .map(|one| one["code"].as_str().unwrap().to_owned());
    let of_machine = ["unresolvable-name", "address-in-use"];
    codes
        .filter(|code| !of_machine.contains(&&**code))
        .collect()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn network_is_created_with_everything_that_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("srv/my network");
    let made = generate(
        &home,
        &["--san", "192.0.2.7,alt.example.com", "--port", "8441"],
    );
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(
        names(&home),
        [
            "ca.pem",
            "controller.yml",
            "ctrl.db.portcullis",
            "ctrl.db.portcullis.key",
            "pki"
        ]
    );
    assert_eq!(mode(&home), 0o700);
    for key in ["root.key", "signing.key", "server.key", "client.key"] {
        assert_eq!(mode(&home.join("pki").join(key)), 0o600, "{key}");
    }
    assert_eq!(names(&folder.path().join("srv")), ["my network"]);

    let config = home.join("controller.yml");
    assert_eq!(findings(&config), [""; 0]);

    let word = format!("'{}'", config.display());
    let said = made.stdout.replace(" \\\n    ", " ");
    for command in ["config check", "init", "run"] {
        let line = format!("  portcullis-controller {command} {word}");
        assert!(said.lines().any(|one| one.starts_with(&line)), "{made:?}");
    }
    let certificate = fs::read_to_string(home.join("pki/server.chain.pem")).unwrap();
    assert!(certificate.starts_with("-----BEGIN CERTIFICATE-----"));
    let lines: Vec<_> = made.stdout.lines().collect();
    let row = lines
        .iter()
        .position(|line| line.contains("CA SHA-256"))
        .unwrap();
    let fingerprint = [lines[row], lines[row + 1]].map(|line| line.rsplit(' ').next().unwrap());
    assert_eq!(fingerprint.concat().split(':').count(), 32, "{made:?}");
    assert!(
        lines
            .iter()
            .all(|line| line.len() < 80 || line.contains("my network")),
        "{made:?}"
    );
}

/// So that apps tell networks apart.
#[test]
fn host_is_the_issuer_in_authenticator_apps() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    assert_eq!(generate(&home, &[]).code, Some(0));
    let show = ["config", "show", "-o", "json"];
    let shown = finish(program().args(show).arg(home.join("controller.yml")));
    let values: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    let issuer = &values["edge.totp.hostname"];
    assert_eq!(issuer["value"], "ctrl.example.com", "{shown:?}");
    assert_eq!(issuer["source"], "file");
}

#[test]
fn what_is_there_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    assert_eq!(generate(&home, &[]).code, Some(0));
    let before = fs::read(home.join("pki/root.key")).unwrap();
    generate(&home, &[]).failed_with(&["is not empty", "name an empty one"]);
    assert_eq!(fs::read(home.join("pki/root.key")).unwrap(), before);

    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    generate(&file, &[]).failed_with(&["is a file; name a directory"]);
    let pki = home.join("pki");
    let other = folder.path().join("other");
    generate(&other, &["--pki", pki.to_str().unwrap()]).failed_with(&["is not empty"]);
    let db = home.join("ctrl.db");
    generate(&other, &["--store", db.to_str().unwrap()]).failed_with(&["exists already"]);
    generate(&other, &["--store", "/nonexistent/ctrl.db"])
        .failed_with(&["the directory /nonexistent of the store does not exist"]);
    assert_eq!(names(folder.path()), ["file", "home"]);
}

#[test]
fn certificates_and_store_can_lie_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let [home, pki, data] = ["etc", "keys", "data"].map(|name| folder.path().join(name));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&data).unwrap();
    let store = data.join("ctrl.db");
    let further = [
        "--pki",
        pki.to_str().unwrap(),
        "--store",
        store.to_str().unwrap(),
    ];
    let made = generate(&home, &further);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(names(&home), ["ca.pem", "controller.yml"]);
    assert!(names(&pki).contains(&"root.key".to_owned()));
    assert_eq!(findings(&home.join("controller.yml")), [""; 0]);
}

#[test]
fn own_certificates_are_named_and_only_the_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let given = folder.path().join("given");
    assert_eq!(generate(&given, &[]).code, Some(0));
    let file = |name: &str| given.join("pki").join(name).display().to_string();
    let files = [
        ("--cert", "client.chain.pem"),
        ("--key", "client.key"),
        ("--server-cert", "server.chain.pem"),
        ("--server-key", "server.key"),
        ("--ca", "cas.pem"),
        ("--signing-cert", "signing.cert"),
        ("--signing-key", "signing.key"),
    ];
    let options: Vec<String> = files
        .iter()
        .flat_map(|(option, name)| [(*option).to_owned(), file(name)])
        .collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let own = folder.path().join("own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("notes"), "mine").unwrap();
    let made = generate(&own, &options);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(names(&own), ["controller.yml", "notes"]);
    assert_eq!(findings(&own.join("controller.yml")), [""; 0]);
    generate(&own, &options).failed_with(&["controller.yml exists already"]);
    let half = generate(&folder.path().join("half"), &options[..2]);
    assert_eq!(half.code, Some(2), "{half:?}");
    assert!(half.stderr.contains("--signing-key"), "{half:?}");

    // What they name is read first.
    let new = folder.path().join("new");
    for (option, name, parts) in [
        ("--cert", "nofile", ["--cert (", "cannot be read"]),
        (
            "--key",
            "server.key",
            ["--key (", "does not match the certificate --cert ("],
        ),
        (
            "--server-key",
            "client.key",
            ["--server-key (", "the certificate --server-cert ("],
        ),
        ("--ca", "client.key", ["--ca (", "no usable certificates"]),
        (
            "--signing-cert",
            "root.cert",
            ["--signing-key (", "does not match"],
        ),
    ] {
        let path = file(name);
        let mut wrong = options.clone();
        let at = wrong.iter().position(|it| *it == option).unwrap() + 1;
        wrong[at] = &path;
        generate(&new, &wrong).failed_with(&parts);
        assert!(!new.exists(), "{option}");
    }
}

#[test]
fn without_a_terminal_the_options_that_are_needed_are_named() {
    let generate = |options: &[&str]| finish(program().args(["config", "generate"]).args(options));
    generate(&[]).misused(&["--address and --dir must be given", "no terminal"]);
    generate(&["--yes", "--dir", "x"]).misused(&["--address must be given"]);
    for (address, part) in [
        ("https://ctrl.example.com", "without scheme and port"),
        ("ctrl.example.com:1280", "without scheme and port"),
        ("0.0.0.0", "that others can reach"),
        ("$HOST", "is not a host name"),
        ("a\u{202e}b\u{1b}[31m", "is not a host name"),
    ] {
        let refused = generate(&["--address", address, "--dir", "x"]);
        refused.misused(&["--address", part]);
        assert!(
            !refused.stderr.contains(['\u{1b}', '\u{202e}']),
            "{refused:?}"
        );
    }
    let of = |options: &[&str]| generate(&[&["--address", "a.example.com"], options].concat());
    of(&["--dir", "x", "--san", "a b"]).misused(&["--san: `a b`"]);
    of(&["--dir", "x", "--trust-domain", "A B"]).misused(&["--trust-domain: `A B`"]);
    of(&["--dir", "a$b"]).failed_with(&["has a `$`"]);
    assert!(!Path::new("x").exists());
}

/// A limit on the size of files stands for a full disk.
#[test]
fn full_disk_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    for existing in [false, true] {
        if existing {
            fs::create_dir(&home).unwrap();
        }
        let failed = finish(
            Command::new("sh")
                .args(["-c", script, env!("CARGO_BIN_EXE_portcullis-controller")])
                .args([
                    "config",
                    "generate",
                    "--address",
                    "ctrl.example.com",
                    "--dir",
                ])
                .arg(&home),
        );
        failed.failed_with(&["cannot be written"]);
        let left = names(folder.path());
        assert_eq!(left, if existing { vec!["home"] } else { vec![] });
    }
    assert!(names(&home).is_empty());
}

/// Answers questions at a terminal, each once it is asked. `None` without a terminal to be had.
fn at_a_terminal(
    directory: &Path,
    options: &str,
    answers: &[(&str, &str)],
) -> Option<(i32, String)> {
    // Whatever starts these tests in the background has them ignore the keys for giving up, which the
    // program would inherit.
    let line = format!(
        "exec env --default-signal=INT {} config generate {options}",
        env!("CARGO_BIN_EXE_portcullis-controller")
    );
    let mut script = Command::new("script");
    script
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let Ok(mut child) = script.spawn() else {
        assert!(std::env::var_os("PORTCULLIS_REQUIRE_TOOLS").is_none());
        return None;
    };
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut fresh) = (String::new(), String::new());
    let mut bytes = [0; 512];
    let mut open = answers.iter();
    let mut next = open.next();
    while let Ok(length @ 1..) = screen.read(&mut bytes) {
        let read = bytes.get(..length).unwrap_or_default();
        fresh.push_str(&String::from_utf8_lossy(read));
        if let Some((question, answer)) = next
            && fresh.contains(question)
        {
            shown.push_str(&std::mem::take(&mut fresh));
            keys.write_all(answer.as_bytes()).unwrap();
            next = open.next();
        }
    }
    let status = child.wait().unwrap();
    Some((status.code().unwrap_or(-1), shown + &fresh))
}

#[test]
fn questions_are_asked_until_the_answers_are_good() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("full")).unwrap();
    fs::write(folder.path().join("full/notes"), "mine").unwrap();
    let host = "Host name or IP address under which others reach the controller [";
    let answers = [
        (host, "https://x\n"),
        ("]:", "ctrl.example.com\n"),
        (
            "Further names and addresses of it, separated by commas [none]:",
            "192.0.2.7\n",
        ),
        ("Port of the APIs [1280]:", "0\n"),
        ("Port of the APIs [1280]:", "8441\n"),
        ("Port for routers [6262]:", "x\n"),
        ("Port for routers [6262]:", "\n"),
        (
            "Name of the network in SPIFFE ids [a random one]:",
            "example.com\n",
        ),
        ("certificates and store [network]:", "full\n"),
        ("certificates and store [network]:", "net\n"),
    ];
    let Some((code, shown)) = at_a_terminal(folder.path(), "", &answers) else {
        return;
    };
    assert_eq!(code, 0, "{shown}");
    for part in [
        "write it without scheme and port",
        "`0` is not a port",
        "`x` is not a port",
        "full is not empty",
        "A network was created.",
    ] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    // A directory that is given is looked at before the first question.
    let (code, shown) = at_a_terminal(folder.path(), "--dir full", &[]).unwrap();
    assert!(code == 1 && shown.contains("full is not empty"), "{shown}");
    assert!(!shown.contains("Host name"), "{shown}");
    let config = fs::read_to_string(folder.path().join("net/controller.yml")).unwrap();
    assert!(
        config.contains("address: \"ctrl.example.com:8441\""),
        "{config}"
    );
}

#[test]
fn who_gives_up_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let host = "under which others reach the controller [";
    let further = "Further names";
    for answers in [
        &[(host, "\u{3}")][..],
        &[(host, "ctrl.example.com\n"), (further, "\u{4}")],
    ] {
        let Some((code, shown)) = at_a_terminal(folder.path(), "--dir net", answers) else {
            return;
        };
        assert_eq!(code, 1, "{shown}");
        assert!(names(folder.path()).is_empty(), "{shown}");
    }
}
