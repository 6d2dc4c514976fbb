use std::fs;

use portcullis_pki::{Csr, KeyType};

use super::*;
use crate::identity::IdentityWatcher;
use crate::identity::test_files::{TestFiles, config};

/// The identity of the files as controllers renew it.
fn renewable(files: &TestFiles) -> (RenewableFiles, Arc<Tls>) {
    let (_watcher, tls, id) = IdentityWatcher::begin(files.usual()).unwrap();
    let request = config(
        "",
        "csr: {country: US, sans: {dns: [r1.example.test], ip: [192.0.2.1]}}",
    );
    let request = CertificateRequest::from_config(&request);
    let renewable = RenewableFiles::new(files.usual(), request, id, Arc::clone(&tls));
    (renewable, tls)
}

/// Certificates for a key.
fn issued(files: &TestFiles, key: &SigningKey) -> [String; 2] {
    [
        files.client("r1", key),
        files.server("r1.example.test", key),
    ]
}

#[test]
fn requests_are_for_the_keys_and_names_of_the_router() {
    let files = TestFiles::new();
    let (renewable, _) = renewable(&files);
    assert_eq!(renewable.validities().len(), 2);
    let requests = renewable.requests().unwrap();
    for csr in [requests.client, requests.server] {
        let csr = Csr::from_pem(&csr).unwrap();
        assert_eq!(csr.public_key(), files.key.public_key());
        assert_eq!(csr.subject().last_common_name(), Some("r1"));
    }
}

#[test]
fn certificates_are_used_once_they_are_committed() {
    let files = TestFiles::new();
    let (renewable, tls) = renewable(&files);
    let before = tls.client_chain();
    let [issued, server] = issued(&files, &files.key);
    renewable.stage(&issued, &server).unwrap();
    assert_eq!(tls.client_chain(), before);
    let client = || fs::read_to_string(files.path("r1.cert")).unwrap();
    assert_ne!(client(), issued);
    renewable.commit().unwrap();
    assert_ne!(tls.client_chain(), before);
    assert_eq!(client(), issued);
}

#[test]
fn what_was_staged_stays_until_it_is_known_what_counts() {
    let files = TestFiles::new();
    let (first, _) = renewable(&files);
    let other = SigningKey::generate(KeyType::P256).unwrap();
    let [client, server] = issued(&files, &other);
    let foreign = first.stage(&client, &server);
    assert!(foreign.unwrap_err().contains("another key"));
    let [client, server] = issued(&files, &files.key);
    first.stage(&client, &server).unwrap();
    assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 6);
    drop(first);
    let in_use = || fs::read_to_string(files.path("r1.cert")).unwrap();
    // The router is started anew, and the controller accepts the old certificate.
    let (again, tls) = renewable(&files);
    let left_over = again.left_over().unwrap();
    assert_ne!(left_over.client_chain(), tls.client_chain());
    again.settle(false);
    assert!(again.left_over().is_none());
    assert_ne!(in_use(), client);
    assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 4);
    // The next time, it accepts the new one only.
    again.stage(&client, &server).unwrap();
    let (again, tls) = renewable(&files);
    let new = again.left_over().unwrap().client_chain();
    again.settle(true);
    assert_eq!(tls.client_chain(), new);
    assert_eq!(in_use(), client);
    assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 4);
    // With all in place but the client certificate, that one is used as well.
    fs::write(files.path("r1.cert.new"), files.client("r1", &files.key)).unwrap();
    let (again, _) = renewable(&files);
    again.settle(true);
    assert_ne!(in_use(), client);
}

#[test]
fn what_is_of_no_use_is_removed() {
    let files = TestFiles::new();
    let other = SigningKey::generate(KeyType::P256).unwrap();
    let [client, server] = issued(&files, &files.key);
    for (name, text) in [
        ("r1.server.cert.new", server.as_str()),
        ("r1.cert.new", &client[..100]),
        ("r1.cert.new", &files.client("r1", &other)),
        ("r1.cert.new", &files.client("r2", &files.key)),
    ] {
        fs::write(files.path(name), text).unwrap();
        assert!(renewable(&files).0.left_over().is_none(), "{text}");
        assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 4);
    }
}

#[test]
fn interrupted_enrollment_is_finished() {
    let files = TestFiles::new();
    let [client, server] = issued(&files, &files.key);
    assert!(!files.usual().finish_enrollment().unwrap());
    fs::remove_file(files.path("r1.cert")).unwrap();
    fs::remove_file(files.path("r1.server.cert")).unwrap();
    assert!(!files.usual().finish_enrollment().unwrap());
    fs::write(files.path("r1.server.cert.new"), &server).unwrap();
    fs::write(files.path("r1.cert.new"), &client).unwrap();
    assert!(files.usual().finish_enrollment().unwrap());
    assert!(files.usual().load().is_ok());
}
