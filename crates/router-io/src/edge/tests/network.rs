//! The certificates, keys and tokens of a network, and what its data model has.

use std::sync::{Arc, Mutex};

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::ids::IdentityId;
use portcullis_pki::{
    Authority, Certificate, Csr, JwtSigner, KeyType, ServerNames, SigningKey, Subject, TrustDomain,
    create_csr,
};
use portcullis_seeded_random::Random;
use portcullis_wire::control::data_model::{
    Action, Event, Identity, KeyUsage, PolicyType, PublicKey, RelatedEntity, Service,
    ServicePolicy, ServicePolicyChange, Subject as Told,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};

use crate::tls::Credentials;

/// The service of the network that needs no encryption.
pub(super) const SERVICE: &str = "wiki";
/// The other one.
pub(super) const ENCRYPTED: &str = "vault";

/// Random numbers that are the same each time.
pub(super) struct Seeded(Mutex<Random>);

impl Seeded {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(Random::from_seed(seed)))
    }
}

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let mut random = self.0.lock().unwrap();
        bytes.fill_with(|| u8::try_from(random.below(256)).unwrap());
        Ok(())
    }
}

pub(super) struct Network {
    pub(super) root: Authority,
    domain: TrustDomain,
    signer: JwtSigner,
    signer_certificate: Certificate,
    entropy: Seeded,
    pub(super) now: Timestamp,
}

/// A certificate with its key.
pub(super) struct Pair {
    pub(super) chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    pub(super) fingerprint: String,
}

impl Pair {
    fn new(certificate: &Certificate, key: &SigningKey) -> Self {
        Self {
            chain: vec![certificate.as_rustls().clone()],
            key: key.to_rustls().unwrap(),
            fingerprint: certificate.fingerprint().to_string(),
        }
    }

    pub(super) fn key(&self) -> PrivateKeyDer<'static> {
        self.key.clone_key()
    }
}

fn key() -> SigningKey {
    SigningKey::generate(KeyType::P256).unwrap()
}

impl Network {
    pub(super) fn new(now: Timestamp) -> Self {
        let entropy = Seeded::new(1);
        let domain = TrustDomain::parse("example.test").unwrap();
        let subject = Subject::new().common_name("root");
        let root = Authority::create_root(key(), &subject, &domain, now, &entropy).unwrap();
        let signing = Arc::new(key());
        let names = ServerNames::parse(["controller.example.test"]).unwrap();
        let subject = Subject::new().common_name("controller");
        let signer_certificate = root
            .issue_server_leaf(signing.public_key(), &subject, &names, now, &entropy)
            .unwrap();
        Self {
            signer: JwtSigner::new(signing, &signer_certificate).unwrap(),
            signer_certificate,
            root,
            domain,
            entropy,
            now,
        }
    }

    /// What the router has in its files.
    pub(super) fn router(&self) -> Credentials {
        let server = key();
        let names = ServerNames::parse(["localhost"]).unwrap();
        let subject = Subject::new().common_name("router");
        let certificate = self
            .root
            .issue_server_leaf(
                server.public_key(),
                &subject,
                &names,
                self.now,
                &self.entropy,
            )
            .unwrap();
        let client = self.identity("router");
        Credentials {
            client_key: client.key(),
            client_chain: client.chain,
            servers: vec![(
                vec![certificate.as_rustls().clone()],
                server.to_rustls().unwrap(),
            )],
            authorities: vec![self.root.certificate().as_rustls().clone()],
        }
    }

    /// A certificate of an identity.
    pub(super) fn identity(&self, name: &str) -> Pair {
        let key = key();
        let csr = create_csr(&key, &Subject::new().common_name(name)).unwrap();
        let id = IdentityId::from_wire(name);
        let certificate = self
            .root
            .issue_identity(
                &Csr::from_pem(&csr).unwrap(),
                &self.domain,
                &id,
                self.now,
                &self.entropy,
            )
            .unwrap();
        Pair::new(&certificate, &key)
    }

    fn sign(&self, claims: &Value) -> String {
        self.signer.sign(claims).unwrap()
    }

    /// An access token of an identity's session, bound to a certificate, good for so many seconds.
    pub(super) fn access_token(&self, identity: &str, pair: &Pair, seconds: i64) -> String {
        let now = self.now.as_second();
        self.sign(&json!({
            "sub": identity, "aud": ["openziti"], "jti": format!("{identity} {seconds}"),
            "iat": now, "nbf": now, "exp": now + seconds, "z_t": "a",
            "z_asid": format!("session of {identity}"), "z_cfs": [pair.fingerprint],
        }))
    }

    /// A token of a session for a service; `grant` is `Dial` or `Bind`.
    pub(super) fn service_token(&self, identity: &str, service: &str, grant: &str) -> String {
        self.sign(&json!({
            "sub": service, "aud": ["openziti"], "jti": format!("{identity} {grant} {service}"),
            "exp": self.now.as_second() + 1000, "z_asid": format!("session of {identity}"),
            "z_iid": identity, "z_t": "s", "z_st": grant,
        }))
    }

    /// The data model: identities that may dial and host both services.
    pub(super) fn model(&self, identities: &[&str]) -> Vec<Event> {
        let service = |id: &str| {
            Told::Service(Box::new(Service {
                id: id.to_owned(),
                name: format!("{id}.example.test"),
                requires_encryption: id == ENCRYPTED,
                ..Service::default()
            }))
        };
        let identity = |id: &&str| {
            Told::Identity(Box::new(Identity {
                id: (*id).to_owned(),
                name: format!("{id}'s name"),
                ..Identity::default()
            }))
        };
        let policy = |policy_type, id: &str| {
            Told::ServicePolicy(Box::new(ServicePolicy {
                id: id.to_owned(),
                name: id.to_owned(),
                policy_type,
            }))
        };
        let mut all = vec![
            key_of(
                self.root.certificate(),
                KeyUsage::ClientCertificateValidation,
            ),
            key_of(&self.signer_certificate, KeyUsage::JwtValidation),
            service(SERVICE),
            service(ENCRYPTED),
            policy(PolicyType::Dial, "dial"),
            policy(PolicyType::Bind, "bind"),
        ];
        all.extend(identities.iter().map(identity));
        for id in ["dial", "bind"] {
            all.push(relation(
                id,
                RelatedEntity::Service,
                &[SERVICE, ENCRYPTED],
                true,
            ));
            all.push(relation(id, RelatedEntity::Identity, identities, true));
        }
        all.into_iter().map(creation).collect()
    }
}

pub(super) fn creation(subject: Told) -> Event {
    Event {
        action: Action::Create,
        subject: Some(subject),
        ..Event::default()
    }
}

/// Adds entities to a policy, or removes them from it.
pub(super) fn relation(policy: &str, entity_type: RelatedEntity, ids: &[&str], adds: bool) -> Told {
    Told::ServicePolicyChange(Box::new(ServicePolicyChange {
        policy_id: policy.to_owned(),
        entity_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        entity_type,
        adds,
    }))
}

fn key_of(certificate: &Certificate, usage: KeyUsage) -> Told {
    Told::PublicKey(Box::new(PublicKey {
        data: certificate.as_der().to_vec().into(),
        key_id: certificate.fingerprint().to_string(),
        usages: vec![usage],
        ..PublicKey::default()
    }))
}
