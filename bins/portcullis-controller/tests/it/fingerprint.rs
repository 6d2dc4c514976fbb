//! `fingerprint`, and the same CA in the summary and in the log of a start.

use crate::support::{Serving, finish, program};
use portcullis_pki::Certificate;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn ca_is_the_same_wherever_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let mut serving = Serving::start(
        program()
            .args(["quickstart", "--ctrl-port", "0", "--home"])
            .arg(&home),
    );
    serving.ready();
    let pem = fs::read_to_string(home.join("pki/root.cert")).unwrap();
    let expected = Certificate::from_pem(&pem).unwrap().sha256().to_string();

    let summary = serving.value("CA SHA-256");
    let (first, rest) = expected.split_at(expected.len() / 2 + 1);
    assert_eq!(summary, first);
    serving.line(rest);
    let started: Value = serde_json::from_str(&serving.logged("\"message\":\"serving\"")).unwrap();
    assert_eq!(started["ca_sha256"], expected.as_str(), "{started}");
    let config = home.join("controller.yml");
    let absolute = config.canonicalize().unwrap();
    assert_eq!(started["config"], absolute.to_str().unwrap(), "{started}");
    for field in [
        "version",
        "revision",
        "store",
        "listening",
        "advertised",
        "control",
        "server_certificate_until",
        "signing_certificate_until",
        "ca_until",
    ] {
        assert!(
            started[field].as_str().is_some_and(|it| !it.is_empty()),
            "{field}: {started}"
        );
    }
    for field in ["store_bytes", "store_revision", "cores", "open_files_limit"] {
        assert!(
            started[field].as_u64().is_some_and(|it| it > 0),
            "{field}: {started}"
        );
    }

    // Neither keys nor the store are needed.
    for secret in ["pki/root.key", "pki/signing.key", "pki/server.key"] {
        fs::set_permissions(home.join(secret), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let shown = finish(program().arg("fingerprint").arg(&config));
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let lines: Vec<_> = shown.stdout.lines().collect();
    assert_eq!(
        lines[0], "authority  CN=Portcullis root,O=Portcullis",
        "{shown:?}"
    );
    assert!(lines[1].starts_with("valid      20"), "{shown:?}");
    let (first, second) = expected.split_at(expected.len() / 2 + 1);
    let halves = [
        format!("SHA-256    {first}"),
        format!("           {second}"),
    ];
    assert_eq!(lines[2..], halves, "{shown:?}");
    let shown = finish(
        program()
            .args(["fingerprint", "-o", "json", "--home"])
            .arg(&home),
    );
    let list: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(list[0]["sha256"], expected.as_str(), "{list}");
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
}

#[test]
fn what_is_missing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("none");
    finish(program().args(["fingerprint", "--home"]).arg(&home))
        .failed_with(&["none/controller.yml does not exist"]);
    let nothing = finish(program().arg("fingerprint"));
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
}
