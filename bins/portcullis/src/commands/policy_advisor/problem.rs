//! What can stand between an identity and a service.

use crate::table::count;
use portcullis_api::policy_advice::PolicyAdvice;
use serde::{Serialize, Serializer};

/// What stands between an identity and a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// The identity may neither dial nor bind.
    NothingGranted,
    /// The identity may do so with no service at all.
    NoService,
    /// Nobody may do so with the service.
    NoIdentity,
    /// The identity has no edge router.
    IdentityWithoutRouter,
    /// The service has no edge router.
    ServiceWithoutRouter,
    /// Both have edge routers, so many, and none is the same.
    NothingInCommon { of_identity: u32, of_service: u32 },
    /// None of the edge routers that both have, with these names, is connected.
    NoneOnline(Vec<String>),
}

impl Problem {
    /// All that stands between the two, what comes first to be seen to first.
    pub(super) fn all(advice: &PolicyAdvice) -> Vec<Self> {
        let mut problems = Vec::new();
        if !advice.is_dial_allowed && !advice.is_bind_allowed {
            problems.push(Self::NothingGranted);
        }
        let (of_identity, of_service) = (advice.identity_router_count, advice.service_router_count);
        if of_identity == 0 {
            problems.push(Self::IdentityWithoutRouter);
        }
        if of_service == 0 {
            problems.push(Self::ServiceWithoutRouter);
        }
        let common = advice.common_routers.as_deref().unwrap_or_default();
        if common.is_empty() && of_identity > 0 && of_service > 0 {
            problems.push(Self::NothingInCommon {
                of_identity,
                of_service,
            });
        }
        if !common.is_empty() && !common.iter().any(|router| router.is_online) {
            let names = common.iter().map(|router| router.router.name.clone());
            problems.push(Self::NoneOnline(names.collect()));
        }
        problems
    }

    /// Says what is wrong.
    pub(super) fn words(&self) -> String {
        match self {
            Self::NothingGranted => {
                "no service policy lets the identity dial or bind the service".to_owned()
            },
            Self::NoService => {
                "no service policy lets the identity dial or bind anything".to_owned()
            },
            Self::NoIdentity => {
                "no service policy lets anybody dial or bind the service".to_owned()
            },
            Self::IdentityWithoutRouter => {
                "no edge-router policy gives the identity an edge router".to_owned()
            },
            Self::ServiceWithoutRouter => {
                "no service-edge-router policy gives the service an edge router".to_owned()
            },
            Self::NothingInCommon {
                of_identity,
                of_service,
            } => format!(
                "the identity may use {}, the service {}; they have none in common",
                routers(*of_identity),
                routers(*of_service)
            ),
            Self::NoneOnline(names) => format!(
                "no edge router that both may use is online: {}",
                names.join(", ")
            ),
        }
    }

    /// Says where to look for a cure.
    pub(super) fn cure(&self) -> &'static str {
        match self {
            Self::NothingGranted | Self::NoService | Self::NoIdentity => {
                "see `portcullis service-policy --help`"
            },
            Self::IdentityWithoutRouter => "see `portcullis edge-router-policy --help`",
            Self::ServiceWithoutRouter => "see `portcullis service-edge-router-policy --help`",
            Self::NothingInCommon { .. } => {
                "see `portcullis edge-router-policy list` and `portcullis \
                 service-edge-router-policy list`"
            },
            Self::NoneOnline(_) => "see `portcullis edge-router list`",
        }
    }
}

fn routers(number: u32) -> String {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    count(number, "edge router", "edge routers")
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.words())
    }
}
