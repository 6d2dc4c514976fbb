//! CA certificates of a network.

use crate::config_key::ConfigKey;
use crate::pem::PemSetting;
use anyhow::ensure;
use portcullis_controller_config::{ControllerConfig, PemSource};
use portcullis_pki::Certificate;

/// The CA certificates that a configuration names.
#[derive(Debug, Clone)]
pub(crate) struct CaBundle {
    /// Trusted ones, without duplicates; never empty.
    trusted: Vec<(ConfigKey, Certificate)>,
    /// The CA that signs identities, and those above it as far as they are known.
    signing: Vec<Certificate>,
}

impl CaBundle {
    /// Loads them, without any key.
    ///
    /// # Errors
    /// If certificates cannot be read, or none of those to trust is that of a CA.
    pub(crate) fn load(config: &ControllerConfig) -> anyhow::Result<Self> {
        let signing = &config.edge.enrollment.signing_cert;
        let mut trusted: Vec<(ConfigKey, Certificate)> = Vec::new();
        for (key, source) in trusted_sources(config) {
            for certificate in certificates(&key, source)? {
                let is_new = !trusted.iter().any(|(_, known)| *known == certificate);
                if certificate.is_ca() && is_new {
                    trusted.push((key.clone(), certificate));
                }
            }
        }
        ensure!(
            !trusted.is_empty(),
            "identity.ca contains no CA certificate"
        );
        Ok(Self {
            trusted,
            signing: certificates(&ConfigKey::Signing, &signing.cert)?,
        })
    }

    pub(crate) fn trusted(&self) -> impl Iterator<Item = &Certificate> {
        self.trusted.iter().map(|(_, certificate)| certificate)
    }

    /// Trusted certificates with the first value that names them.
    pub(crate) fn trusted_with_keys(&self) -> impl Iterator<Item = (&ConfigKey, &Certificate)> {
        self.trusted
            .iter()
            .map(|(key, certificate)| (key, certificate))
    }

    /// The CA that signs identities, followed by its known issuers.
    pub(crate) fn signing(&self) -> &[Certificate] {
        &self.signing
    }

    /// The CA that signs identities, if no CA of the bundle has the name of its issuer.
    pub(crate) fn orphan(&self) -> Option<&Certificate> {
        let signing = self.signing.first()?;
        let is_issuer = |it: &Certificate| it != signing && it.subject() == signing.issuer();
        let is_known = signing.is_self_issued()
            || self.trusted().any(|it| it == signing || is_issuer(it))
            || self.signing.iter().any(is_issuer);
        (!is_known).then_some(signing)
    }

    /// Trust anchors of client certificates.
    pub(crate) fn anchors(&self) -> Vec<Certificate> {
        roots_or_all(self.trusted().cloned().collect())
    }

    /// The bundle that clients are offered.
    pub(crate) fn for_clients(&self) -> Vec<Certificate> {
        let mut bundle: Vec<_> = self.trusted().cloned().collect();
        for authority in self.signing.iter().filter(|it| it.is_ca()) {
            if !bundle.contains(authority) {
                bundle.push(authority.clone());
            }
        }
        bundle
    }

    /// The roots of that bundle, which clients show to people before they trust them.
    pub(crate) fn roots_for_clients(&self) -> Vec<Certificate> {
        roots_or_all(self.for_clients())
    }
}

/// The roots among CA certificates. A file may contain only an intermediate, which is then the anchor.
fn roots_or_all(all: Vec<Certificate>) -> Vec<Certificate> {
    let roots: Vec<_> = (all.iter())
        .filter(|it| it.is_self_issued())
        .cloned()
        .collect();
    if roots.is_empty() { all } else { roots }
}

fn trusted_sources(config: &ControllerConfig) -> Vec<(ConfigKey, &PemSource)> {
    let own = (ConfigKey::Ca { listener: None }, &config.identity.ca);
    let of_listeners = config.web.iter().enumerate().filter_map(|(number, entry)| {
        let listener = Some(number);
        Some((ConfigKey::Ca { listener }, &entry.identity.as_ref()?.ca))
    });
    let further = config.edge.enrollment.signing_cert.ca.as_ref();
    std::iter::once(own)
        .chain(of_listeners)
        .chain(further.map(|ca| (ConfigKey::SigningCa, ca)))
        .collect()
}

fn certificates(key: &ConfigKey, source: &PemSource) -> anyhow::Result<Vec<Certificate>> {
    let setting = PemSetting {
        name: key.to_string().into(),
        source,
    };
    setting.certificates()
}
