//! Certificates, keys and trusted authorities of the configuration.

use crate::ca_bundle::CaBundle;
pub(super) use crate::pem::CertKeyPair;
use crate::pem::{self, CertKeySettings, PemSetting, load_server_pairs};
use anyhow::{Context as _, anyhow};
use portcullis_controller_config::{ApiKind, ControllerConfig, PemSource, WebListener};
use portcullis_pki::{Authority, Certificate, JwtSigner};
use std::net::IpAddr;

/// Loaded certificates with their matching keys.
pub(super) struct Credentials {
    /// Authority that issues certificates of identities.
    pub(super) signing: Authority,
    pub(super) served: ServedPairs,
    /// CA certificates of the network.
    pub(super) authorities: CaBundle,
}

/// Certificates that are served, with their keys.
#[derive(Clone)]
pub(super) struct ServedPairs {
    /// Those of each entry of `web`, the default first.
    pub(super) web: Vec<Vec<CertKeyPair>>,
    /// Those of the section `identity`: for entries of `web` without their own, and for routers that
    /// connect to a port of their own.
    pub(super) own: Vec<CertKeyPair>,
}

impl ServedPairs {
    /// Loads the current certificates.
    pub(super) fn load(config: &ControllerConfig) -> anyhow::Result<Self> {
        let own = load_server_pairs(&config.identity, "identity")?;
        let load = |(number, listener): (usize, &WebListener)| match &listener.identity {
            Some(identity) => load_server_pairs(identity, &format!("web[{number}].identity")),
            None => Ok(own.clone()),
        };
        let web = config.web.iter().enumerate().map(load);
        Ok(Self {
            web: web.collect::<anyhow::Result<_>>()?,
            own,
        })
    }

    /// All of them, those of the section `identity` first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &CertKeyPair> {
        self.own.iter().chain(self.web.iter().flatten())
    }
}

impl Credentials {
    /// Loads everything that the configuration references.
    ///
    /// # Errors
    /// The first problem, with file and configuration key.
    pub(super) fn load(config: &ControllerConfig) -> anyhow::Result<Self> {
        let identity = &config.identity;
        let client = CertKeySettings {
            certificate: pem_setting("identity.cert", &identity.cert),
            key: pem_setting("identity.key", &identity.key),
        };
        client.load()?;
        let served = ServedPairs::load(config)?;
        let authorities = CaBundle::load(config)?;
        let signing = load_signing(config, &authorities)?;
        Ok(Self {
            signing,
            served,
            authorities,
        })
    }

    /// The default server certificate of the controller.
    pub(super) fn default_pair(&self) -> anyhow::Result<&CertKeyPair> {
        self.served
            .own
            .first()
            .ok_or_else(|| anyhow!("identity.server_cert is empty"))
    }

    /// Every server certificate of the controller.
    pub(super) fn served_certificates(&self) -> anyhow::Result<Vec<Certificate>> {
        leaves(self.served.iter())
    }

    /// The certificate at the advertised address, whose key signs enrollment tokens.
    pub(super) fn token_signing_pair(
        &self,
        config: &ControllerConfig,
    ) -> anyhow::Result<&CertKeyPair> {
        token_signing_pair(config, &self.served.web).or_else(|_none| self.default_pair())
    }
}

/// Finds the certificate that is served at `edge.api.address`.
pub(super) fn token_signing_pair<'a>(
    config: &ControllerConfig,
    listeners: &'a [Vec<CertKeyPair>],
) -> anyhow::Result<&'a CertKeyPair> {
    let address = &config.edge.api.address;
    let serves = |listener: &WebListener| {
        listener.hosts(ApiKind::EdgeClient)
            && listener.bind_points.iter().any(|point| {
                point.address.port == address.port
                    && point.address.host.eq_ignore_ascii_case(&address.host)
            })
    };
    let pairs = config
        .web
        .iter()
        .zip(listeners)
        .find(|(listener, _)| serves(listener))
        .map(|(_, pairs)| pairs.as_slice())
        .context("no listener serves the client API at edge.api.address")?;
    let covers = |pair: &&CertKeyPair| {
        pair.leaf()
            .is_ok_and(|leaf| leaf.covers_host(&address.host))
    };
    // Clients that connect to an IP address send no server name, and get the default certificate.
    let is_named = address.host.parse::<IpAddr>().is_err();
    let found = pairs
        .iter()
        .find(covers)
        .filter(|_| is_named)
        .or_else(|| pairs.first());
    found.context("the listener of the client API has no certificate")
}

/// The leaf certificates of the pairs.
pub(super) fn leaves<'a>(
    pairs: impl Iterator<Item = &'a CertKeyPair>,
) -> anyhow::Result<Vec<Certificate>> {
    pairs.map(|pair| Ok(pair.leaf()?.clone())).collect()
}

/// Loads the authority that issues certificates of identities.
fn load_signing(config: &ControllerConfig, bundle: &CaBundle) -> anyhow::Result<Authority> {
    let signing = &config.edge.enrollment.signing_cert;
    let trusted: Vec<_> = bundle.trusted().cloned().collect();
    pem::load_authority(
        pem_setting("edge.enrollment.signingCert.cert", &signing.cert),
        pem_setting("edge.enrollment.signingCert.key", &signing.key),
        &trusted,
    )
}

fn pem_setting<'a>(name: &'a str, material: &'a PemSource) -> PemSetting<'a> {
    PemSetting {
        name: name.into(),
        source: material,
    }
}

impl CertKeyPair {
    /// Signer of enrollment tokens with the key of this pair.
    pub(super) fn jwt_signer(&self) -> anyhow::Result<JwtSigner> {
        JwtSigner::new(self.key.clone(), self.leaf()?)
            .with_context(|| format!("the key of {} cannot sign enrollment tokens", self.name))
    }
}
