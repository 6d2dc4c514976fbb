//! Identities that are connected to routers.

use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Clone, Serialize)]
pub struct SdkStatus {
    #[serde(rename = "event_type")]
    pub kind: SdkStatusKind,
    pub identity_id: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum SdkStatusKind {
    /// At least one router of this controller has a connection of the identity.
    #[serde(rename = "sdk-online")]
    Online,
    #[serde(rename = "sdk-offline")]
    Offline,
    /// The routers that had one are not connected.
    #[serde(rename = "sdk-status-unknown")]
    Unknown,
}
