//! Fixed randomness, a fixed instant, and a small network of certificates.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use jiff::Timestamp;
use portcullis_domain::{
    entropy::{Entropy, EntropyError},
    ids::IdentityId,
};
use portcullis_pki::{
    Authority, Certificate, Csr, KeyType, SigningKey, Subject, TrustDomain, create_csr,
};
use sha2::{Digest as _, Sha256};

/// Bytes that follow from a seed: digests of a counter.
pub(crate) struct Seeded {
    seed: u64,
    drawn: AtomicU64,
}

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            drawn: AtomicU64::new(0),
        }
    }
}

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for chunk in bytes.chunks_mut(32) {
            let count = self.drawn.fetch_add(1, Ordering::Relaxed);
            let input = [self.seed.to_be_bytes(), count.to_be_bytes()].concat();
            chunk.copy_from_slice(&Sha256::digest(input)[..chunk.len()]);
        }
        Ok(())
    }
}

/// The instant at which everything here happens.
pub(crate) fn now() -> Timestamp {
    "2026-03-01T12:00:00.5Z".parse().unwrap()
}

pub(crate) fn domain() -> TrustDomain {
    TrustDomain::parse("example.test").unwrap()
}

pub(crate) fn identity_id() -> IdentityId {
    IdentityId::from_wire("-aB3.dE6gH")
}

pub(crate) fn named(name: &str) -> Subject {
    Subject::new()
        .country("US")
        .organization("Portcullis")
        .common_name(name)
}

/// A root and an authority below it that issues to identities.
pub(crate) struct Network {
    pub(crate) root: Authority,
    pub(crate) signing: Authority,
    pub(crate) entropy: Seeded,
}

impl Network {
    pub(crate) fn new(seed: u64) -> Self {
        Self::with_keys(
            seed,
            SigningKey::generate(KeyType::P256).unwrap(),
            SigningKey::generate(KeyType::P256).unwrap(),
        )
    }

    pub(crate) fn with_keys(seed: u64, root: SigningKey, signing: SigningKey) -> Self {
        let entropy = Seeded::new(seed);
        let root =
            Authority::create_root(root, &named("Root"), &domain(), now(), &entropy).unwrap();
        let signing = root
            .create_intermediate(signing, &named("Signing"), now(), &entropy)
            .unwrap();
        Self {
            root,
            signing,
            entropy,
        }
    }

    pub(crate) fn issue(&self, csr: &Csr) -> Certificate {
        self.signing
            .issue_identity(csr, &domain(), &identity_id(), now(), &self.entropy)
            .unwrap()
    }

    pub(crate) fn identity(&self) -> Certificate {
        self.issue(csr())
    }

    pub(crate) fn intermediates(&self) -> Vec<Certificate> {
        vec![self.signing.certificate().clone()]
    }
}

/// A request of a client, made once.
pub(crate) fn csr() -> &'static Csr {
    static CSR: OnceLock<Csr> = OnceLock::new();
    CSR.get_or_init(|| {
        let key = SigningKey::generate(KeyType::P256).unwrap();
        Csr::from_pem(&create_csr(&key, &named("device")).unwrap()).unwrap()
    })
}
