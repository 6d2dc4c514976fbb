//! Enrollment and certificate login, with keys and requests that openssl made.

use crate::tunnel;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use support::api::{CLIENT, write_chain};
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Controller, Curl, Openssl, Reply, TestDirectory, Tool};

/// An identity that has enrolled, and its files.
struct Enrolled {
    id: String,
    answer: Reply,
    chain: PathBuf,
    key: PathBuf,
}

fn enroll(
    site: &TestDirectory,
    controller: &Controller,
    name: &str,
    key: KeyAlgorithm,
) -> Enrolled {
    let admin = Api::admin(controller);
    let identity = admin.create_identity(name, &json!({"ott": true}));
    let token = identity["enrollment"]["ott"]["token"].as_str().unwrap();
    let openssl = Openssl::new(site.work());
    let csr = openssl.csr(name, key, "/C=US/O=NetFoundry/CN=anything");
    let answer = Api::anonymous(controller)
        .enroll(token, &csr)
        .expect_status(200);
    let chain = site.file(&format!("{name}.pem"));
    write_chain(&answer, &chain);
    Enrolled {
        id: identity["id"].as_str().unwrap().to_owned(),
        answer,
        chain,
        key: site.file(&format!("{name}.key")),
    }
}

#[test]
fn certificates_are_what_openssl_expects_of_them() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let openssl = Openssl::new(site.work());
    for (name, key) in [
        ("ec", KeyAlgorithm::P256),
        ("ec384", KeyAlgorithm::P384),
        ("rsa", KeyAlgorithm::Rsa2048),
    ] {
        let enrolled = enroll(&site, &controller, name, key);
        assert_eq!(
            enrolled.answer.header("content-type"),
            Some("application/json")
        );
        assert_eq!(
            enrolled.answer.data()["ca"],
            Value::Null,
            "one-time tokens give no bundle"
        );

        let chain = fs::read_to_string(&enrolled.chain).unwrap();
        assert_eq!(
            chain.matches("BEGIN CERTIFICATE").count(),
            2,
            "leaf and intermediate"
        );
        let ca = controller.ca();
        openssl
            .run(&format!(
                "verify -x509_strict -purpose sslclient -CAfile {} -untrusted {name}.pem {name}.pem",
                ca.display()
            ))
            .success();

        // The key is the one of the request, and what the request did not prove is not there.
        let issued = openssl
            .run(&format!("x509 -in {name}.pem -noout -pubkey"))
            .success();
        let asked = openssl
            .run(&format!("pkey -in {name}.key -pubout"))
            .success();
        assert_eq!(issued.stdout, asked.stdout);
        let text = openssl.describe(&enrolled.chain);
        assert!(
            text.contains(&format!("/identity/{}", enrolled.id)),
            "{text}"
        );
        assert!(text.contains("TLS Web Client Authentication"), "{text}");
        assert!(!text.contains("TLS Web Server Authentication"), "{text}");
        assert!(!text.contains("CA:TRUE"), "{text}");
    }
}

#[test]
fn certificate_logs_in_over_every_version_of_tls_and_http() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let api = Api::anonymous(&controller);
    for (name, key) in [("ec", KeyAlgorithm::P256), ("rsa", KeyAlgorithm::Rsa2048)] {
        let enrolled = enroll(&site, &controller, name, key);
        let ways = [
            (&["--tls-max", "1.2", "--http1.1"][..], "1.1"),
            (&["--tlsv1.3", "--http1.1"], "1.1"),
            // Offered both, the controller takes the older one.
            (&["--tls-max", "1.2", "--http2"], "1.1"),
            (&["--tlsv1.3", "--http2"], "1.1"),
        ];
        for (flags, version) in ways {
            let session = api
                .curl(&format!("{CLIENT}/authenticate?method=cert"))
                .certificate(&enrolled.chain, &enrolled.key)
                .arguments(flags.iter().copied())
                .json("POST", &json!({}))
                .send();
            assert_eq!(session.version, version, "{flags:?}");
            assert_eq!(
                session.header("content-type"),
                Some("application/json"),
                "{flags:?}"
            );
            assert_eq!(
                session.data()["identityId"],
                enrolled.id.as_str(),
                "{flags:?}"
            );
        }
    }
}

/// A client that offers nothing but HTTP/2 gets it.
#[test]
fn certificate_logs_in_over_http2() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let enrolled = enroll(&site, &controller, "laptop", KeyAlgorithm::P256);
    for version in ["-tls1_2", "-tls1_3"] {
        let mut client = Openssl::new(site.work()).command();
        client
            .args(["s_client", "-quiet", "-connect", controller.host_port()])
            .args([version, "-alpn", "h2", "-verify_return_error", "-CAfile"])
            .arg(controller.ca())
            .args(["-verify_hostname", "localhost", "-cert_chain"])
            .arg(&enrolled.chain)
            .arg("-cert")
            .arg(&enrolled.chain)
            .arg("-key")
            .arg(&enrolled.key);
        let address = tunnel::open(client);
        let url = format!("http://{address}{CLIENT}/authenticate?method=cert");
        let session = Curl::bare(&url)
            .argument("--http2-prior-knowledge")
            .json("POST", &json!({}))
            .send();
        assert_eq!(session.version, "2");
        assert_eq!(session.header("content-type"), Some("application/json"));
        assert_eq!(session.data()["identityId"], enrolled.id.as_str());
    }
}

#[test]
fn http1_is_preferred_when_both_are_offered() {
    if !are_available(&[Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let openssl = Openssl::new(site.work());
    for (offer, agreed) in [
        ("h2", "h2"),
        ("h2,http/1.1", "http/1.1"),
        ("http/1.1", "http/1.1"),
    ] {
        for version in ["-tls1_2", "-tls1_3"] {
            let shown = openssl.run(&format!(
                "s_client -connect {} {version} -alpn {offer}",
                controller.host_port()
            ));
            let text = String::from_utf8_lossy(&shown.stdout).into_owned();
            assert!(
                text.contains(&format!("ALPN protocol: {agreed}\n")),
                "{offer}: {text}"
            );
        }
    }
}

#[test]
fn deleted_identity_is_refused_on_its_next_request() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let enrolled = enroll(&site, &controller, "laptop", KeyAlgorithm::P256);
    let api = Api::anonymous(&controller);
    let session = api.log_in_with(&enrolled.chain, &enrolled.key).data();
    let laptop = api.with_token(session["token"].as_str().unwrap());
    let current = format!("{CLIENT}/current-identity");
    assert_eq!(laptop.curl(&current).send().data()["name"], "laptop");

    let admin = Api::admin(&controller);
    admin
        .delete(&format!("/identities/{}", enrolled.id))
        .expect_status(200);
    let refused = laptop.curl(&current).send();
    assert_eq!(refused.error(), (401, "UNAUTHORIZED".to_owned()));
    let login = api.log_in_with(&enrolled.chain, &enrolled.key);
    assert_eq!(login.error(), (401, "INVALID_AUTH".to_owned()));
}

#[test]
fn token_is_spent_by_success_and_by_nothing_else() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let api = Api::anonymous(&controller);
    let identity = Api::admin(&controller).create_identity("laptop", &json!({"ott": true}));
    let token = identity["enrollment"]["ott"]["token"].as_str().unwrap();
    let csr = Openssl::new(site.work()).csr("laptop", KeyAlgorithm::P256, "/CN=laptop");

    let no_csr = "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n";
    let refused = api.enroll(token, no_csr);
    assert_eq!(refused.error(), (400, "COULD_NOT_PROCESS_CSR".to_owned()));
    let refused = api
        .curl(&format!("{CLIENT}/enroll?method=updb&token={token}"))
        .json("POST", &json!({"password": "long enough"}))
        .send();
    assert_eq!(refused.error(), (400, "INVALID_ENROLL_METHOD".to_owned()));

    assert_eq!(api.enroll(token, &csr).status, 200);
    let again = api.enroll(token, &csr);
    assert_eq!(again.error(), (400, "INVALID_ENROLLMENT_TOKEN".to_owned()));
}
