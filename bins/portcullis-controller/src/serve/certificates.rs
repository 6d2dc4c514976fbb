//! Server certificates while the controller runs: made anew before they expire where that can be
//! done, taken from their files when those change, and complained about otherwise.

use super::credentials::{self, Pair};
use crate::files::{self, PUBLIC};
use crate::home::pki::LOOPBACK;
use crate::material::server_pairs;
use anyhow::Context as _;
use portcullis_app::App;
use portcullis_controller_config::{ControllerConfig, Material};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_http::listen::ServerTls;
use portcullis_pki::{Certificate, Fingerprint, ServerNames, SpiffeId, Subject};
use std::sync::Arc;

/// A certificate of one year is renewed, or complained about, this long before its end.
const AHEAD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How often the same thing is complained about.
const COMPLAINT_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// Where certificates come from and where they are used.
pub(super) struct Certificates {
    /// The controller.
    pub(super) app: Arc<App>,
    /// Id of the network's own token.
    pub(super) network_id: String,
    /// TLS of each entry of `web`.
    pub(super) tls: Vec<Arc<ServerTls>>,
    /// Whether the certificate of the section `identity` may be made anew.
    pub(super) may_renew: bool,
    /// Names the files.
    pub(super) config: ControllerConfig,
}

/// What is remembered from one look to the next.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Leaves that are served; empty before the first look.
    served: Vec<Fingerprint>,
    complained: Option<(Timestamp, String)>,
}

impl Watch {
    /// Looks once, and does what is due.
    pub(super) fn look(&mut self, certificates: &Certificates) {
        let now = certificates.app.env().now();
        match self.refresh(certificates, now) {
            Ok(pairs) => self.mention_expiry(&pairs, now),
            Err(error) => self.complain(now, format!("{error:#}")),
        }
    }

    fn refresh(
        &mut self,
        certificates: &Certificates,
        now: Timestamp,
    ) -> anyhow::Result<Vec<Vec<Pair>>> {
        let mut pairs = certificates.load()?;
        if certificates.may_renew && certificates.renew(now)? {
            pairs = certificates.load()?;
        }
        // An intermediate may be exchanged under the same leaf.
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

    fn mention_expiry(&mut self, pairs: &[Vec<Pair>], now: Timestamp) {
        let expiring = pairs
            .iter()
            .flatten()
            .find(|pair| pair.leaf().is_ok_and(|leaf| is_due(leaf, now)));
        match expiring.and_then(|pair| Some((pair, pair.leaf().ok()?))) {
            Some((pair, leaf)) => {
                let (name, end) = (&pair.name, leaf.not_after());
                self.complain(
                    now,
                    format!(
                        "the certificate {name} expires at {end}; replace it with a new one for the \
                         same key, which is loaded without a restart"
                    ),
                );
            },
            None => self.complained = None,
        }
    }

    /// Says something, unless it was said lately.
    fn complain(&mut self, now: Timestamp, what: String) {
        let is_repeated = self.complained.as_ref().is_some_and(|(at, said)| {
            *said == what && now.duration_since(*at) < COMPLAINT_INTERVAL
        });
        if !is_repeated {
            tracing::warn!("{what}");
            self.complained = Some((now, what));
        }
    }
}

impl Certificates {
    /// Loads what each entry of `web` is to show now.
    fn load(&self) -> anyhow::Result<Vec<Vec<Pair>>> {
        let root = server_pairs(&self.config.identity, "identity")?;
        credentials::listeners(&self.config, &root)
    }

    /// Takes pairs into use.
    fn install(&self, pairs: &[Vec<Pair>]) -> anyhow::Result<()> {
        let signer = credentials::signer(&self.config, pairs)?;
        let (host, leaf) = (&self.config.edge.api.address.host, signer.leaf()?);
        if !leaf.covers_host(host) {
            tracing::warn!(
                "the certificate {} is not valid for {host}, the host of edge.api.address; \
                 clients will refuse it",
                signer.name,
            );
        }
        let served = self.app.network().served();
        if served.jwt_signer.public_key() != signer.key.public_key() {
            tracing::warn!("the key of the server changed; refresh the pending enrollments");
        }
        // Everything that can fail comes before anything is replaced: tokens and connections have
        // to show the same key.
        let jwt_signer = signer.jwt_signer()?;
        let own = server_pairs(&self.config.identity, "identity")?;
        let served_leaves = credentials::leaves(own.iter().chain(pairs.iter().flatten()))?;
        let ready = pairs
            .iter()
            .map(|pairs| pairs.iter().map(Pair::to_tls).collect())
            .collect::<anyhow::Result<Vec<Vec<_>>>>()?;
        self.app
            .network()
            .renew(leaf.clone(), &served_leaves, jwt_signer, &self.network_id)?;
        for (tls, certificates) in self.tls.iter().zip(ready) {
            tls.replace(certificates)?;
        }
        Ok(())
    }

    /// Makes the certificate of the section `identity` anew if that is due, with the key it has;
    /// tells whether it did.
    fn renew(&self, now: Timestamp) -> anyhow::Result<bool> {
        let signing = self.app.network().signing();
        let pairs = server_pairs(&self.config.identity, "identity")?;
        let (Some(pair), Material::File(path)) = (pairs.first(), &self.config.identity.server_cert)
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
        files::replace(path, signing.chain_pem(&renewed).as_bytes(), PUBLIC)
            .context("the server certificate cannot be renewed")?;
        tracing::info!(until = %renewed.not_after(), "the server certificate was renewed");
        Ok(true)
    }

    /// The names of the present certificate, and those that the configuration tells clients.
    fn names(&self, leaf: &Certificate) -> anyhow::Result<ServerNames> {
        let points = self
            .config
            .web
            .iter()
            .flat_map(|listener| &listener.bind_points);
        let told = std::iter::once(&self.config.edge.api.address)
            .chain(points.map(|point| &point.address))
            .map(|address| address.host.as_str());
        let names = ServerNames::parse(told.chain(LOOPBACK).chain(leaf.dns_names()))?;
        Ok(match SpiffeId::of_certificate(leaf)? {
            Some(id) => names.with_spiffe(id),
            None => names,
        })
    }
}

/// Whether a certificate is so close to its end, or so far before its beginning, that something
/// must be done. The latter comes of a clock that ran ahead when it was made.
fn is_due(leaf: &Certificate, now: Timestamp) -> bool {
    let life = leaf.not_after().duration_since(leaf.not_before());
    now < leaf.not_before() || leaf.not_after().duration_since(now) < AHEAD.min(life / 3)
}

#[cfg(test)]
mod tests;
