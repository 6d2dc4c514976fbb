//! Keys with certificates, and a network that makes some.

use portcullis_domain::clock::Clock as _;
use portcullis_domain::ids::IdentityId;
use portcullis_pki::{
    Authority, Certificate, KeyType, ServerNames, SigningKey, SpiffeId, SpiffePath, Subject,
    TrustDomain,
};
use portcullis_system::{SystemClock, SystemEntropy};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

/// A key and the chain of its certificate, leaf first.
pub(crate) struct Credential {
    pub(crate) key: SigningKey,
    pub(crate) chain: Vec<Certificate>,
}

impl Credential {
    /// The chain in the form that TLS takes.
    pub(crate) fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.chain
            .iter()
            .map(|certificate| certificate.as_rustls().clone())
            .collect()
    }

    /// The key in the form that TLS takes.
    pub(crate) fn key(&self) -> anyhow::Result<PrivateKeyDer<'static>> {
        Ok(self.key.to_rustls()?)
    }
}

/// A network of the shape that `quickstart` makes: P-256, a root, an intermediate, leaves.
pub(crate) struct Network {
    pub(crate) root: Certificate,
    pub(crate) server: Credential,
    pub(crate) client: Credential,
}

impl Network {
    /// Makes the root, the intermediate and the trust domain of one.
    pub(crate) fn authorities() -> anyhow::Result<(Authority, Authority, TrustDomain)> {
        let domain = TrustDomain::parse("bench.test")?;
        let key = || SigningKey::generate(KeyType::P256);
        let subject = |name| Subject::new().common_name(name);
        let (now, entropy) = (SystemClock.now(), &SystemEntropy);
        let root = Authority::create_root(key()?, &subject("root"), &domain, now, entropy)?;
        let signing = root.create_intermediate(key()?, &subject("signing"), now, entropy)?;
        Ok((root, signing, domain))
    }

    /// Makes one.
    pub(crate) fn make() -> anyhow::Result<Self> {
        let now = SystemClock.now();
        let entropy = &SystemEntropy;
        let key = || SigningKey::generate(KeyType::P256);
        let subject = |name| Subject::new().common_name(name);
        let (root, signing, domain) = Self::authorities()?;
        let names = ServerNames::parse(["localhost", "127.0.0.1"])?;
        let (server, client) = (key()?, key()?);
        let server_leaf = signing.issue_server_leaf(
            server.public_key(),
            &subject("server"),
            &names,
            now,
            entropy,
        )?;
        let id = SpiffeId::new(
            domain,
            SpiffePath::Identity(IdentityId::from_wire("client")),
        )?;
        let client_leaf = signing.issue_client_leaf(
            client.public_key(),
            &subject("client"),
            &id,
            now,
            entropy,
        )?;
        let chain = |leaf| vec![leaf, signing.certificate().clone()];
        Ok(Self {
            root: root.certificate().clone(),
            server: Credential {
                key: server,
                chain: chain(server_leaf),
            },
            client: Credential {
                key: client,
                chain: chain(client_leaf),
            },
        })
    }
}
