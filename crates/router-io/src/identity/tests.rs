use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use portcullis_pki::KeyType;

use super::test_files::TestFiles;
use super::*;
use portcullis_domain::error_sources::with_sources;

#[test]
fn files_and_texts_make_an_identity() {
    let files = TestFiles::new();
    let other = SigningKey::generate(KeyType::P256).unwrap();
    files.write("alt.key", &other.to_pkcs8_pem().unwrap());
    files.write("alt.cert", &files.server("two.example.test", &other));
    let ca = files.root().to_pem().trim_end().replace('\n', "\n  ");
    let loaded = files
        .section(&format!(
            "cert: DIR/r1.cert\nserver_cert: DIR/r1.server.cert\nkey: DIR/r1.key\nca: |\n  {ca}\n\
             alt_server_certs:\n  - server_cert: DIR/alt.cert\n    server_key: DIR/alt.key"
        ))
        .unwrap()
        .load()
        .unwrap();
    assert_eq!(loaded.router_id, "r1");
    assert_eq!(loaded.credentials.servers.len(), 2);
    assert_eq!(
        loaded.credentials.authorities,
        [files.root().as_rustls().clone()]
    );
    crate::tls::Tls::new(loaded.credentials).unwrap();
}

#[test]
fn router_without_server_certificate_starts() {
    let files = TestFiles::new();
    let section = files.section("cert: DIR/r1.cert\nkey: DIR/r1.key").unwrap();
    let loaded = section.load().unwrap();
    crate::tls::Tls::new(loaded.credentials).unwrap();
}

#[test]
fn what_is_wrong_is_told_with_key_and_file() {
    let files = TestFiles::new();
    let other = SigningKey::generate(KeyType::P256).unwrap();
    files.write("other.key", &other.to_pkcs8_pem().unwrap());
    files.write("empty", "");
    let chain = files.root().to_pem() + &files.client("r1", &files.key);
    files.write("reversed.cert", &chain);
    files.write("nobody.cert", &files.client("", &files.key));
    for (lines, parts) in [
        ("key: DIR/r1.key", &["no `identity.cert`"][..]),
        ("cert: DIR/r1.cert", &["no `identity.key`"]),
        (
            "cert: DIR/missing\nkey: DIR/r1.key",
            &["`identity.cert`", "/missing) cannot be read: "],
        ),
        (
            "cert: DIR/empty\nkey: DIR/r1.key",
            &["/empty) contains no usable certificates: "],
        ),
        (
            "cert: DIR/r1.cert\nkey: DIR/r1.cert",
            &["`identity.key`", "/r1.cert) contains no usable key: "],
        ),
        (
            "cert: DIR/r1.cert\nkey: DIR/other.key",
            &["/other.key) does not match the certificate `identity.cert` ("],
        ),
        (
            "cert: DIR/reversed.cert\nkey: DIR/r1.key",
            &["has to be the first in `identity.cert` ("],
        ),
        (
            "cert: DIR/nobody.cert\nkey: DIR/r1.key",
            &["names no router"],
        ),
        (
            "cert: DIR/r1.cert\nkey: DIR/r1.key\nserver_cert: DIR/r1.server.cert\n\
             server_key: DIR/other.key",
            &["`identity.server_key` (", "`identity.server_cert` ("],
        ),
    ] {
        let error = files.section(lines).and_then(|section| section.load());
        let text = with_sources(&error.map(drop).unwrap_err());
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    }
}

#[test]
fn renewed_certificates_replace_the_files_and_are_private() {
    let files = TestFiles::new();
    let identity = files.usual();
    fs::set_permissions(files.path("r1.cert"), fs::Permissions::from_mode(0o644)).unwrap();
    let (certificate, server) = (
        files.client("r1", &files.key),
        files.server("new.example.test", &files.key),
    );
    let authorities = fs::read_to_string(files.path("r1.cas")).unwrap();
    let renewed = NewIdentity {
        certificate: &certificate,
        server_certificate: &server,
        authorities: None,
    };
    identity.write(&renewed).unwrap();
    for (name, text) in [
        ("r1.cert", &certificate),
        ("r1.server.cert", &server),
        ("r1.cas", &authorities),
    ] {
        assert_eq!(&fs::read_to_string(files.path(name)).unwrap(), text);
    }
    let mode = fs::metadata(files.path("r1.cert")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    identity.load().unwrap();
}

#[test]
fn what_cannot_be_written_is_known_before_and_changes_nothing() {
    let files = TestFiles::new();
    let text = files.client("r1", &files.key);
    let lines = text.trim_end().replace('\n', "\n  ");
    let rest = "key: DIR/r1.key\nca: DIR/r1.cas";
    for (section, part) in [
        (
            format!("cert: |\n  {lines}\n{rest}"),
            "`identity.cert` cannot be replaced",
        ),
        (
            format!("cert: DIR/r1.cert\nserver_cert: DIR/r1.cert\n{rest}"),
            "`identity.cert` and `identity.server_cert` name the same file",
        ),
        (
            format!("cert: DIR/r1.key\n{rest}"),
            "`identity.cert` and `identity.key` name the same file",
        ),
    ] {
        let error = files.section(&section).unwrap().draft().map(drop);
        let text = with_sources(&error.unwrap_err());
        assert!(text.contains(part), "{text}");
    }
    let renewed = NewIdentity {
        certificate: &text,
        server_certificate: &text,
        authorities: Some("new"),
    };
    let section = "cert: DIR/missing/r1.cert\nkey: DIR/r1.key\nca: DIR/r1.cas";
    let error = files.section(section).unwrap().write(&renewed);
    assert!(with_sources(&error.unwrap_err()).contains("cannot be written"));
    assert_ne!(fs::read_to_string(files.path("r1.cas")).unwrap(), "new");
    let left = fs::read_dir(files.folder()).unwrap().count();
    assert_eq!(left, 4, "no draft is left");
}

#[test]
fn key_that_is_missing_is_written_for_its_owner_alone() {
    let files = TestFiles::new();
    fs::remove_file(files.path("r1.key")).unwrap();
    let identity = files.usual();
    assert!(identity.key(KeyRole::Client).unwrap().is_none());
    assert!(!identity.has_server_key());
    let pem = files.key.to_pkcs8_pem().unwrap();
    identity.write_key(KeyRole::Server, &pem).unwrap();
    let key = identity.key(KeyRole::Client).unwrap().unwrap();
    assert_eq!(key.public_key(), files.key.public_key());
    let mode = fs::metadata(files.path("r1.key")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}
