//! Everything that the configuration names for proving and judging who is who.

pub(super) use crate::material::Pair;
use crate::material::{self, Named, PairOf, server_pairs};
use anyhow::{Context as _, anyhow, ensure};
use portcullis_controller_config::{ApiKind, ControllerConfig, Material, WebListener};
use portcullis_pki::{Authority, Certificate, JwtSigner};
use std::net::IpAddr;

/// Loaded certificates and keys that fit together.
pub(super) struct Credentials {
    /// Signs certificates of identities.
    pub(super) signing: Authority,
    /// What each entry of `web` shows, the usual pair first.
    pub(super) listeners: Vec<Vec<Pair>>,
    /// What the controller shows as a server where an entry of `web` says nothing else.
    root: Vec<Pair>,
    /// Authorities that the controller trusts.
    trusted: Vec<Certificate>,
}

impl Credentials {
    /// Loads everything.
    ///
    /// # Errors
    ///
    /// The first thing that is missing or does not fit, with file and key of the configuration.
    pub(super) fn load(config: &ControllerConfig) -> anyhow::Result<Self> {
        let identity = &config.identity;
        let client = PairOf {
            certificate: named("identity.cert", &identity.cert),
            key: named("identity.key", &identity.key),
        };
        client.load()?;
        let root = server_pairs(identity, "identity")?;
        let listeners = listeners(config, &root)?;
        let trusted = trusted(config)?;
        let signing = signing(config, &trusted)?;
        Ok(Self {
            signing,
            listeners,
            root,
            trusted,
        })
    }

    /// The pair that the controller shows as a server.
    pub(super) fn usual(&self) -> anyhow::Result<&Pair> {
        self.root
            .first()
            .ok_or_else(|| anyhow!("identity.server_cert is empty"))
    }

    /// Every server certificate of the controller.
    pub(super) fn served_certificates(&self) -> anyhow::Result<Vec<Certificate>> {
        leaves(self.root.iter().chain(self.listeners.iter().flatten()))
    }

    /// Authorities at whose certificates the chains of clients are to end.
    pub(super) fn roots(&self) -> Vec<Certificate> {
        let roots: Vec<_> = self
            .trusted
            .iter()
            .filter(|each| each.is_self_issued())
            .cloned()
            .collect();
        // A file may name an intermediate alone and mean it as the anchor.
        if roots.is_empty() {
            self.trusted.clone()
        } else {
            roots
        }
    }

    /// Everything that clients are to trust.
    pub(super) fn bundle(&self) -> Vec<Certificate> {
        let mut bundle = self.trusted.clone();
        add(&mut bundle, self.signing.chain().cloned());
        bundle
    }

    /// The pair that clients see at the address they are told; its key signs enrollment tokens.
    pub(super) fn signer(&self, config: &ControllerConfig) -> anyhow::Result<&Pair> {
        signer(config, &self.listeners).or_else(|_none| self.usual())
    }
}

/// Finds the pair that clients see at `edge.api.address`.
pub(super) fn signer<'a>(
    config: &ControllerConfig,
    listeners: &'a [Vec<Pair>],
) -> anyhow::Result<&'a Pair> {
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
    let covers = |pair: &&Pair| {
        pair.leaf()
            .is_ok_and(|leaf| leaf.covers_host(&address.host))
    };
    // Clients that connect to an address name none, and are shown the usual pair.
    let is_named = address.host.parse::<IpAddr>().is_err();
    let found = pairs
        .iter()
        .find(covers)
        .filter(|_| is_named)
        .or_else(|| pairs.first());
    found.context("the listener of the client API has no certificate")
}

/// The certificates of servers themselves, without those above them.
pub(super) fn leaves<'a>(
    pairs: impl Iterator<Item = &'a Pair>,
) -> anyhow::Result<Vec<Certificate>> {
    pairs.map(|pair| Ok(pair.leaf()?.clone())).collect()
}

/// Loads what each entry of `web` shows.
pub(super) fn listeners(
    config: &ControllerConfig,
    root: &[Pair],
) -> anyhow::Result<Vec<Vec<Pair>>> {
    let load = |(number, listener): (usize, &WebListener)| match &listener.identity {
        Some(identity) => server_pairs(identity, &format!("web[{number}].identity")),
        None => Ok(root.to_vec()),
    };
    config.web.iter().enumerate().map(load).collect()
}

/// Collects the authorities that the configuration trusts.
fn trusted(config: &ControllerConfig) -> anyhow::Result<Vec<Certificate>> {
    let mut trusted = Vec::new();
    let identities = config
        .web
        .iter()
        .enumerate()
        .filter_map(|(number, listener)| {
            let identity = listener.identity.as_ref()?;
            Some((format!("web[{number}].identity.ca"), &identity.ca))
        });
    let first = std::iter::once(("identity.ca".to_owned(), &config.identity.ca));
    let signing = &config.edge.enrollment.signing_cert;
    let further = signing
        .ca
        .iter()
        .map(|ca| ("edge.enrollment.signingCert.ca".to_owned(), ca));
    for (name, material) in first.chain(identities).chain(further) {
        let found = named(&name, material).certificates()?;
        let authorities = found.into_iter().filter(Certificate::is_ca);
        add(&mut trusted, authorities);
    }
    ensure!(
        !trusted.is_empty(),
        "identity.ca contains no CA certificate"
    );
    Ok(trusted)
}

/// Loads the authority that signs certificates of identities.
fn signing(config: &ControllerConfig, trusted: &[Certificate]) -> anyhow::Result<Authority> {
    let signing = &config.edge.enrollment.signing_cert;
    material::authority(
        named("edge.enrollment.signingCert.cert", &signing.cert),
        named("edge.enrollment.signingCert.key", &signing.key),
        trusted,
    )
}

fn named<'a>(name: &'a str, material: &'a Material) -> Named<'a> {
    Named {
        name: name.into(),
        material,
    }
}

fn add(to: &mut Vec<Certificate>, certificates: impl Iterator<Item = Certificate>) {
    for certificate in certificates {
        if certificate.is_ca() && !to.contains(&certificate) {
            to.push(certificate);
        }
    }
}

impl Pair {
    /// What signs enrollment tokens with this pair.
    pub(super) fn jwt_signer(&self) -> anyhow::Result<JwtSigner> {
        JwtSigner::new(self.key.clone(), self.leaf()?)
            .with_context(|| format!("the key of {} cannot sign enrollment tokens", self.name))
    }
}
