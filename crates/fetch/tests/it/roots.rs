//! Which authorities are trusted.

use std::path::Path;
use std::process::Command;

use portcullis_fetch::system_roots;
use rustls_native_certs::load_certs_from_paths;

use crate::server::Identity;

const NAME: &str = "roots::the_environment_adds_to_the_roots_of_the_system";

/// Tells the test, when it runs itself, which file's certificate has to be among the roots.
const EXPECTED: &str = "PORTCULLIS_TEST_EXPECTED_ROOT";

#[test]
fn the_environment_adds_to_the_roots_of_the_system() {
    if let Some(file) = std::env::var_os(EXPECTED) {
        return look_for(Path::new(&file));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("extra.pem");
    std::fs::write(&file, Identity::named(&["extra.test"]).pem()).unwrap();
    // The environment of this process stays as it is: other tests run in it.
    let run = |variable: &str, value: &Path| {
        let ended = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME])
            .env_remove("SSL_CERT_FILE")
            .env_remove("SSL_CERT_DIR")
            .env(variable, value)
            .env(EXPECTED, &file)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(said.contains("1 passed"), "{variable}: {said}");
    };
    run("SSL_CERT_FILE", &file);
    run("SSL_CERT_DIR", folder.path());
}

fn look_for(file: &Path) {
    let roots = system_roots();
    let is_there = |certificate| {
        let mut one = rustls::RootCertStore::empty();
        // What is no authority by its form is passed over in both.
        one.add_parsable_certificates([certificate]);
        one.roots.iter().all(|root| roots.roots.contains(root))
    };
    let extra = load_certs_from_paths(Some(file), None).certs;
    assert_eq!(extra.len(), 1);
    assert!(extra.into_iter().all(is_there), "of the file");
    if std::env::var_os("SSL_CERT_DIR").is_some() {
        assert_eq!(roots.len(), 1, "folders take the place of the system's");
        return;
    }
    for folder in openssl_probe::candidate_cert_dirs() {
        let system = load_certs_from_paths(None, Some(folder)).certs;
        assert!(system.into_iter().all(is_there), "{}", folder.display());
    }
}
