//! Errors of service sessions.

use portcullis_domain::posture::PolicyFailure;

/// A service session cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceSessionError {
    /// The session passes none of the policies that grant it the service.
    #[error("the posture checks of {} policies failed", .0.len())]
    InvalidPosture(Vec<PolicyFailure>),
    #[error("no edge router is available")]
    NoEdgeRouters,
}
