//! Certificates of routers, as enrollment issues them.

use crate::Harness;
use crate::tls_client::{Client, say};
use http::Method;
use portcullis_pki::{
    KeyType, ServerNames, SigningKey, Subject, certificates_from_pem, create_csr_with_names,
};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// A router that has enrolled.
#[derive(Debug)]
pub struct RouterIdentity {
    pub id: String,
    /// Its client certificate, with the intermediate.
    pub chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
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
            key: self.key(),
        }
    }
}

impl RouterIdentity {
    pub fn new(id: &str, chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Self {
        Self {
            id: id.to_owned(),
            chain,
            key,
        }
    }

    pub fn key(&self) -> PrivateKeyDer<'static> {
        self.key.clone_key()
    }

    /// Enrolls a router of a controller without a socket.
    pub async fn enroll(controller: &Harness, id: &str, token: &str) -> Self {
        let enrollment = RouterEnrollment::new(id);
        let path = format!("/edge/client/v1/enroll?method=erott&token={token}");
        let request = controller.request(Method::POST, &path);
        let reply = request.json(&enrollment.request()).send().await;
        enrollment.finish(&reply.data())
    }

    /// Enrolls a router at the address of a controller.
    pub async fn enroll_at(address: SocketAddr, id: &str, token: &str) -> Self {
        let enrollment = RouterEnrollment::new(id);
        let body = enrollment.request().to_string();
        let request = format!(
            "POST /edge/client/v1/enroll?method=erott&token={token} HTTP/1.1\r\n\
             Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = Client::anonymous().connect(address).await;
        let reply = say(&mut stream, request.as_bytes()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let reply: Value = serde_json::from_str(reply.text()).unwrap();
        enrollment.finish(&reply["data"])
    }
}

impl RouterEnrollment {
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            key: SigningKey::generate(KeyType::P256).unwrap(),
        }
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
        let chain = certificates_from_pem(data["cert"].as_str().unwrap()).unwrap();
        let chain = chain.iter().map(|it| it.as_der().to_vec().into()).collect();
        let key = self.key.to_pkcs8_pem().unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        RouterIdentity::new(&self.id, chain, key)
    }
}
