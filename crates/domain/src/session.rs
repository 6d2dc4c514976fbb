//! Service sessions.

use crate::api_session::{ApiSession, TokenHash};
use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, IdentityId, ServiceId, SessionId};
use crate::policies::ServiceGrant;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A service session: a grant of an API session on a service. It ends with its API session, its
/// service or the grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    pub api_session: ApiSessionId,
    /// Token hash of the API session.
    pub api_session_token: TokenHash,
    pub identity: IdentityId,
    pub service: ServiceId,
    #[serde(rename = "type")]
    pub grant: ServiceGrant,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

impl Session {
    /// Grants the holder of an API session the use of a service.
    pub fn new(
        id: SessionId,
        api_session: &ApiSession,
        (service, grant): (ServiceId, ServiceGrant),
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            created_at: now,
            api_session: api_session.id.clone(),
            api_session_token: api_session.token_hash,
            identity: api_session.identity.clone(),
            service,
            grant,
            tags: Tags::default(),
        }
    }
}
