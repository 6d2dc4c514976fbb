//! Certificates of routers, as enrollment issues them.

use portcullis_pki::{
    KeyType, ServerNames, SigningKey, Subject, certificates_from_pem, create_csr_with_names,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};

/// A router that has enrolled.
#[derive(Debug)]
pub struct RouterIdentity {
    pub id: String,
    /// Its client certificate, with the intermediate.
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
    /// What the controller's certificate has to go back to.
    pub authorities: Vec<CertificateDer<'static>>,
}

/// The enrollment of a router that exists.
#[derive(Debug)]
pub struct RouterEnrollment {
    id: String,
    key: SigningKey,
}

impl Clone for RouterIdentity {
    fn clone(&self) -> Self {
        Self {
            id: self.id.clone(),
            chain: self.chain.clone(),
            key: self.key.clone_key(),
            authorities: self.authorities.clone(),
        }
    }
}

impl RouterIdentity {
    /// The certificate and key of this router under the id of another one.
    #[must_use]
    pub fn posing_as(&self, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..self.clone()
        }
    }
}

impl RouterEnrollment {
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            key: SigningKey::generate(KeyType::P256).unwrap(),
        }
    }

    /// Where the request is posted to.
    pub fn path(token: &str) -> String {
        format!("/edge/client/v1/enroll?method=erott&token={token}")
    }

    /// The body of the request.
    pub fn request(&self) -> Value {
        let csr = |key: &SigningKey| {
            let names = ServerNames::parse(["localhost", "127.0.0.1"]).unwrap();
            create_csr_with_names(key, &Subject::new().common_name(&self.id), &names).unwrap()
        };
        let server_key = SigningKey::generate(KeyType::P256).unwrap();
        json!({"certCsr": csr(&self.key), "serverCertCsr": csr(&server_key)})
    }

    /// The router, from the `data` of the answer.
    pub fn finish(self, data: &Value) -> RouterIdentity {
        RouterIdentity {
            id: self.id,
            chain: certificates(&data["cert"]),
            key: self.key.to_rustls().unwrap(),
            authorities: certificates(&data["ca"]),
        }
    }
}

fn certificates(pem: &Value) -> Vec<CertificateDer<'static>> {
    let certificates = certificates_from_pem(pem.as_str().unwrap()).unwrap();
    let certificates = certificates.iter();
    certificates.map(|it| it.as_rustls().clone()).collect()
}
