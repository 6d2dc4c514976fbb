//! Certificates that do not let anyone in.

use serde_json::{Value, json};
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Openssl, TestDirectory, Tool};

fn refusal() -> (u16, String) {
    (401, "INVALID_AUTH".to_owned())
}

#[test]
fn certificate_of_a_stranger_proves_nothing() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let api = Api::anonymous(&controller);
    let (certificate, key) = Openssl::new(site.work()).self_signed("stranger");
    let login = api.log_in_with(&certificate, &key);
    assert_eq!(login.error(), refusal());

    // It is no obstacle either, where no certificate is asked for.
    let version = api.curl("/version").certificate(&certificate, &key).send();
    assert_eq!(version.status, 200);
    let password = controller.password();
    let login = api
        .curl("/edge/management/v1/authenticate?method=password")
        .certificate(&certificate, &key)
        .json("POST", &json!({"username": "admin", "password": password}))
        .send();
    assert!(login.data()["token"].is_string());
    assert_eq!(login.data()["improperClientCertChain"], Value::Null);
}

/// Whoever has copied the issuing key can sign, but does not get certificates registered.
#[test]
fn certificate_that_the_controller_did_not_issue_itself_is_refused() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let identity = Api::admin(&controller).create_identity("laptop", &json!({"ott": true}));
    let openssl = Openssl::new(site.work());
    let (issuer, issuer_key) = issuer(&site);
    openssl.csr("forged", KeyAlgorithm::P256, "/CN=forged");
    // The first certificate of the bundle is the root, which names the trust domain.
    let description = openssl.describe(&controller.ca());
    let domain = description
        .split_once("URI:spiffe://")
        .and_then(|(_, domain)| domain.lines().next())
        .expect("the root names the trust domain");
    let id = identity["id"].as_str().unwrap();
    let name = format!("subjectAltName=URI:spiffe://{domain}/identity/{id}");
    std::fs::write(
        site.file("extensions"),
        format!("extendedKeyUsage=clientAuth\n{name}\n"),
    )
    .unwrap();
    for (days, name) in [("1", "valid"), ("-1", "expired")] {
        openssl
            .run(&format!(
                "x509 -req -in forged.csr -CA {} -CAkey {} -out {name}.pem -extfile extensions \
                 -set_serial 77 -days {days}",
                issuer.display(),
                issuer_key.display()
            ))
            .success();
        let login = Api::anonymous(&controller)
            .log_in_with(&site.file(&format!("{name}.pem")), &site.file("forged.key"));
        assert_eq!(login.error(), refusal(), "{name}");
    }
}

/// The certificate in the home that signs identities, and its key.
fn issuer(site: &TestDirectory) -> (std::path::PathBuf, std::path::PathBuf) {
    let openssl = Openssl::new(site.home());
    let config = std::fs::read_to_string(find(&site.home(), ".yml")).unwrap();
    let after = config
        .split_once("signingCert:")
        .expect("the section is there")
        .1;
    let value = |key: &str| {
        let line = after
            .lines()
            .find_map(|line| line.trim().strip_prefix(key))
            .expect("the key is there");
        openssl.file(
            line.trim()
                .trim_matches(['"', '\''])
                .trim_start_matches("file://"),
        )
    };
    (value("cert:"), value("key:"))
}

fn find(folder: &std::path::Path, end: &str) -> std::path::PathBuf {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().ends_with(end))
        .expect("the file is there")
}
