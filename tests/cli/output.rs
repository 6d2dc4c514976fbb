//! What is printed, and what is written to files.

use crate::Session;
use crate::terminal::Terminal;
use insta::assert_snapshot;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use support::{Tool, binaries, tools, wait};

#[test]
fn every_command_prints_one_document() {
    let session = Session::logged_in();
    let url = session.controller.url().to_owned();
    let create = ["identity", "create", "laptop", "--type", "device"];
    let created = session.json(&[&create[..], &["--output-jwt", "laptop.jwt"]].concat());
    assert_eq!(created["name"], "laptop");
    let second = session.json(&["identity", "create", "second", "--type", "user"]);
    let enrollment = second["enrollment"]["ott"]["id"].as_str().unwrap();
    for arguments in [
        &["login", &url, "--username", "admin"][..],
        &["whoami"],
        &["identity", "list"],
        &["identity", "list", "--filter", "name=\"nobody\""],
        &["identity", "show", "laptop"],
        &["identity", "update", "laptop", "--role-attributes", "a"],
        &["enroll", "laptop.jwt"],
        &["whoami", "--identity", "laptop.json"],
        &["enrollment", "list"],
        &["enrollment", "refresh", enrollment],
        &["enrollment", "delete", enrollment, "--yes"],
        &["identity", "delete", "laptop", "second", "--yes"],
        &["version"],
        &["logout"],
    ] {
        let document = session.json(arguments);
        assert!(
            document.is_object() || document.is_array(),
            "{arguments:?}: {document}"
        );
    }
}

#[test]
fn files_with_secrets_are_for_their_owner_only() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--type", "device"];
    session
        .run(&[&create[..], &["--output-jwt", "laptop.jwt"]].concat())
        .success();
    session.run(&["enroll", "laptop.jwt"]).success();
    let profiles = session.site.folder().join("profiles");
    for (path, mode) in [
        (session.site.file("laptop.jwt"), 0o600),
        (session.site.file("laptop.json"), 0o600),
        (profiles.join("profiles.json"), 0o600),
        (profiles, 0o700),
    ] {
        assert_eq!(self::mode(&path), mode, "{}", path.display());
    }

    // What is there is not replaced without a word.
    let before = fs::read(session.site.file("laptop.json")).unwrap();
    session.run(&["enroll", "laptop.jwt"]).expect_code(1);
    assert_eq!(fs::read(session.site.file("laptop.json")).unwrap(), before);
    let again = [
        "identity",
        "create",
        "other",
        "--type",
        "device",
        "--output-jwt",
        "laptop.jwt",
    ];
    session.run(&again).expect_code(1);
}

#[test]
fn reader_that_has_seen_enough_is_no_failure() {
    let session = Session::logged_in();
    for arguments in [
        &["identity", "list"][..],
        &["completion", "bash"],
        &["--help"],
    ] {
        let mut child = session
            .command(&binaries::cli())
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let status = wait::until(wait::DEFAULT_TIMEOUT, || {
            child.try_wait().unwrap().ok_or("still there")
        });
        assert!(status.unwrap().success(), "{arguments:?}");
        let outcome = child.wait_with_output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&outcome.stderr),
            "",
            "{arguments:?}"
        );
    }
}

/// What others chose cannot drive the terminal of an administrator.
#[test]
fn control_characters_of_names_are_shown() {
    let session = Session::logged_in();
    let name = "evil\u{1b}[2Jname";
    let created = session.json(&["identity", "create", name, "--type", "device"]);
    let id = created["id"].as_str().unwrap();
    for arguments in [&["identity", "list"][..], &["identity", "show", id]] {
        let shown = session.run(arguments).success().text();
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        assert!(shown.contains("evil"), "{shown:?}");
    }
}

/// Whatever an identity is called, it is found by it: names with what the filter language cannot
/// say, too.
#[test]
fn identities_are_found_by_every_name() {
    let session = Session::logged_in();
    let names = [
        r#"the "best" laptop"#,
        "o'brien",
        r"back\slash",
        r"C:\new\tab",
        r#"" or true or name = ""#,
        "evil\u{1b}[2Jname",
        "evil\u{1b}[2Jname2",
        "\u{1}",
        "tab\tline\nfeed\u{7f}",
        "größe 漢字 \u{202e}",
        "100% & more?#",
    ];
    let ids = names.map(|name| {
        let created = session.json(&["identity", "create", name, "--type", "device"]);
        assert_eq!(created["name"], name);
        created["id"].clone()
    });
    for (name, id) in names.iter().zip(&ids) {
        let shown = session.json(&["identity", "show", name]);
        assert_eq!((&shown["id"], &shown["name"]), (id, &(*name).into()));
    }
    for name in ["evil\u{1b}", "\u{2}", r"\"] {
        let missing = session.run(&["identity", "show", name]).expect_code(1);
        assert!(
            missing.stderr.contains("no identity with"),
            "{name:?}: {}",
            missing.stderr
        );
    }
    session
        .run(&["identity", "delete", "evil\u{1b}[2Jname"])
        .success();
    session.json(&["identity", "show", "evil\u{1b}[2Jname2"]);
}

#[test]
fn short_lists_read_well() {
    let session = Session::logged_in();
    let transcript = session.transcript(&[
        "identity list",
        "identity list --filter 'name=\"nobody\"'",
        "enrollment list",
        "auth-policy list",
        "whoami",
    ]);
    let admin = session.json(&["whoami"])["id"].clone();
    assert_snapshot!(transcript.replace(admin.as_str().unwrap(), "ID-OF-ADMIN"), @r#"
        $ portcullis identity list
        NAME   TYPE     STATE     ADMIN  TOTP  ATTRIBUTES  ID
        admin  Default  enrolled  yes                      ID-OF-ADMIN
        1 identity
        [0]
        $ portcullis identity list --filter 'name="nobody"'
        no identities
        [0]
        $ portcullis enrollment list
        no enrollments
        [0]
        $ portcullis auth-policy list
        NAME     CERTIFICATE  PASSWORD  JWT  TOTP  ID
        Default  yes          yes       yes        default
        1 authentication policy
        [0]
        $ portcullis whoami
        name:           admin
        id:             ID-OF-ADMIN
        administrator:  yes
        controller:     URL
        session until:  TIME
        [0]
        "#);
}

#[test]
fn yaml_is_the_document_of_json() {
    let session = Session::logged_in();
    session.json(&["identity", "create", "laptop", "--type", "device"]);
    let show = ["identity", "show", "laptop", "--output"];
    let yaml = session.run(&[&show[..], &["yaml"]].concat()).success();
    let yaml = yaml.text();
    let document = session.json(&show[..3]);
    for member in document.as_object().unwrap().keys() {
        let begin = format!("{member}:");
        assert!(
            yaml.lines().any(|line| line.starts_with(&begin)),
            "{member} is missing: {yaml}"
        );
    }
    assert!(yaml.contains("\nname: laptop\n"), "{yaml}");
    // Texts stay texts, whoever reads them.
    for name in ["yes", "12:30:00", "2031-04-05", "1e3"] {
        let create = ["identity", "create", name, "--output", "yaml"];
        let yaml = session.run(&create).success().text();
        assert!(yaml.contains(&format!("\nname: \"{name}\"\n")), "{yaml}");
    }
}

#[test]
fn login_leads_on() {
    let session = Session::logged_in();
    let login = format!("login {} --username admin", session.controller.url());
    assert_snapshot!(session.transcript(&[&login]), @r"
        $ portcullis login URL --username admin
        logged in to:  URL
        as:            admin
        profile:       default
        until:         TIME
        next: portcullis identity create laptop --type device --output-jwt laptop.jwt
        [0]
        ");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn json_on_a_terminal_is_the_same_document_and_drives_nothing() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    let name = "a\u{9b}5n\u{202e}b";
    session
        .run(&["identity", "create", name, "--enrollment", "none"])
        .success();
    let filter = "--filter 'name contains \"5n\"'";
    for command in [
        format!("--output json identity list {filter}"),
        "--output json identity show 'a\u{9b}5n\u{202e}b'".to_owned(),
        "--output json api GET identities 'name contains \"5n\"'".to_owned(),
    ] {
        let (code, shown) = Terminal::start(&session, &command).end();
        assert_eq!(code, 0, "{shown:?}");
        assert!(!shown.contains(['\u{9b}', '\u{202e}']), "{shown:?}");
        assert!(shown.contains(r"a\u009b5n\u202eb"), "{shown:?}");
        let document: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert!(document.to_string().contains(name), "{document}");
    }
}
