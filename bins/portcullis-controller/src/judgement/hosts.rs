//! Hosts that certificates have to be valid for.

use super::served::{AdvertisedHost, ServedCertificates};
use super::{Finding, WRONG_HOST};
use crate::config_key::ConfigKey;
use portcullis_controller_config::ControllerConfig;
use portcullis_pki::Certificate;
use portcullis_yaml::Severity;

/// Names of a certificate that are listed at most.
const MAX_LISTED_NAMES: usize = 8;

/// Finds advertised addresses at which clients refuse the certificate for its names.
pub(super) fn judge(config: &ControllerConfig, served: &ServedCertificates) -> Vec<Finding> {
    served
        .advertised(config)
        .filter_map(|it| judge_host(&it))
        .collect()
}

fn judge_host(advertised: &AdvertisedHost<'_>) -> Option<Finding> {
    let AdvertisedHost {
        key,
        host,
        certificate,
    } = advertised;
    if certificate.leaf().covers_host(host) {
        return None;
    }
    let (severity, who) = match key {
        // Clients are served all the same.
        ConfigKey::RouterAddress => (Severity::Warning, "routers"),
        _ => (Severity::Error, "clients"),
    };
    Some(Finding {
        severity,
        code: WRONG_HOST,
        key: key.clone(),
        message: format!(
            "the certificate {} is not valid for {host}, the host of {key}; {who} will refuse it there",
            certificate.key,
        ),
        help: help(certificate.leaf(), host),
    })
}

fn help(leaf: &Certificate, host: &str) -> String {
    let names: Vec<_> = leaf.host_names().take(MAX_LISTED_NAMES + 1).collect();
    let valid_for = match names.as_slice() {
        [] => "it names no host as subject alternative name (the common name does not count)"
            .to_owned(),
        few if few.len() <= MAX_LISTED_NAMES => format!("it is valid for {}", few.join(", ")),
        [some @ .., _] => format!("it is valid for {} and others", some.join(", ")),
    };
    format!(
        "{valid_for}: have one issued with the subject alternative name {host}, or advertise a host \
         that it has"
    )
}
