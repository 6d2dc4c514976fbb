//! How many terminators hosts have.

use super::KnownTerminator;
use crate::finding::Finding;
use crate::text::shown;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_wire::management::HostState;
use std::collections::BTreeMap;
use std::fmt;

/// How many terminators there should be; `None` for any number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExpectedTerminators {
    /// Of a host, for each service that it hosts at all.
    pub per_service_and_host: Option<u32>,
    /// Of a host.
    pub per_host: Option<u32>,
}

/// A host with another number of terminators than expected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostDisagreement {
    OfService {
        host: IdentityId,
        service: ServiceId,
        expected: u32,
        counted: usize,
    },
    OfAll {
        host: IdentityId,
        expected: u32,
        counted: usize,
    },
}

impl fmt::Display for HostDisagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfService {
                host,
                service,
                expected,
                counted,
            } => write!(
                formatter,
                "terminators of identity {} for service {}: {counted}, expected: {expected}",
                shown(host),
                shown(service)
            ),
            Self::OfAll {
                host,
                expected,
                counted,
            } => write!(
                formatter,
                "terminators of identity {}: {counted}, expected: {expected}",
                shown(host)
            ),
        }
    }
}

impl Finding for HostDisagreement {
    fn advice(&self) -> &'static str {
        "If there are too few, see whether the host is running and may bind the service, and which routers \
         it may connect to; if there are too many, validate them, and delete those that are invalid."
    }
}

impl From<&HostDisagreement> for HostState {
    fn from(disagreement: &HostDisagreement) -> Self {
        let (host, service, expected, counted) = match disagreement {
            HostDisagreement::OfService {
                host,
                service,
                expected,
                counted,
            } => (host, service.as_str(), expected, counted),
            HostDisagreement::OfAll {
                host,
                expected,
                counted,
            } => (host, "", expected, counted),
        };
        Self {
            identity_id: host.as_str().to_owned(),
            service_id: service.to_owned(),
            text: format!("expected {expected} terminators, but had {counted}"),
        }
    }
}

/// Counts the terminators of hosts: of each service that they host, and those of `hosts` in all.
///
/// A host without any terminator of a service is not known to host it.
pub fn count_terminators<'a>(
    terminators: impl IntoIterator<Item = &'a KnownTerminator>,
    hosts: impl IntoIterator<Item = &'a IdentityId>,
    expected: ExpectedTerminators,
) -> Vec<HostDisagreement> {
    let mut per_host = BTreeMap::<_, usize>::new();
    let mut per_service = BTreeMap::<_, usize>::new();
    for terminator in terminators {
        if let Some(host) = &terminator.host {
            *per_host.entry(host).or_default() += 1;
            *per_service.entry((&terminator.service, host)).or_default() += 1;
        }
    }
    let differs = |counted: usize, expected| u32::try_from(counted) != Ok(expected);
    let mut found = Vec::new();
    if let Some(expected) = expected.per_service_and_host {
        for ((service, host), counted) in per_service {
            if differs(counted, expected) {
                found.push(HostDisagreement::OfService {
                    host: host.clone(),
                    service: service.clone(),
                    expected,
                    counted,
                });
            }
        }
    }
    if let Some(expected) = expected.per_host {
        for host in hosts {
            let counted = per_host.get(host).copied().unwrap_or_default();
            if differs(counted, expected) {
                found.push(HostDisagreement::OfAll {
                    host: host.clone(),
                    expected,
                    counted,
                });
            }
        }
    }
    found
}

/// What is told in the place of counts, if the filter that chooses the hosts cannot be read.
pub fn invalid_identities_filter(error: &str) -> HostState {
    let nobody = || "invalid identities query".to_owned();
    HostState {
        identity_id: nobody(),
        service_id: nobody(),
        text: error.to_owned(),
    }
}
