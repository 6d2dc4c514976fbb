//! Renewal and reloading of server certificates while the controller runs, with warnings before they
//! expire.

use super::credentials::{self, CertKeyPair};
use crate::files::{self, PUBLIC_MODE};
use crate::home::pki::LOOPBACK_HOSTS;
use crate::judgement::{self, Finding, Renewal, is_due};
use crate::pem::load_server_pairs;
use anyhow::Context as _;
use portcullis_app::App;
use portcullis_controller_config::{ControllerConfig, PemSource};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_listener::ServerTls;
use portcullis_pki::{Certificate, Fingerprint, ServerNames, SpiffeId, Subject};
use portcullis_yaml::Severity;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// How often the same problem is logged.
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
    /// When each current problem was last logged, by what it is about.
    logged: BTreeMap<String, Timestamp>,
}

impl CertificateWatcher {
    /// Checks the files once, and renews or reloads certificates if needed.
    pub(super) fn poll(&mut self, certificates: &ServerCertificates) {
        let now = certificates.app.env().now();
        let problems = match self.refresh(certificates, now) {
            Ok(_is_new) => certificates.judge(now),
            Err(error) => vec![Problem::unusable(&error)],
        };
        self.log(problems, now);
    }

    /// As [`Self::poll`], on request of the operator, who is told what came of it.
    pub(super) fn reload(&mut self, certificates: &ServerCertificates) {
        let now = certificates.app.env().now();
        self.logged.clear();
        match self.refresh(certificates, now) {
            Ok(is_new) => {
                if !is_new {
                    tracing::info!("the server certificates are unchanged");
                }
                self.log(certificates.judge(now), now);
            },
            Err(error) => tracing::warn!("the old server certificates are kept: {error:#}"),
        }
    }

    /// Serves the certificates in the files, and renews them first if needed. Returns whether others were
    /// served before.
    fn refresh(
        &mut self,
        certificates: &ServerCertificates,
        now: Timestamp,
    ) -> anyhow::Result<bool> {
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
        let is_new = shown != self.served;
        if is_new {
            certificates.install(&pairs)?;
            if !self.served.is_empty() {
                tracing::info!("the server certificates were replaced");
            }
            self.served = shown;
        }
        Ok(is_new)
    }

    /// Logs problems, except those that were logged recently.
    fn log(&mut self, problems: Vec<Problem>, now: Timestamp) {
        let is_current = |topic: &String| problems.iter().any(|it| it.topic == *topic);
        self.logged
            .retain(|topic, at| is_current(topic) && now.duration_since(*at) < WARNING_INTERVAL);
        for problem in problems {
            if let Entry::Vacant(topic) = self.logged.entry(problem.topic.clone()) {
                topic.insert(now);
                problem.log();
            }
        }
    }
}

/// A problem with certificates, for the log.
struct Problem {
    /// What the problem is about, without what changes by itself.
    topic: String,
    is_error: bool,
    message: String,
}

impl Problem {
    fn unusable(error: &anyhow::Error) -> Self {
        let message = format!("{error:#}");
        Self {
            topic: message.clone(),
            is_error: false,
            message,
        }
    }

    fn log(&self) {
        if self.is_error {
            tracing::error!("{}", self.message);
        } else {
            tracing::warn!("{}", self.message);
        }
    }
}

impl From<Finding> for Problem {
    fn from(found: Finding) -> Self {
        Self {
            topic: format!("{} {}", found.code, found.key),
            is_error: found.severity == Severity::Error,
            message: format!("{}; {}", found.message, found.help),
        }
    }
}

impl ServerCertificates {
    /// Judges the files as `config check` does.
    fn judge(&self, now: Timestamp) -> Vec<Problem> {
        let renewal = if self.may_renew {
            Renewal::Automatic
        } else {
            Renewal::Manual
        };
        let found = judgement::judge(&self.config, renewal, now);
        found.into_iter().map(Problem::from).collect()
    }

    /// Loads the current certificates of each entry of `web`.
    fn load(&self) -> anyhow::Result<Vec<Vec<CertKeyPair>>> {
        let root = load_server_pairs(&self.config.identity, "identity")?;
        credentials::load_listener_pairs(&self.config, &root)
    }

    /// Installs certificates for TLS and tokens.
    fn install(&self, pairs: &[Vec<CertKeyPair>]) -> anyhow::Result<()> {
        let signer = credentials::token_signing_pair(&self.config, pairs)?;
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
            signer.leaf()?.clone(),
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
        let present: Vec<_> = leaf.host_names().collect();
        let present = present.iter().map(String::as_str);
        let names = ServerNames::parse(told.chain(LOOPBACK_HOSTS).chain(present))?;
        Ok(match SpiffeId::from_certificate(leaf)? {
            Some(id) => names.with_spiffe(id),
            None => names,
        })
    }
}

#[cfg(test)]
mod tests;
