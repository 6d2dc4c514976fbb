//! Loading of the certificates and keys that a configuration references.

use anyhow::{Context as _, anyhow, bail, ensure};
use portcullis_controller_config::{self as model, CertKeyConfig, IdentityConfig, PemSource};
use portcullis_listener::ServerTls;
use portcullis_pki::{Authority, Certificate, SigningKey, certificates_from_pem};
use rustls::sign::CertifiedKey;
use std::borrow::Cow;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A certificate chain with its key.
#[derive(Debug, Clone)]
pub(crate) struct CertKeyPair {
    /// Leaf first; never empty.
    pub(crate) chain: Vec<Certificate>,
    /// Key of the leaf.
    pub(crate) key: Arc<SigningKey>,
    /// Configuration key of the chain, for messages.
    pub(crate) name: String,
}

/// A configuration value that references a certificate or key.
#[derive(Debug, Clone)]
pub(crate) struct PemSetting<'a> {
    /// Configuration key, such as `identity.server_cert`.
    pub(crate) name: Cow<'a, str>,
    pub(crate) source: &'a PemSource,
}

impl<'a> PemSetting<'a> {
    /// Converts a reference of a file.
    pub(crate) fn from_reference(named: &'a model::PemReference) -> Self {
        Self {
            name: named.path.to_string().into(),
            source: &named.source,
        }
    }

    /// Description for messages.
    pub(crate) fn describe(&self) -> String {
        match self.source {
            PemSource::File(path) => format!("{} ({})", self.name, path.display()),
            PemSource::Inline(_) => self.name.to_string(),
        }
    }

    /// Reads the PEM text.
    pub(crate) fn text(&self) -> anyhow::Result<Zeroizing<String>> {
        match self.source {
            PemSource::Inline(text) => Ok(Zeroizing::new(text.clone())),
            PemSource::File(path) => std::fs::read_to_string(path)
                .map(Zeroizing::new)
                .with_context(|| format!("{} cannot be read", self.describe())),
        }
    }

    /// Loads all certificates.
    pub(crate) fn certificates(&self) -> anyhow::Result<Vec<Certificate>> {
        certificates_from_pem(&self.text()?)
            .with_context(|| format!("{} contains no usable certificates", self.describe()))
    }

    /// Loads a private key.
    pub(crate) fn key(&self) -> anyhow::Result<SigningKey> {
        SigningKey::from_pem(&self.text()?)
            .with_context(|| format!("{} contains no usable key", self.describe()))
    }
}

/// Configuration values of a certificate chain and its key.
#[derive(Debug, Clone)]
pub(crate) struct CertKeySettings<'a> {
    pub(crate) certificate: PemSetting<'a>,
    pub(crate) key: PemSetting<'a>,
}

impl CertKeySettings<'_> {
    /// Loads chain and key.
    pub(crate) fn load(&self) -> anyhow::Result<CertKeyPair> {
        self.pair_up(self.certificate.certificates()?, self.key.key()?)
    }

    /// Combines a loaded chain and key, if they match.
    pub(crate) fn pair_up(
        &self,
        chain: Vec<Certificate>,
        key: SigningKey,
    ) -> anyhow::Result<CertKeyPair> {
        let (key_name, name) = (self.key.describe(), self.certificate.describe());
        match index_of_key(&chain, &key) {
            Some(0) => {},
            Some(index) => bail!(
                "the certificate of the key {key_name} is number {} in {name}, and has to be the first",
                index + 1,
            ),
            None => bail!("the key {key_name} does not match the certificate {name}"),
        }
        Ok(CertKeyPair {
            chain,
            key: Arc::new(key),
            name: self.certificate.name.to_string(),
        })
    }
}

/// Which certificate of a chain a key belongs to.
pub(crate) fn index_of_key(chain: &[Certificate], key: &SigningKey) -> Option<usize> {
    (chain.iter()).position(|it| it.public_key().as_ref() == Ok(key.public_key()))
}

impl CertKeyPair {
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

    /// Converts the pair for rustls.
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

/// Loads the server certificates of `identity`: the default first, then the alternatives.
pub(crate) fn load_server_pairs(
    identity: &IdentityConfig,
    section: &str,
) -> anyhow::Result<Vec<CertKeyPair>> {
    let load = |section: &str, cert, key| {
        let named = |name: &str, material| PemSetting {
            name: format!("{section}.{name}").into(),
            source: material,
        };
        let pair = CertKeySettings {
            certificate: named("server_cert", cert),
            key: named("server_key", key),
        };
        pair.load()
    };
    let mut pairs = vec![load(section, &identity.server_cert, &identity.server_key)?];
    for (number, CertKeyConfig { cert, key }) in identity.alt_server_certs.iter().enumerate() {
        pairs.push(load(
            &format!("{section}.alt_server_certs[{number}]"),
            cert,
            key,
        )?);
    }
    Ok(pairs)
}

/// Loads an issuing authority, whose own issuer must be known.
pub(crate) fn load_authority(
    certificate: PemSetting<'_>,
    key: PemSetting<'_>,
    trusted: &[Certificate],
) -> anyhow::Result<Authority> {
    let name = certificate.name.to_string();
    let signing_key = key.key()?;
    let pair = CertKeySettings { certificate, key }.load()?;
    let leaf = pair.leaf()?.clone();
    let authority = Authority::new(pair.chain().to_vec(), signing_key)
        .with_context(|| format!("{name} cannot issue certificates"))?;
    let is_known = authority
        .chain()
        .chain(trusted)
        .any(|above| *above != leaf && above.subject() == leaf.issuer());
    ensure!(
        is_known || leaf.is_self_issued() || trusted.contains(&leaf),
        "{name} was issued by {}, which is not among the CAs of identity.ca ({}); add it there",
        leaf.issuer(),
        listed(trusted),
    );
    Ok(authority)
}

/// The names of the first certificates.
fn listed(certificates: &[Certificate]) -> String {
    const MAX: usize = 3;
    let names = certificates.iter().take(MAX);
    let names: Vec<_> = names.map(Certificate::subject).collect();
    let more = match certificates.len().saturating_sub(MAX) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    names.join(", ") + &more
}
