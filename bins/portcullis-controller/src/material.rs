//! Loading the certificates and keys that a configuration names.

use anyhow::{Context as _, anyhow, ensure};
use portcullis_controller_config::{CertificateAndKey, Identity, Material};
use portcullis_http::listen::ServerTls;
use portcullis_pki::{Certificate, SigningKey, certificates_from_pem};
use rustls::sign::CertifiedKey;
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
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    /// Key of the configuration, such as `identity.server_cert`.
    pub(crate) name: &'a str,
    /// What stands there.
    pub(crate) material: &'a Material,
}

impl Named<'_> {
    /// How to speak of it.
    fn describe(&self) -> String {
        match self.material {
            Material::File(path) => format!("{} ({})", self.name, path.display()),
            Material::Inline(_) => self.name.to_owned(),
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
            .with_context(|| format!("{} holds no usable certificates", self.describe()))
    }

    /// Reads a private key.
    pub(crate) fn key(&self) -> anyhow::Result<SigningKey> {
        SigningKey::from_pem(&self.text()?)
            .with_context(|| format!("{} holds no usable key", self.describe()))
    }
}

impl Pair {
    /// Loads a chain and its key.
    pub(crate) fn load(certificate: Named<'_>, key: Named<'_>) -> anyhow::Result<Self> {
        let chain = certificate.certificates()?;
        let signing = key.key()?;
        let leaf = chain.first().context("a chain has a leaf")?;
        ensure!(
            leaf.public_key().as_ref() == Ok(signing.public_key()),
            "{} and {} do not belong together: the key is not that of the first certificate",
            certificate.describe(),
            key.describe(),
        );
        Ok(Self {
            chain,
            key: Arc::new(signing),
            name: certificate.name.to_owned(),
        })
    }

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
    let (cert, key) = (
        format!("{section}.server_cert"),
        format!("{section}.server_key"),
    );
    let usual = Pair::load(
        Named {
            name: &cert,
            material: &identity.server_cert,
        },
        Named {
            name: &key,
            material: &identity.server_key,
        },
    )?;
    let mut pairs = vec![usual];
    for (number, CertificateAndKey { cert, key }) in identity.alt_server_certs.iter().enumerate() {
        let entry = format!("{section}.alt_server_certs[{number}]");
        pairs.push(Pair::load(
            Named {
                name: &format!("{entry}.server_cert"),
                material: cert,
            },
            Named {
                name: &format!("{entry}.server_key"),
                material: key,
            },
        )?);
    }
    Ok(pairs)
}
