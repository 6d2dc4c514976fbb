//! Certificates of a test network.

use crate::harness::OnThisComputer;
use portcullis_app::network::{
    Controller, ControllerHosts, Network, NetworkSettings, OidcAddresses,
};
use portcullis_domain::Env;
use portcullis_domain::ids::ControllerId;
use portcullis_pki::{
    Authority, Certificate, JwtSigner, KeyType, ServerNames, SigningKey, Subject, TrustDomain,
    create_csr,
};
use std::sync::Arc;

/// Port of a test controller that nobody finds.
const API_PORT: u16 = 1280;

/// A name in the server certificate of a test controller that its routers may use too.
pub const SHARED_HOST: &str = "shared.example.test";

/// A root, an intermediate under it and a server certificate.
#[derive(Debug)]
pub struct TestNetwork {
    pub root: Certificate,
    /// The signing intermediate.
    pub signing: Authority,
    pub server: Certificate,
    pub server_key: Arc<SigningKey>,
    signing_key: String,
    trust_domain: TrustDomain,
}

impl Clone for TestNetwork {
    fn clone(&self) -> Self {
        let chain = self.signing.chain().cloned().collect();
        let key = SigningKey::from_pem(&self.signing_key).unwrap();
        Self {
            root: self.root.clone(),
            signing: Authority::new(chain, key).unwrap(),
            server: self.server.clone(),
            server_key: Arc::clone(&self.server_key),
            signing_key: self.signing_key.clone(),
            trust_domain: self.trust_domain.clone(),
        }
    }
}

impl TestNetwork {
    /// Creates the certificates.
    pub fn new(env: &Env) -> Self {
        let now = env.now();
        let entropy = &*env.entropy;
        let key = || SigningKey::generate(KeyType::P256).unwrap();
        let subject = |name| Subject::new().common_name(name);
        let trust_domain = TrustDomain::parse("example.test").unwrap();
        let root =
            Authority::create_root(key(), &subject("Test root"), &trust_domain, now, entropy)
                .unwrap();
        let signing_key = key();
        let signing_pem = signing_key.to_pkcs8_pem().unwrap().to_string();
        let signing = root
            .create_intermediate(signing_key, &subject("Test intermediate"), now, entropy)
            .unwrap();
        let server_key = Arc::new(key());
        let names =
            ServerNames::parse(["ctrl.example.test", SHARED_HOST, "localhost", "127.0.0.1"])
                .unwrap();
        let server = signing
            .issue_server_leaf(
                server_key.public_key(),
                &subject("ctrl"),
                &names,
                now,
                entropy,
            )
            .unwrap();
        Self {
            root: root.certificate().clone(),
            signing,
            server,
            server_key,
            signing_key: signing_pem,
            trust_domain,
        }
    }

    /// Converts the certificates into the network of a controller, which is found on this computer if `place` says
    /// so.
    pub fn into_network(self, env: &Env, place: Option<OnThisComputer>) -> Network {
        let control_address = match place.and_then(|place| place.control_port) {
            Some(port) => format!("tls:localhost:{port}"),
            None => "tls:ctrl.example.test:6262".to_owned(),
        };
        let settings = NetworkSettings {
            trust_domain: self.trust_domain,
            bundle: vec![self.root.clone(), self.signing.certificate().clone()],
            anchors: vec![self.root],
            signing: self.signing,
            api_address: api_address(place),
            control_addresses: vec![control_address],
            controller: Controller {
                id: ControllerId::from_wire("ctrl-1"),
                name: "ctrl-1".to_owned(),
                certificate: self.server.clone(),
                started_at: env.now(),
            },
            jwt_signer: JwtSigner::new(self.server_key, &self.server).unwrap(),
            oidc_addresses: OidcAddresses {
                hosts: vec!["ctrl.example.test".to_owned()],
                ports: vec![place.and_then(|place| place.api_port).unwrap_or(API_PORT)],
            },
            hosts: ControllerHosts {
                names: vec!["ctrl.example.test".to_owned(), "192.0.2.7".to_owned()],
                shared: vec![SHARED_HOST.to_owned()],
            },
            served_certificates: vec![self.server],
        };
        Network::new(settings, "00000000-0000-4000-8000-00000000000a").unwrap()
    }
}

/// Address of a test controller for clients.
pub(crate) fn api_address(place: Option<OnThisComputer>) -> String {
    match place.and_then(|place| place.api_port) {
        Some(port) => format!("localhost:{port}"),
        None => format!("ctrl.example.test:{API_PORT}"),
    }
}

/// A client key and a CSR for it.
pub fn client_key_and_csr() -> (SigningKey, String) {
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let csr = create_csr(&key, &Subject::new().common_name("client")).unwrap();
    (key, csr)
}
