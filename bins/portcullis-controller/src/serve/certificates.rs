//! Renewal and reloading of server certificates while the controller runs, with warnings before they
//! expire.

use super::credentials::{self, CertKeyPair};
use crate::files::{self, PUBLIC_MODE};
use crate::home::pki::LOOPBACK_HOSTS;
use crate::pem::load_server_pairs;
use anyhow::Context as _;
use portcullis_app::App;
use portcullis_controller_config::{ControllerConfig, PemSource};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_listener::ServerTls;
use portcullis_pki::{Certificate, Fingerprint, ServerNames, SpiffeId, Subject};
use std::sync::Arc;

/// How long before its end a certificate of one year is renewed, or a warning is logged.
const RENEWAL_LEAD_TIME: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How often the same warning is logged.
const WARNING_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// Source and users of the server certificates.
pub(super) struct ServerCertificates {
    pub(super) app: Arc<App>,
    /// Id of the network token.
    pub(super) network_id: String,
    /// TLS configuration of each entry of `web`.
    pub(super) tls: Vec<Arc<ServerTls>>,
    /// Whether the certificate of the section `identity` may be renewed.
    pub(super) may_renew: bool,
    /// References the files.
    pub(super) config: ControllerConfig,
}

/// State between two polls of the certificate files.
#[derive(Debug, Default)]
pub(super) struct CertificateWatcher {
    /// Fingerprints of the served certificates; empty before the first poll.
    served: Vec<Fingerprint>,
    last_warning: Option<(Timestamp, String)>,
}

impl CertificateWatcher {
    /// Checks the files once, and renews or reloads certificates if needed.
    pub(super) fn poll(&mut self, certificates: &ServerCertificates) {
        let now = certificates.app.env().now();
        match self.refresh(certificates, now) {
            Ok(pairs) => self.warn_if_expiring(&pairs, now),
            Err(error) => self.warn_throttled(now, format!("{error:#}")),
        }
    }

    fn refresh(
        &mut self,
        certificates: &ServerCertificates,
        now: Timestamp,
    ) -> anyhow::Result<Vec<Vec<CertKeyPair>>> {
        let mut pairs = certificates.load()?;
        if certificates.may_renew && certificates.renew(now)? {
            pairs = certificates.load()?;
        }
        // An intermediate may change under the same leaf.
        let shown: Vec<_> = pairs
            .iter()
            .flatten()
            .flat_map(|pair| &pair.chain)
            .map(Certificate::fingerprint)
            .collect();
        if shown != self.served {
            certificates.install(&pairs)?;
            if !self.served.is_empty() {
                tracing::info!("the server certificates were replaced");
            }
            self.served = shown;
        }
        Ok(pairs)
    }

    fn warn_if_expiring(&mut self, pairs: &[Vec<CertKeyPair>], now: Timestamp) {
        let expiring = pairs
            .iter()
            .flatten()
            .find(|pair| pair.leaf().is_ok_and(|leaf| is_due(leaf, now)));
        match expiring.and_then(|pair| Some((pair, pair.leaf().ok()?))) {
            Some((pair, leaf)) => {
                let (name, end) = (&pair.name, leaf.not_after());
                self.warn_throttled(
                    now,
                    format!(
                        "the certificate {name} expires at {end}; replace it with a new one for the \
                         same key, which is loaded without a restart"
                    ),
                );
            },
            None => self.last_warning = None,
        }
    }

    /// Logs a warning, unless the same one was logged recently.
    fn warn_throttled(&mut self, now: Timestamp, what: String) {
        let is_repeated = self
            .last_warning
            .as_ref()
            .is_some_and(|(at, said)| *said == what && now.duration_since(*at) < WARNING_INTERVAL);
        if !is_repeated {
            tracing::warn!("{what}");
            self.last_warning = Some((now, what));
        }
    }
}

impl ServerCertificates {
    /// Loads the current certificates of each entry of `web`.
    fn load(&self) -> anyhow::Result<Vec<Vec<CertKeyPair>>> {
        let root = load_server_pairs(&self.config.identity, "identity")?;
        credentials::load_listener_pairs(&self.config, &root)
    }

    /// Installs certificates for TLS and tokens.
    fn install(&self, pairs: &[Vec<CertKeyPair>]) -> anyhow::Result<()> {
        let signer = credentials::token_signing_pair(&self.config, pairs)?;
        let (host, leaf) = (&self.config.edge.api.address.host, signer.leaf()?);
        if !leaf.covers_host(host) {
            tracing::warn!(
                "the certificate {} is not valid for {host}, the host of edge.api.address; \
                 clients will refuse it",
                signer.name,
            );
        }
        let served = self.app.network().serving_state();
        if served.jwt_signer.public_key() != signer.key.public_key() {
            tracing::warn!("the key of the server changed; refresh the pending enrollments");
        }
        // Everything that can fail comes before anything is replaced: tokens and connections must use
        // the same key.
        let jwt_signer = signer.jwt_signer()?;
        let own = load_server_pairs(&self.config.identity, "identity")?;
        let served_leaves = credentials::leaves(own.iter().chain(pairs.iter().flatten()))?;
        let ready = pairs
            .iter()
            .map(|pairs| pairs.iter().map(CertKeyPair::to_tls).collect())
            .collect::<anyhow::Result<Vec<Vec<_>>>>()?;
        self.app.network().renew_certificate(
            leaf.clone(),
            &served_leaves,
            jwt_signer,
            &self.network_id,
        )?;
        for (tls, certificates) in self.tls.iter().zip(ready) {
            tls.replace(certificates)?;
        }
        Ok(())
    }

    /// Renews the certificate of the section `identity` with its current key if that is due; returns
    /// whether it did.
    fn renew(&self, now: Timestamp) -> anyhow::Result<bool> {
        let signing = self.app.network().signing();
        let pairs = load_server_pairs(&self.config.identity, "identity")?;
        let (Some(pair), PemSource::File(path)) =
            (pairs.first(), &self.config.identity.server_cert)
        else {
            return Ok(false);
        };
        let leaf = pair.leaf()?;
        let is_ours = leaf.issuer() == signing.certificate().subject();
        if !is_ours || !is_due(leaf, now) {
            return Ok(false);
        }
        let subject = Subject::new()
            .organization("Portcullis")
            .common_name(&leaf.common_name().unwrap_or_default());
        let entropy = &*self.app.env().entropy;
        let renewed = signing
            .issue_server_leaf(
                pair.key.public_key(),
                &subject,
                &self.names(leaf)?,
                now,
                entropy,
            )
            .context("the server certificate cannot be renewed")?;
        files::replace(path, signing.chain_pem(&renewed).as_bytes(), PUBLIC_MODE)
            .context("the server certificate cannot be renewed")?;
        tracing::info!(until = %renewed.not_after(), "the server certificate was renewed");
        Ok(true)
    }

    /// Names of the current certificate, and those that the configuration advertises.
    fn names(&self, leaf: &Certificate) -> anyhow::Result<ServerNames> {
        let points = self
            .config
            .web
            .iter()
            .flat_map(|listener| &listener.bind_points);
        let told = std::iter::once(&self.config.edge.api.address)
            .chain(points.map(|point| &point.address))
            .map(|address| address.host.as_str());
        let names = ServerNames::parse(told.chain(LOOPBACK_HOSTS).chain(leaf.dns_names()))?;
        Ok(match SpiffeId::from_certificate(leaf)? {
            Some(id) => names.with_spiffe(id),
            None => names,
        })
    }
}

/// Whether a certificate is due for renewal: it expires soon, or it is not valid yet because the clock
/// was ahead when it was issued.
fn is_due(leaf: &Certificate, now: Timestamp) -> bool {
    let life = leaf.not_after().duration_since(leaf.not_before());
    now < leaf.not_before()
        || leaf.not_after().duration_since(now) < RENEWAL_LEAD_TIME.min(life / 3)
}

#[cfg(test)]
mod tests;
