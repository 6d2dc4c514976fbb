//! Loading the certificates and keys that a configuration names.

use anyhow::{Context as _, anyhow, ensure};
use portcullis_controller_config::{self as model, CertificateAndKey, Identity, Material};
use portcullis_http::listen::ServerTls;
use portcullis_pki::{Authority, Certificate, SigningKey, certificates_from_pem};
use rustls::sign::CertifiedKey;
use std::borrow::Cow;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A certificate chain with its key, and how the configuration calls them.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    /// Leaf first; never empty.
    pub(crate) chain: Vec<Certificate>,
    /// Key of the leaf.
    pub(crate) key: Arc<SigningKey>,
    /// Key of the configuration that names the chain.
    pub(crate) name: String,
}

/// A value of the configuration that names a certificate or key.
#[derive(Debug, Clone)]
pub(crate) struct Named<'a> {
    /// Key of the configuration, such as `identity.server_cert`.
    pub(crate) name: Cow<'a, str>,
    /// What stands there.
    pub(crate) material: &'a Material,
}

impl<'a> Named<'a> {
    /// What stands at a place of a file.
    pub(crate) fn of(named: &'a model::Named) -> Self {
        Self {
            name: named.path.to_string().into(),
            material: &named.material,
        }
    }

    /// How to speak of it.
    pub(crate) fn describe(&self) -> String {
        match self.material {
            Material::File(path) => format!("{} ({})", self.name, path.display()),
            Material::Inline(_) => self.name.to_string(),
        }
    }

    /// Reads the text.
    pub(crate) fn text(&self) -> anyhow::Result<Zeroizing<String>> {
        match self.material {
            Material::Inline(text) => Ok(Zeroizing::new(text.clone())),
            Material::File(path) => std::fs::read_to_string(path)
                .map(Zeroizing::new)
                .with_context(|| format!("{} cannot be read", self.describe())),
        }
    }

    /// Reads all certificates.
    pub(crate) fn certificates(&self) -> anyhow::Result<Vec<Certificate>> {
        certificates_from_pem(&self.text()?)
            .with_context(|| format!("{} contains no usable certificates", self.describe()))
    }

    /// Reads a private key.
    pub(crate) fn key(&self) -> anyhow::Result<SigningKey> {
        SigningKey::from_pem(&self.text()?)
            .with_context(|| format!("{} contains no usable key", self.describe()))
    }
}

/// A chain and the key that is to belong to it.
#[derive(Debug, Clone)]
pub(crate) struct PairOf<'a> {
    /// The chain.
    pub(crate) certificate: Named<'a>,
    /// The key of its first certificate.
    pub(crate) key: Named<'a>,
}

impl PairOf<'_> {
    /// Loads both.
    pub(crate) fn load(&self) -> anyhow::Result<Pair> {
        self.join(self.certificate.certificates()?, self.key.key()?)
    }

    /// Puts together what was loaded, if it fits.
    pub(crate) fn join(&self, chain: Vec<Certificate>, key: SigningKey) -> anyhow::Result<Pair> {
        let leaf = chain.first().context("a chain has a leaf")?;
        ensure!(
            leaf.public_key().as_ref() == Ok(key.public_key()),
            "the key {} does not match the certificate {}",
            self.key.describe(),
            self.certificate.describe(),
        );
        Ok(Pair {
            chain,
            key: Arc::new(key),
            name: self.certificate.name.to_string(),
        })
    }
}

impl Pair {
    /// The certificate that the key belongs to.
    pub(crate) fn leaf(&self) -> anyhow::Result<&Certificate> {
        self.chain
            .first()
            .ok_or_else(|| anyhow!("{} is empty", self.name))
    }

    /// All certificates, leaf first.
    pub(crate) fn chain(&self) -> &[Certificate] {
        &self.chain
    }

    /// The pair as the TLS library takes it.
    pub(crate) fn to_tls(&self) -> anyhow::Result<Arc<CertifiedKey>> {
        let chain = self
            .chain
            .iter()
            .map(|each| each.as_rustls().clone())
            .collect();
        ServerTls::certified_key(chain, self.key.to_rustls()?)
            .with_context(|| format!("{} cannot be served", self.name))
    }
}

/// Loads what `identity` shows as a server: the usual pair first, then the alternatives.
pub(crate) fn server_pairs(identity: &Identity, section: &str) -> anyhow::Result<Vec<Pair>> {
    let load = |section: &str, cert, key| {
        let named = |name: &str, material| Named {
            name: format!("{section}.{name}").into(),
            material,
        };
        let pair = PairOf {
            certificate: named("server_cert", cert),
            key: named("server_key", key),
        };
        pair.load()
    };
    let mut pairs = vec![load(section, &identity.server_cert, &identity.server_key)?];
    for (number, CertificateAndKey { cert, key }) in identity.alt_server_certs.iter().enumerate() {
        pairs.push(load(
            &format!("{section}.alt_server_certs[{number}]"),
            cert,
            key,
        )?);
    }
    Ok(pairs)
}

/// Loads an authority that issues certificates; somebody must know who issued its own.
pub(crate) fn authority(
    certificate: Named<'_>,
    key: Named<'_>,
    trusted: &[Certificate],
) -> anyhow::Result<Authority> {
    let name = certificate.name.to_string();
    let signing_key = key.key()?;
    let pair = PairOf { certificate, key }.load()?;
    let leaf = pair.leaf()?.clone();
    let authority = Authority::new(pair.chain().to_vec(), signing_key)
        .with_context(|| format!("{name} cannot issue certificates"))?;
    let is_known = authority
        .chain()
        .chain(trusted)
        .any(|above| *above != leaf && above.subject() == leaf.issuer());
    ensure!(
        is_known || leaf.is_self_issued() || trusted.contains(&leaf),
        "{name} was issued by {}, which is not among identity.ca; add it there",
        leaf.issuer(),
    );
    Ok(authority)
}
