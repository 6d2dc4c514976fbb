//! What a failed request means for the session.

use crate::error::SessionError;
use crate::oidc_tokens;
use portcullis_api::code::Code;
use portcullis_client::{ClientError, RefusalError};
use portcullis_domain::ids::ServiceId;
use std::sync::Arc;

/// Status with which controllers refuse whoever has no session, or no right.
const UNAUTHORIZED: u16 = 401;

/// What a failed request means.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// The session does not count any more.
    Lost,
    /// The controller was not there, or had no time: the same may succeed later.
    Passing(Arc<ClientError>),
    /// The controller refuses this request.
    Refused(Arc<ClientError>),
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match &error {
            ClientError::Refused(refusal) => match refusal.status {
                UNAUTHORIZED => Self::Lost,
                429 | 500.. => Self::Passing(Arc::new(error)),
                _ => Self::Refused(Arc::new(error)),
            },
            ClientError::Denied(_) => Self::Lost,
            ClientError::Renewal(renewal) if oidc_tokens::is_over(renewal) => Self::Lost,
            ClientError::InvalidRequest(_) => Self::Refused(Arc::new(error)),
            ClientError::Renewal(_)
            | ClientError::Unreachable { .. }
            | ClientError::Interrupted { .. }
            | ClientError::UnexpectedResponse { .. }
            | ClientError::Untrusted { .. }
            | ClientError::Paging(_) => Self::Passing(Arc::new(error)),
        }
    }
}

impl From<Failure> for SessionError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Lost => Self::SessionLost,
            Failure::Passing(error) if error.is_disconnected() => Self::Unreachable(error),
            Failure::Passing(error) => Self::Unavailable(error),
            Failure::Refused(error) => Self::Request(error),
        }
    }
}

impl Failure {
    /// What a refusal of a session of a service means.
    pub(crate) fn of_service(self, service: &ServiceId) -> SessionError {
        let Self::Refused(error) = self else {
            return self.into();
        };
        match error.refusal().and_then(RefusalError::code) {
            Some(Code::InvalidPosture) => SessionError::Posture(service.clone()),
            Some(Code::NoEdgeRoutersAvailable) => SessionError::NoEdgeRouters(service.clone()),
            Some(Code::NotFound | Code::CouldNotValidate) => {
                SessionError::NotGranted(service.clone())
            },
            _ => SessionError::Request(error),
        }
    }
}
