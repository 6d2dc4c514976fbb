//! Renewal and reloading of server certificates while the controller runs, with warnings before they
//! expire.

use super::credentials::{self, CertKeyPair, ServedPairs};
use crate::config_key::ConfigKey;
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
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How often the same problem is logged.
const WARNING_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// Source and users of the server certificates.
pub(super) struct ServerCertificates {
    pub(super) app: Arc<App>,
    /// Id of the network token.
    pub(super) network_id: String,
    pub(super) tls: ServedTls,
    /// Whether the certificate of the section `identity` may be renewed.
    pub(super) may_renew: bool,
    /// References the files.
    pub(super) config: ControllerConfig,
}

/// TLS settings whose certificates are replaced together.
pub(super) struct ServedTls {
    /// Those of each entry of `web`.
    pub(super) web: Vec<Arc<ServerTls>>,
    /// Those for routers that connect to a port of their own.
    pub(super) own: Arc<ServerTls>,
}

/// State between two polls of the certificate files.
#[derive(Debug, Default)]
pub(super) struct CertificateWatcher {
    /// Fingerprints of the served certificates; empty before the first poll.
    served: Vec<Fingerprint>,
    /// Topics of the errors that the served certificates had when they were last judged.
    served_errors: BTreeSet<String>,
    /// When each current problem was last logged, by what it is about.
    logged: BTreeMap<String, Timestamp>,
}

impl CertificateWatcher {
    /// Checks the files once, and renews or reloads certificates if needed.
    pub(super) fn poll(&mut self, certificates: &ServerCertificates) {
        let now = certificates.app.env().now();
        let problems = match self.refresh(certificates, now) {
            Ok(refreshed) => refreshed.problems,
            Err(error) => vec![Problem::unusable(&error)],
        };
        self.log(problems, now);
    }

    /// As [`Self::poll`], on request of the operator, who is told what came of it.
    pub(super) fn reload(&mut self, certificates: &ServerCertificates) {
        let now = certificates.app.env().now();
        self.logged.clear();
        match self.refresh(certificates, now) {
            Ok(refreshed) => {
                if !refreshed.is_new {
                    tracing::info!("the server certificates are unchanged");
                }
                self.log(refreshed.problems, now);
            },
            Err(error) => tracing::warn!("the old server certificates are kept: {error:#}"),
        }
    }

    /// Serves the certificates in the files, and renews them first if needed. The former ones are kept if
    /// clients would refuse the new ones for an error that the former ones do not have.
    fn refresh(
        &mut self,
        certificates: &ServerCertificates,
        now: Timestamp,
    ) -> anyhow::Result<Refreshed> {
        let mut pairs = ServedPairs::load(&certificates.config)?;
        if certificates.may_renew && certificates.renew(now)? {
            pairs = ServedPairs::load(&certificates.config)?;
        }
        // An intermediate may change under the same leaf.
        let shown: Vec<_> = pairs
            .iter()
            .flat_map(|pair| &pair.chain)
            .map(Certificate::fingerprint)
            .collect();
        let is_new = shown != self.served;
        let mut problems = certificates.judge(now);
        let errors: BTreeSet<_> = (problems.iter())
            .filter(|problem| problem.keeps_clients_out())
            .map(|problem| problem.topic.clone())
            .collect();
        let is_start = self.served.is_empty();
        if is_new && !is_start && !errors.is_subset(&self.served_errors) {
            for problem in &mut problems {
                if errors.contains(&problem.topic) {
                    problem.mark_refused();
                }
            }
            return Ok(Refreshed { is_new, problems });
        }
        if is_new {
            certificates.install(&pairs)?;
            if !is_start {
                tracing::info!("the server certificates were replaced");
            }
            self.served = shown;
        }
        self.served_errors = errors;
        Ok(Refreshed { is_new, problems })
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

/// Outcome of a look at the certificate files.
struct Refreshed {
    /// Whether they hold others than those that were served before.
    is_new: bool,
    problems: Vec<Problem>,
}

/// A problem with certificates, for the log.
struct Problem {
    /// What the problem is about, without what changes by itself.
    topic: String,
    is_error: bool,
    /// Whether it is about what clients are shown.
    is_of_server: bool,
    message: String,
}

impl Problem {
    fn unusable(error: &anyhow::Error) -> Self {
        let message = format!("{error:#}");
        Self {
            topic: message.clone(),
            is_error: false,
            is_of_server: true,
            message,
        }
    }

    fn keeps_clients_out(&self) -> bool {
        self.is_error && self.is_of_server
    }

    /// Turns a problem of certificates that would be served into that of files that are not used.
    fn mark_refused(&mut self) {
        self.message = format!(
            "the old server certificates are kept, because of the new ones: {}. To serve the new ones all \
             the same, restart the controller",
            self.message
        );
        // It is logged again once they are served.
        self.topic.insert_str(0, "kept ");
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
            is_of_server: matches!(
                found.key,
                ConfigKey::Server { .. } | ConfigKey::ClientAddress | ConfigKey::BindPoint { .. }
            ),
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

    /// Installs certificates for TLS and tokens.
    fn install(&self, pairs: &ServedPairs) -> anyhow::Result<()> {
        let signer = credentials::token_signing_pair(&self.config, &pairs.web)?;
        let served = self.app.network().serving_state();
        if served.jwt_signer.public_key() != signer.key.public_key() {
            tracing::warn!(
                "the key of the server changed, so the tokens of pending enrollments do not hold any more: \
                 list them with `portcullis enrollment list`, and replace the token of each with \
                 `portcullis enrollment refresh ID`"
            );
        }
        // Everything that can fail comes before anything is replaced: tokens and connections must use
        // the same key.
        let jwt_signer = signer.jwt_signer()?;
        let served_leaves = credentials::leaves(pairs.iter())?;
        let ready = |pairs: &Vec<CertKeyPair>| pairs.iter().map(CertKeyPair::to_tls).collect();
        let web = pairs.web.iter().map(ready);
        let web = web.collect::<anyhow::Result<Vec<Vec<_>>>>()?;
        let own = ready(&pairs.own)?;
        self.app.network().renew_certificate(
            signer.leaf()?.clone(),
            &served_leaves,
            jwt_signer,
            &self.network_id,
        )?;
        for (tls, certificates) in self.tls.web.iter().zip(web) {
            tls.replace(certificates)?;
        }
        Ok(self.tls.own.replace(own)?)
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
        let routers = self.config.router_address().endpoint;
        let told = std::iter::once(&self.config.edge.api.address)
            .chain(points.map(|point| &point.address))
            .chain([&routers])
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
