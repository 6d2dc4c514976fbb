//! What is wrong with the certificates of a controller.
//!
//! `config check`, `doctor` and a running controller judge by the same code, and so in the same words.
//! Only certificates are read, no keys. Files that cannot be read are reported elsewhere.

mod chain;
mod dates;
mod hosts;
mod served;
mod span;

pub(crate) use dates::is_due;
pub(crate) use span::describe_span;

use crate::ca_bundle::CaBundle;
use crate::config_key::ConfigKey;
use chain::ChainJudge;
use dates::Role;
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::Certificate;
use portcullis_yaml::Severity;
use served::ServedCertificates;

/// A certificate has ended.
pub(crate) const EXPIRED: &str = "expired-certificate";
/// A certificate ends soon.
pub(crate) const EXPIRING: &str = "expiring-certificate";
/// A certificate begins in the future.
pub(crate) const NOT_YET_VALID: &str = "future-certificate";
/// A certificate is not for servers.
pub(crate) const WRONG_PURPOSE: &str = "wrong-purpose";
/// A certificate does not lead to the CA bundle.
pub(crate) const UNTRUSTED: &str = "untrusted-certificate";
/// A certificate is served without what stands between it and its root.
pub(crate) const MISSING_INTERMEDIATE: &str = "missing-intermediate";
/// A certificate is not valid for an advertised host.
pub(crate) const WRONG_HOST: &str = "wrong-host";

/// A problem with a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// An error if clients are refused, or refuse; the controller can be started nevertheless.
    pub(crate) severity: Severity,
    pub(crate) code: &'static str,
    /// The value of the configuration that it is about.
    pub(crate) key: ConfigKey,
    /// The problem, one sentence without a full stop, which names the value.
    pub(crate) message: String,
    /// How to fix it.
    pub(crate) help: String,
}

/// Who renews the server certificate of the section `identity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// The controller, which created it.
    Automatic,
    /// Whoever named it in the configuration.
    Manual,
}

/// Judges all certificates of a configuration at `now`.
pub(crate) fn judge(config: &ControllerConfig, renewal: Renewal, now: Timestamp) -> Vec<Finding> {
    let mut findings = Findings::default();
    let served = ServedCertificates::load(config);
    findings.extend(hosts::judge(config, &served));
    let Ok(bundle) = CaBundle::load(config) else {
        return findings.0;
    };
    let chains = ChainJudge::new(&bundle, now);
    for certificate in served.all() {
        let role = match renewal {
            Renewal::Automatic if certificate.key == ConfigKey::DEFAULT_SERVER => {
                Role::RenewedServer
            },
            _ => Role::Server,
        };
        findings.extend(dates::judge(
            role,
            &certificate.key,
            certificate.leaf(),
            now,
        ));
        if certificate.is_presented {
            findings.extend(chains.judge(certificate));
        }
    }
    if let Some((key, leaf)) = served::client_certificate(config) {
        findings.extend(dates::judge(Role::Client, &key, &leaf, now));
    }
    for (key, authority) in bundle.trusted_with_keys() {
        findings.extend(dates::judge(Role::Trusted, key, authority, now));
    }
    if let Some(signing) = bundle.signing().first() {
        findings.extend(dates::judge(
            Role::Signing,
            &ConfigKey::Signing,
            signing,
            now,
        ));
        findings.extend(chain::judge_signing(&bundle));
    }
    findings.0
}

/// The leaves of all server certificates of a configuration that can be read.
pub(crate) fn served_leaves(config: &ControllerConfig) -> Vec<Certificate> {
    let served = ServedCertificates::load(config);
    served.all().map(|it| it.leaf().clone()).collect()
}

/// Findings, each of them once: several listeners may share a certificate.
#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn extend(&mut self, found: impl IntoIterator<Item = Finding>) {
        for finding in found {
            if !self.0.contains(&finding) {
                self.0.push(finding);
            }
        }
    }
}
