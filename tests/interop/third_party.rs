//! Authorities and chains that `openssl` makes let their clients in, whatever kind of key they have.

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use support::api::CLIENT;
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Openssl, Reply, TestDirectory, Tool};

const KEYS: [KeyAlgorithm; 5] = [
    KeyAlgorithm::P256,
    KeyAlgorithm::P384,
    KeyAlgorithm::Rsa2048,
    KeyAlgorithm::Rsa4096,
    KeyAlgorithm::Ed25519,
];

/// An authority with two others below it.
pub(crate) struct Pki<'o> {
    openssl: &'o Openssl,
    name: String,
    key: KeyAlgorithm,
}

impl<'o> Pki<'o> {
    pub(crate) fn make(openssl: &'o Openssl, key: KeyAlgorithm) -> Self {
        let name = format!("{key:?}").to_lowercase();
        let pki = Self { openssl, name, key };
        let ca = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
        pki.issue("root", "root", ca, None);
        pki.issue("upper", "root", ca, None);
        pki.issue("lower", "upper", ca, None);
        pki
    }

    fn file(&self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    fn pem(&self, name: &str) -> String {
        let file = self.openssl.file(&format!("{}.pem", self.file(name)));
        fs::read_to_string(file).unwrap()
    }

    /// Makes a key and a certificate for it; whoever issues for its own name is a root.
    fn issue(&self, name: &str, issuer: &str, extensions: &str, common_name: Option<&str>) {
        let (name, issuer) = (self.file(name), self.file(issuer));
        let common_name = common_name.unwrap_or(&name);
        self.openssl
            .csr(&name, self.key, &format!("/O=Partner/CN={common_name}"));
        let list = format!("{name}.ext");
        fs::write(self.openssl.file(&list), extensions).unwrap();
        let sign = if name == issuer {
            format!("-signkey {name}.key")
        } else {
            format!("-CA {issuer}.pem -CAkey {issuer}.key -CAcreateserial")
        };
        self.openssl
            .run(&format!(
                "x509 -req -in {name}.csr -out {name}.pem {sign} -days 30 -extfile {list}"
            ))
            .success();
    }

    /// A client's chain without the root, and its key.
    pub(crate) fn client(&self, name: &str) -> (PathBuf, PathBuf) {
        let extensions = "basicConstraints=critical,CA:FALSE\nextendedKeyUsage=clientAuth\n";
        self.issue(name, "lower", extensions, None);
        let chain = format!(
            "{}{}{}",
            self.pem(name),
            self.pem("lower"),
            self.pem("upper")
        );
        let file = self.openssl.file(&format!("{}.chain.pem", self.file(name)));
        fs::write(&file, chain).unwrap();
        let key = self.openssl.file(&format!("{}.key", self.file(name)));
        (file, key)
    }
}

/// Adds and verifies the authority of a PKI; answers its id.
pub(crate) fn add(admin: &Api, pki: &Pki<'_>) -> String {
    let body = json!({
        "name": pki.name, "certPem": pki.pem("root"), "identityRoles": [], "isAuthEnabled": true,
        "isAutoCaEnrollmentEnabled": true, "isOttCaEnrollmentEnabled": true,
    });
    let id = admin.send("POST", "/cas", &body).expect_status(201).data()["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let ca = admin.get(&format!("/cas/{id}")).data();
    let token = ca["verificationToken"].as_str();
    pki.issue(
        "proof",
        "root",
        "basicConstraints=critical,CA:FALSE\n",
        token,
    );
    let path = format!("{}/cas/{id}/verify", support::api::MANAGEMENT);
    let proof = admin
        .curl(&path)
        .body("POST", "text/plain", pki.pem("proof"));
    let _ = proof.send().expect_status(200);
    id
}

pub(crate) fn knock(api: &Api, path: &str, (chain, key): &(PathBuf, PathBuf)) -> Reply {
    let request = api.curl(&format!("{CLIENT}{path}")).certificate(chain, key);
    request.body("POST", "text/plain", "").send()
}

#[test]
fn clients_of_every_kind_of_key_enroll_and_log_in() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let (admin, nobody) = (Api::admin(&controller), Api::anonymous(&controller));
    let openssl = Openssl::new(site.work());
    for key in KEYS {
        let pki = Pki::make(&openssl, key);
        let ca = add(&admin, &pki);
        // By a token.
        let client = pki.client("invited");
        let identity = admin.create_identity(&format!("{key:?}"), &json!({"ottca": ca}));
        let token = identity["enrollment"]["ottca"]["token"].as_str().unwrap();
        let path = format!("/enroll?method=ottca&token={token}");
        let _ = knock(&nobody, &path, &client).expect_status(200);
        let session = nobody.log_in_with(&client.0, &client.1).data();
        assert_eq!(session["identityId"], identity["id"], "{key:?}");
        // By the certificate alone.
        let client = pki.client("stranger");
        let _ = knock(&nobody, "/enroll?method=ca", &client).expect_status(200);
        let session = nobody.log_in_with(&client.0, &client.1).data();
        let name = format!("{0}-{0}-stranger", pki.name);
        assert_eq!(session["identity"]["name"], Value::from(name), "{key:?}");
        // Nobody's before it is enrolled.
        let other = pki.client("other");
        assert_eq!(nobody.log_in_with(&other.0, &other.1).status, 401);
    }
}
