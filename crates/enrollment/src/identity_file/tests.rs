//! Tests of identity files.

use super::*;
use portcullis_pki::{KeyType, SigningKey};
use std::os::unix::fs::PermissionsExt as _;

fn parse(text: &str) -> Result<IdentityFile, IdentityFileError> {
    IdentityFile::parse(text, "laptop.json".to_owned())
}

fn key() -> Zeroizing<String> {
    let key = SigningKey::generate(KeyType::P256).unwrap();
    key.to_pkcs8_pem().unwrap()
}

#[test]
fn file_has_the_form_that_clients_read() {
    let url = "https://ctrl.example.test:1280".parse().unwrap();
    let json = IdentityFile::new(&url, "KEY", &[], &[]).to_json().unwrap();
    assert_eq!(
        std::str::from_utf8(&json).unwrap(),
        concat!(
            r#"{"ztAPI":"https://ctrl.example.test:1280/edge/client/v1","ztAPIs":null,"#,
            r#""configTypes":null,"id":{"key":"pem:KEY","cert":"pem:","ca":"pem:"},"#,
            r#""enableHa":false}"#
        )
    );
}

#[test]
fn file_is_written_for_its_owner_alone_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("laptop.json");
    let url = "https://ctrl.example.test:1280".parse().unwrap();
    let key = key();
    IdentityFile::new(&url, &key, &[], &[])
        .write(&path)
        .unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let read = IdentityFile::read(&path).unwrap();
    assert_eq!(read.controllers().unwrap(), [url]);
    assert_eq!(*read.key_pem().unwrap(), *key);
    assert!(!format!("{read:?}").contains("PRIVATE"));
}

#[test]
fn what_other_programs_keep_in_the_file_stays() {
    let text = r#"{"ztAPI":"https://a:1","id":{"key":"pem:K","cert":"pem:","server_cert":"pem:S","other":[1]},"new":{"x":null}}"#;
    let mut read = parse(text).unwrap();
    read.replace_certificate(&[], Some("NEW"));
    let written: Value = serde_json::from_slice(&read.to_json().unwrap()).unwrap();
    assert_eq!(written["id"]["key"], "pem:NEW");
    assert_eq!(written["id"]["server_cert"], "pem:S");
    assert_eq!(written["id"]["other"], serde_json::json!([1]));
    assert_eq!(written["new"], serde_json::json!({"x": null}));
}

#[test]
fn controllers_are_in_order_and_once() {
    for (members, controllers) in [
        (
            r#""ztAPI":"https://a:1/edge/client/v1""#,
            vec!["https://a:1/"],
        ),
        (
            r#""ztAPI":"https://a:1","ztAPIs":["https://b:2/x","https://a:1/edge/client/v1"]"#,
            vec!["https://a:1/", "https://b:2/"],
        ),
        (r#""ztAPIs":["b:2"]"#, vec!["https://b:2/"]),
    ] {
        let read = parse(&format!("{{{members}}}")).unwrap();
        let read = read.controllers().unwrap();
        let read: Vec<_> = read.iter().map(Url::as_str).collect();
        assert_eq!(read, controllers, "{members}");
    }
}

#[test]
fn keys_may_be_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.pem");
    fs::write(&path, "KEY").unwrap();
    let path = path.to_str().unwrap();
    for value in [
        format!("file://{path}"),
        path.to_owned(),
        "pem:KEY".to_owned(),
    ] {
        let read = parse(&format!(r#"{{"id":{{"key":"{value}"}}}}"#)).unwrap();
        assert_eq!(*read.key_pem().unwrap(), "KEY", "{value}");
    }
}

#[test]
fn identities_without_certificate_log_in_otherwise() {
    for id in [r#"{"ca":"pem:"}"#, r#"{"key":"","cert":"","ca":"pem:"}"#] {
        let read = parse(&format!(r#"{{"id":{id}}}"#)).unwrap();
        assert!(read.client_certificate().unwrap().is_none());
    }
}

#[test]
fn what_is_wrong_is_named() {
    type Use = fn(IdentityFile) -> Result<(), IdentityFileError>;

    let controllers = |file: IdentityFile| file.controllers().map(drop);
    let authorities = |file: IdentityFile| file.authorities().map(drop);
    let certificate = |file: IdentityFile| file.client_certificate().map(drop);
    let cases: [(&str, Use, &str); 13] = [
        (r"{}", controllers, "`ztAPI` of laptop.json is missing"),
        (r"{}", authorities, "`id` of laptop.json is missing"),
        (
            r#"{"ztAPI":1}"#,
            controllers,
            "`ztAPI` of laptop.json has the wrong type",
        ),
        (
            r#"{"ztAPI":"http://a:1"}"#,
            controllers,
            "`ztAPI` of laptop.json is not the address",
        ),
        (
            r#"{"ztAPIs":["https://a","https://u:p@b"]}"#,
            controllers,
            "`ztAPIs[1]` of laptop.json",
        ),
        (
            r#"{"ztAPIs":["https://a",{}]}"#,
            controllers,
            "`ztAPIs[1]` of laptop.json has",
        ),
        (
            r#"{"id":{"key":["s3cret"]}}"#,
            certificate,
            "`id.key` of laptop.json has the wrong type",
        ),
        (
            r#"{"id":{}}"#,
            authorities,
            "`id.ca` of laptop.json is missing",
        ),
        (
            r#"{"id":{"ca":"pem:"}}"#,
            authorities,
            "`id.ca` of laptop.json contains no certificate",
        ),
        (
            r#"{"id":{"cert":"pem:x","key":""}}"#,
            certificate,
            "`id.key` of laptop.json is missing",
        ),
        (
            r#"{"id":{"key":"engine:x","cert":"pem:"}}"#,
            certificate,
            "`id.key` of laptop.json must",
        ),
        (
            r#"{"id":{"ca":"/no/such.pem"}}"#,
            authorities,
            "`id.ca` of laptop.json names /no/such",
        ),
        (
            r#"{"id":"#,
            controllers,
            "laptop.json is not an identity file (line 1",
        ),
    ];
    for (text, used, message) in cases {
        let error = parse(text).and_then(used).unwrap_err();
        let told = error.to_string();
        assert!(told.contains(message), "{text}: {told}");
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        assert!(
            !format!("{told} {cause} {error:?}").contains("s3cret"),
            "{told}"
        );
    }
}

#[test]
fn certificate_and_key_have_to_belong_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.pem");
    fs::write(&path, key().as_bytes()).unwrap();
    let read = |cert: &str, key: &str| {
        let text = format!(r#"{{"id":{{"cert":"{cert}","key":"{key}"}}}}"#);
        parse(&text)
            .unwrap()
            .client_certificate()
            .unwrap_err()
            .to_string()
    };
    let path = path.display().to_string();
    assert!(read("pem:", &path).starts_with("`id.cert` of laptop.json contains no"));
    let text = "pem:-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----\\n";
    let told = read(text, &path);
    assert!(
        told.starts_with("`id.cert` of laptop.json contains something"),
        "{told}"
    );
}
