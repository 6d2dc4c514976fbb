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
    let request = CertificateRequest::from_config(&request).unwrap();
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
fn what_was_staged_and_not_confirmed_leaves_nothing() {
    let files = TestFiles::new();
    let (renewable, _) = renewable(&files);
    let other = SigningKey::generate(KeyType::P256).unwrap();
    let [client, server] = issued(&files, &other);
    let foreign = renewable.stage(&client, &server);
    assert!(foreign.unwrap_err().contains("another key"));
    let [client, server] = issued(&files, &files.key);
    renewable.stage(&client, &server).unwrap();
    assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 6);
    drop(renewable);
    assert_eq!(fs::read_dir(files.folder()).unwrap().count(), 4);
}
