//! Certificates of a network.

use portcullis_domain::clock::Clock as _;
use portcullis_domain::ids::RouterId;
use portcullis_pki::{
    Authority, Fingerprint, KeyType, ReservedNames, RouterCsr, ServerNames, SigningKey, Subject,
    TrustDomain, create_csr_with_names,
};
use portcullis_system::{SystemClock, SystemEntropy};

use crate::tls::Credentials;

pub(crate) struct TestNetwork {
    authority: Authority,
    domain: TrustDomain,
}

impl TestNetwork {
    pub(crate) fn new() -> Self {
        let domain = TrustDomain::parse("example.test").unwrap();
        let subject = Subject::new().common_name("root");
        let now = SystemClock.now();
        let authority =
            Authority::create_root(key(), &subject, &domain, now, &SystemEntropy).unwrap();
        Self { authority, domain }
    }

    /// Certificates of a router, for `localhost`, as enrollment issues them.
    pub(crate) fn credentials(&self, id: &str) -> Credentials {
        let id = RouterId::from_wire(id);
        let names = ServerNames::parse(["localhost", "127.0.0.1"]).unwrap();
        let request = |key: &SigningKey| {
            let subject = Subject::new().common_name(id.as_str());
            let csr = create_csr_with_names(key, &subject, &names).unwrap();
            let reserved = ReservedNames::default();
            RouterCsr::parse(&csr, &self.domain, &id, &reserved).unwrap()
        };
        let (client_key, server_key) = (key(), key());
        let now = SystemClock.now();
        let authority = &self.authority;
        let client = authority
            .issue_router_client(&request(&client_key), now, &SystemEntropy)
            .unwrap();
        let server = authority
            .issue_router_server(&request(&server_key), now, &SystemEntropy)
            .unwrap();
        Credentials {
            client_chain: vec![client.as_rustls().clone()],
            client_key: client_key.to_rustls().unwrap(),
            servers: vec![(
                vec![server.as_rustls().clone()],
                server_key.to_rustls().unwrap(),
            )],
            authorities: vec![authority.certificate().as_rustls().clone()],
        }
    }
}

pub(crate) fn fingerprint(credentials: &Credentials) -> String {
    Fingerprint::of_der(&credentials.client_chain[0]).to_string()
}

fn key() -> SigningKey {
    SigningKey::generate(KeyType::P256).unwrap()
}
