//! Problems between an identity and a service.

use crate::table::pluralize;
use portcullis_api::policy_advice::PolicyAdvice;
use serde::{Serialize, Serializer};

/// A reason why an identity cannot use a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// The identity may neither dial nor bind.
    NotGranted,
    /// The identity may neither dial nor bind any service.
    NoServiceGranted,
    /// No identity may dial or bind the service.
    NoIdentityGranted,
    /// No edge router is available to the identity.
    IdentityWithoutRouter,
    /// No edge router is available to the service.
    ServiceWithoutRouter,
    /// Both have edge routers, but none in common.
    NoCommonRouter { of_identity: u32, of_service: u32 },
    /// None of the common edge routers, with these names, is online.
    NoRouterOnline(Vec<String>),
}

impl Problem {
    /// All problems, most fundamental first.
    pub(super) fn detect(advice: &PolicyAdvice) -> Vec<Self> {
        let mut problems = Vec::new();
        if !advice.is_dial_allowed && !advice.is_bind_allowed {
            problems.push(Self::NotGranted);
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
            problems.push(Self::NoCommonRouter {
                of_identity,
                of_service,
            });
        }
        if !common.is_empty() && !common.iter().any(|router| router.is_online) {
            let names = common.iter().map(|router| router.router.name.clone());
            problems.push(Self::NoRouterOnline(names.collect()));
        }
        problems
    }

    /// Description of the problem.
    pub(super) fn message(&self) -> String {
        match self {
            Self::NotGranted => {
                "no service policy lets the identity dial or bind the service".to_owned()
            },
            Self::NoServiceGranted => {
                "no service policy lets the identity dial or bind anything".to_owned()
            },
            Self::NoIdentityGranted => {
                "no service policy lets any identity dial or bind the service".to_owned()
            },
            Self::IdentityWithoutRouter => {
                "no edge-router policy gives the identity an edge router".to_owned()
            },
            Self::ServiceWithoutRouter => {
                "no service-edge-router policy gives the service an edge router".to_owned()
            },
            Self::NoCommonRouter {
                of_identity,
                of_service,
            } => format!(
                "the identity may use {}, the service {}, with none in common",
                routers(*of_identity),
                routers(*of_service)
            ),
            Self::NoRouterOnline(names) => format!(
                "no edge router that both may use is online: {}",
                names.join(", ")
            ),
        }
    }

    /// Where to look for a solution.
    pub(super) fn hint(&self) -> &'static str {
        match self {
            Self::NotGranted | Self::NoServiceGranted | Self::NoIdentityGranted => {
                "see `portcullis service-policy --help`"
            },
            Self::IdentityWithoutRouter => "see `portcullis edge-router-policy --help`",
            Self::ServiceWithoutRouter => "see `portcullis service-edge-router-policy --help`",
            Self::NoCommonRouter { .. } => {
                "see `portcullis edge-router-policy list` and `portcullis \
                 service-edge-router-policy list`"
            },
            Self::NoRouterOnline(_) => "see `portcullis edge-router list`",
        }
    }
}

fn routers(number: u32) -> String {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    pluralize(number, "edge router", "edge routers")
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.message())
    }
}
