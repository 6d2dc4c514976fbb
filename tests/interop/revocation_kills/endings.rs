//! Sessions of every kind, and the requests that end them.

use crate::third_party::{Pki, add, knock};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use portcullis_domain::clock::Clock as _;
use portcullis_system::SystemClock;
use rcgen::{CertificateParams, KeyPair, SigningKey as _};
use serde_json::{Value, json};
use support::api::{CLIENT, MANAGEMENT};
use support::openssl::KeyAlgorithm;
use support::{Api, Openssl, TestDirectory};

const PASSWORD: &str = "a-persons-password";

/// What ends a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    OwnLogout,
    SessionDeleted,
    IdentityDeleted,
    IdentityDisabled,
    PolicyForbidsPasswords,
    PasswordDeleted,
    PasswordSet,
    CertificateDeleted,
    AuthorityDeleted,
    SignerDeleted,
}

pub(super) const ENDS: [End; 10] = [
    End::OwnLogout,
    End::SessionDeleted,
    End::IdentityDeleted,
    End::IdentityDisabled,
    End::PolicyForbidsPasswords,
    End::PasswordDeleted,
    End::PasswordSet,
    End::CertificateDeleted,
    End::AuthorityDeleted,
    End::SignerDeleted,
];

/// A session, and the request that ends it.
pub(super) struct Ending {
    pub(super) session: String,
    by: Api,
    method: &'static str,
    path: String,
    body: Value,
}

impl Ending {
    /// Ends the session; returns when that is acknowledged.
    pub(super) fn inflict(&self) {
        let request = self.by.curl(&self.path);
        let reply = match self.method {
            "DELETE" => request.arguments(["--request", "DELETE"]).send(),
            method => request.json(method, &self.body).send(),
        };
        assert_eq!(reply.status, 200, "{}: {}", self.path, reply.text());
    }
}

/// Opens a session for somebody new, and puts the request together that ends it.
pub(super) fn open((site, admin): (&TestDirectory, &Api), end: End, name: &str) -> Ending {
    let session = match end {
        End::CertificateDeleted => by_certificate(site, admin, name),
        End::AuthorityDeleted => return by_authority(site, admin),
        End::SignerDeleted => return by_signer(admin, name),
        _ => admin.create_user(name, PASSWORD).token().to_owned(),
    };
    let person = admin
        .get(&format!("/identities?filter=name=\"{name}\""))
        .data()[0]
        .clone();
    let identity = format!("/identities/{}", person["id"].as_str().unwrap());
    let authenticator = |method: &str| {
        let id = person["authenticators"][method]["id"].as_str();
        format!("/authenticators/{}", id.unwrap())
    };
    let nothing = json!({});
    let (method, path, body) = match end {
        End::SessionDeleted => {
            let filter = format!("/api-sessions?filter=identity=\"{}\"", &identity[12..]);
            let id = admin.get(&filter).data()[0]["id"].clone();
            let path = format!("/api-sessions/{}", id.as_str().unwrap());
            ("DELETE", path, nothing)
        },
        End::IdentityDeleted => ("DELETE", identity, nothing),
        End::IdentityDisabled => {
            let body = json!({"durationMinutes": 0});
            ("POST", format!("{identity}/disable"), body)
        },
        End::PolicyForbidsPasswords => {
            let mut policy = admin.get("/auth-policies/default").data();
            policy["name"] = json!(name);
            let id = admin
                .send("POST", "/auth-policies", &policy)
                .expect_status(201);
            let id = id.data()["id"].as_str().unwrap().to_owned();
            let _ = admin
                .send("PATCH", &identity, &json!({"authPolicyId": id}))
                .expect_status(200);
            let body = json!({"primary": {"updb": {"allowed": false}}});
            ("PATCH", format!("/auth-policies/{id}"), body)
        },
        End::PasswordDeleted => ("DELETE", authenticator("updb"), nothing),
        End::PasswordSet => {
            let body = json!({"password": "another-password"});
            ("PATCH", authenticator("updb"), body)
        },
        End::CertificateDeleted => ("DELETE", authenticator("cert"), nothing),
        _ => {
            return Ending {
                by: admin.with_token(&session),
                session,
                method: "DELETE",
                path: format!("{CLIENT}/current-api-session"),
                body: nothing,
            };
        },
    };
    Ending {
        session,
        by: admin.clone(),
        method,
        path: format!("{MANAGEMENT}{path}"),
        body,
    }
}

fn by_certificate(site: &TestDirectory, admin: &Api, name: &str) -> String {
    let openssl = Openssl::new(site.work());
    let identity = admin.create_identity(name, &json!({"ott": true}));
    let token = identity["enrollment"]["ott"]["token"].as_str().unwrap();
    let csr = openssl.csr(name, KeyAlgorithm::P256, &format!("/CN={name}"));
    let chain = openssl.file(&format!("{name}.pem"));
    support::api::write_chain(&admin.enroll(token, &csr), &chain);
    let session = admin.log_in_with(&chain, &openssl.file(&format!("{name}.key")));
    session.data()["token"].as_str().unwrap().to_owned()
}

fn by_authority(site: &TestDirectory, admin: &Api) -> Ending {
    let openssl = Openssl::new(site.work());
    let pki = Pki::make(&openssl, KeyAlgorithm::P256);
    let ca = add(admin, &pki);
    let (chain, key) = pki.client("stranger");
    let certificate = (chain.clone(), key.clone());
    let _ = knock(admin, "/enroll?method=ca", &certificate).expect_status(200);
    let session = admin.log_in_with(&chain, &key).data();
    Ending {
        session: session["token"].as_str().unwrap().to_owned(),
        by: admin.clone(),
        method: "DELETE",
        path: format!("{MANAGEMENT}/cas/{ca}"),
        body: json!({}),
    }
}

fn by_signer(admin: &Api, name: &str) -> Ending {
    let pair = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let certificate = CertificateParams::default().self_signed(&pair).unwrap();
    let issuer = format!("https://{name}.example.test");
    let body = json!({
        "name": name, "enabled": true, "issuer": issuer, "audience": "portcullis",
        "certPem": certificate.pem(), "kid": name, "useExternalId": true,
    });
    let signer = admin
        .send("POST", "/external-jwt-signers", &body)
        .expect_status(201);
    let body = json!({"name": name, "isAdmin": false, "externalId": name});
    let _ = admin.send("POST", "/identities", &body).expect_status(201);
    let now = SystemClock.now().as_second();
    let parts = [
        json!({"alg": "EdDSA", "typ": "JWT", "kid": name}),
        json!({"iss": issuer, "aud": "portcullis", "sub": name, "iat": now - 5, "exp": now + 600}),
    ];
    let contents = parts
        .map(|part| BASE64_URL_SAFE_NO_PAD.encode(part.to_string()))
        .join(".");
    let signature = pair.sign(contents.as_bytes()).unwrap();
    let token = format!("{contents}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature));
    let login = admin
        .curl(&format!("{CLIENT}/authenticate?method=ext-jwt"))
        .header(&format!("authorization: Bearer {token}"));
    let session = login.json("POST", &json!({})).send().data();
    Ending {
        session: session["token"].as_str().unwrap().to_owned(),
        by: admin.clone(),
        method: "DELETE",
        path: format!(
            "{MANAGEMENT}/external-jwt-signers/{}",
            signer.data()["id"].as_str().unwrap()
        ),
        body: json!({}),
    }
}
