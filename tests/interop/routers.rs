//! Routers that enroll with keys and requests that openssl made.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use support::api::CLIENT;
use support::command::run;
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Openssl, TestDirectory, Tool};

/// A request of a router with alternative names.
fn request(openssl: &Openssl, file: &str, id: &str, names: &str) -> String {
    openssl
        .run(&format!(
            "req -new -key router.key -out {file}.csr -subj /C=US/CN={id} -addext subjectAltName={names}"
        ))
        .success();
    fs::read_to_string(openssl.file(&format!("{file}.csr"))).unwrap()
}

/// Checks a chain as openssl does for a purpose, with the root of the network alone.
fn verify(openssl: &Openssl, (chain, ca): (&Path, &Path), purpose: &str) -> bool {
    let mut command = openssl.command();
    command.args(["verify", "-x509_strict", "-purpose", purpose, "-CAfile"]);
    command.arg(ca).arg("-untrusted").arg(chain).arg(chain);
    run(&mut command).code() == 0
}

#[test]
fn certificates_of_routers_are_what_openssl_expects_of_them() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let (admin, openssl) = (Api::admin(&controller), Openssl::new(site.work()));
    let created = admin.send("POST", "/edge-routers", &json!({"name": "r"}));
    let id = created.expect_status(201).data()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let router = admin.get(&format!("/edge-routers/{id}")).data();
    let token = router["enrollmentToken"].as_str().unwrap();
    openssl.csr("router", KeyAlgorithm::P256, "/CN=unused");
    let client = request(
        &openssl,
        "client",
        &id,
        "DNS:r.example.test,email:a@example.test",
    );
    let server = request(
        &openssl,
        "server",
        &id,
        "DNS:localhost,IP:127.0.0.1,URI:https://r.test/",
    );
    let requests = json!({"certCsr": client, "serverCertCsr": server});
    let path = format!("{CLIENT}/enroll?method=erott&token={token}");
    let anonymous = Api::anonymous(&controller);
    let issued = anonymous
        .curl(&path)
        .json("POST", &requests)
        .send()
        .expect_status(200)
        .data();
    for (member, purposes, names) in [
        (
            "cert",
            [true, false],
            "DNS:r.example.test, email:a@example.test",
        ),
        (
            "serverCert",
            [false, true],
            "DNS:localhost, IP Address:127.0.0.1, URI:https://r.test/",
        ),
    ] {
        let file = site.file(&format!("{member}.pem"));
        fs::write(&file, issued[member].as_str().unwrap()).unwrap();
        let chain = (&*file, &*controller.ca());
        let verified = ["sslclient", "sslserver"].map(|purpose| verify(&openssl, chain, purpose));
        assert_eq!(verified, purposes, "{member}");
        let text = openssl.describe(&file);
        assert!(text.contains(names), "{text}");
        assert!(
            text.contains(&format!("CN = {id}")) || text.contains(&format!("CN={id}")),
            "{text}"
        );
    }
    // The router shows its certificate in the handshake and gets the next ones.
    let extension = format!("{CLIENT}/enroll/extend/router");
    let (chain, key) = (site.file("cert.pem"), site.file("router.key"));
    let extend = || {
        let curl = anonymous.curl(&extension).certificate(&chain, &key);
        curl.json("POST", &requests).send()
    };
    assert_ne!(extend().expect_status(200).data()["cert"], Value::Null);
    assert_eq!(extend().error(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(
        anonymous
            .curl(&extension)
            .json("POST", &requests)
            .send()
            .error()
            .0,
        401
    );
}
