//! Renewal over real connections, and what a restart leaves of it.

use serde_json::json;
use std::fs;
use support::api::{CLIENT, write_chain};
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Openssl, TestDirectory, Tool};

#[test]
fn certificate_that_was_issued_before_a_restart_is_confirmed_after_it() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let identity = Api::admin(&controller).create_identity("laptop", &json!({"ott": true}));
    let openssl = Openssl::new(site.work());
    let api = Api::anonymous(&controller);
    let old = (site.file("old.pem"), site.file("old.key"));
    let new = (site.file("new.pem"), site.file("new.key"));
    let token = identity["enrollment"]["ott"]["token"].as_str().unwrap();
    let csr = openssl.csr("old", KeyAlgorithm::P256, "/CN=laptop");
    write_chain(&api.enroll(token, &csr), &old.0);

    let session = api.log_in_with(&old.0, &old.1).data();
    let authenticator = session["authenticatorId"].as_str().unwrap();
    let holder = api.with_token(session["token"].as_str().unwrap());
    let step = |step: &str| {
        holder
            .curl(&format!(
                "{CLIENT}/current-identity/authenticators/{authenticator}/{step}"
            ))
            .certificate(&old.0, &old.1)
    };
    let csr = openssl.csr("new", KeyAlgorithm::P384, "/CN=laptop");
    let body = json!({"clientCertCsr": csr});
    let issued = step("extend").json("POST", &body).send().data();
    fs::write(&new.0, issued["clientCert"].as_str().unwrap()).unwrap();
    assert!(controller.terminate().success());

    let controller = site.quickstart().start();
    assert_eq!(api.log_in_with(&new.0, &new.1).status, 401, "not yet");
    let body = json!({"clientCert": fs::read_to_string(&new.0).unwrap()});
    assert_eq!(step("extend-verify").json("POST", &body).send().status, 200);
    assert_eq!(api.log_in_with(&old.0, &old.1).status, 401);
    assert_eq!(api.log_in_with(&new.0, &new.1).status, 200);
    let shown = holder
        .curl(&format!("{CLIENT}/current-identity"))
        .certificate(&new.0, &new.1)
        .send();
    assert_eq!(shown.data()["name"], "laptop", "the session goes on");
    drop(controller);
}
