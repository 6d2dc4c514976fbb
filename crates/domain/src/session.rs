//! Service sessions: what an API session was granted about a service.

use crate::api_session::TokenHash;
use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, IdentityId, ServiceId, SessionId};
use crate::policies::ServiceGrant;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A service session. It lives no longer than its API session, its service, and the grant that it
/// stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// When it was granted.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// The API session to which it was granted.
    pub api_session: ApiSessionId,
    /// What that is found by.
    pub api_session_token: TokenHash,
    /// The identity of that.
    pub identity: IdentityId,
    /// The service.
    pub service: ServiceId,
    /// What was granted.
    #[serde(rename = "type")]
    pub grant: ServiceGrant,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}
