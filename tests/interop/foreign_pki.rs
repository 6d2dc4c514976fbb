//! A controller that is configured by a file, with certificates that others have made.

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use support::api::write_chain;
use support::controller::free_port;
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Controller, Openssl, TestDirectory, Tool, binaries, run};

/// Password of the administrator.
pub(crate) const PASSWORD: &str = "password-of-init";

/// Where the authorities are, for clients.
pub(crate) fn authorities(site: &TestDirectory) -> PathBuf {
    site.file("cas.pem")
}

/// Makes a PKI of RSA 4096 keys with openssl, as OpenZiti's own tools would, and a controller file
/// that names it; makes the administrator and starts the controller.
pub(crate) fn start(site: &TestDirectory) -> Controller {
    make_pki(&Openssl::new(site.work()));
    let port = free_port();
    let config = site.file("controller.yml");
    fs::write(&config, configuration(port)).unwrap();
    let mut init = Command::new(binaries::controller());
    init.args(["init", "controller.yml", "-u", "admin", "-p", PASSWORD])
        .current_dir(site.work());
    let _ = run(&mut init).success();
    let url = format!("https://localhost:{port}");
    site.run(&config).at(&url).start()
}

fn make_pki(openssl: &Openssl) {
    let file = |name: &str, text: &str| fs::write(openssl.file(name), text).unwrap();
    let authority = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
    file(
        "root.ext",
        &format!("{authority}subjectAltName=URI:spiffe://foreign\n"),
    );
    file("intermediate.ext", authority);
    file(
        "server.ext",
        "basicConstraints=critical,CA:FALSE\n\
         keyUsage=critical,digitalSignature,keyEncipherment\n\
         extendedKeyUsage=serverAuth,clientAuth\n\
         subjectAltName=DNS:localhost,IP:127.0.0.1,URI:spiffe://foreign/controller/one\n",
    );
    for (name, sign) in [
        ("root", "-signkey root.key"),
        (
            "intermediate",
            "-CA root.pem -CAkey root.key -CAcreateserial",
        ),
        (
            "server",
            "-CA intermediate.pem -CAkey intermediate.key -CAcreateserial",
        ),
    ] {
        openssl.csr(
            name,
            KeyAlgorithm::Rsa4096,
            &format!("/O=Foreign/CN={name}"),
        );
        let sign = format!("x509 -req -in {name}.csr -out {name}.pem {sign} -days 30");
        openssl
            .run(&format!("{sign} -sha256 -extfile {name}.ext"))
            .success();
    }
    let read = |name: &str| fs::read_to_string(openssl.file(name)).unwrap();
    let intermediate = read("intermediate.pem");
    file(
        "server.chain.pem",
        &format!("{}{intermediate}", read("server.pem")),
    );
    file("cas.pem", &format!("{}{intermediate}", read("root.pem")));
}

fn configuration(port: u16) -> String {
    format!(
        "\
v: 3
db: ctrl.db
identity:
  cert: server.chain.pem
  key: server.key
  server_cert: server.chain.pem
  server_key: server.key
  ca: cas.pem
ctrl:
  listener: tls:127.0.0.1:0
  options:
    advertiseAddress: tls:localhost:6262
edge:
  api:
    address: localhost:{port}
  enrollment:
    signingCert:
      cert: intermediate.pem
      key: intermediate.key
    edgeIdentity:
      duration: 180m
    edgeRouter:
      duration: 180m
web:
  - name: all
    bindPoints:
      - interface: 127.0.0.1:{port}
        address: localhost:{port}
    apis:
      - binding: edge-client
      - binding: edge-management
"
    )
}

/// A wildcard keeps no name from routers, so whoever has one is told.
#[test]
fn wildcards_in_the_certificate_are_pointed_out() {
    if !are_available(&[Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let openssl = Openssl::new(site.work());
    make_pki(&openssl);
    let names = "subjectAltName=DNS:localhost,DNS:*.example.test";
    let extensions = format!("extendedKeyUsage=serverAuth\n{names}\n");
    fs::write(openssl.file("wildcard.ext"), extensions).unwrap();
    let sign = "-CA intermediate.pem -CAkey intermediate.key -CAcreateserial";
    openssl
        .run(&format!(
            "x509 -req -in server.csr -out server.chain.pem {sign} -days 30 -extfile wildcard.ext"
        ))
        .success();
    fs::write(site.file("controller.yml"), configuration(1280)).unwrap();
    let mut check = Command::new(binaries::controller());
    check
        .args(["config", "check", "--format", "json", "controller.yml"])
        .current_dir(site.work());
    let found: Value = serde_json::from_str(&run(&mut check).success().text()).unwrap();
    let found = found.as_array().unwrap().iter();
    let found: Vec<_> = found
        .filter(|each| each["code"] == "wildcard-name")
        .collect();
    // At each value that names the certificate.
    assert!(!found.is_empty());
    for wildcard in found {
        assert_eq!(wildcard["severity"], "warning");
        let message = wildcard["message"].as_str().unwrap();
        assert!(message.contains("`*.example.test`"), "{message}");
    }
}

#[test]
fn identity_enrolls_with_certificates_of_others() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = start(&site);
    let api = Api::at(controller.url(), &authorities(&site));
    let identity = api
        .log_in("admin", PASSWORD)
        .create_identity("laptop", &json!({"ott": true}));
    let openssl = Openssl::new(site.work());
    let csr = openssl.csr("laptop", KeyAlgorithm::P256, "/CN=laptop");
    let token = identity["enrollment"]["ott"]["token"].as_str().unwrap();
    let (chain, key) = (site.file("laptop.pem"), site.file("laptop.key"));
    write_chain(&api.enroll(token, &csr).expect_status(200), &chain);
    let verify = "verify -x509_strict -purpose sslclient -CAfile root.pem -untrusted";
    openssl
        .run(&format!("{verify} laptop.pem laptop.pem"))
        .success();
    assert!(
        openssl
            .describe(&chain)
            .contains("spiffe://foreign/identity/")
    );
    let session = api.log_in_with(&chain, &key).data();
    assert_eq!(session["identityId"], identity["id"]);
}
