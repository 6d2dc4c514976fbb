//! API sessions.

use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct ApiSession {
    pub kind: ApiSessionKind,
    pub id: Arc<str>,
    pub session_type: ApiSessionType,
    pub identity_id: Arc<str>,
    /// Address of the client, with its port for [`ApiSessionType::Jwt`].
    pub ip_address: Arc<str>,
    /// Whether the session has a certificate of its own.
    pub has_certificate: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ApiSessionKind {
    Created,
    Deleted,
    /// A refresh token got new ones.
    Refreshed,
    /// A token was exchanged for another one.
    Exchanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ApiSessionType {
    Legacy,
    Jwt,
}

impl ApiSessionKind {
    pub(crate) const NAMES: [&'static str; 4] = ["created", "deleted", "refreshed", "exchanged"];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Deleted => "deleted",
            Self::Refreshed => "refreshed",
            Self::Exchanged => "exchanged",
        }
    }
}

impl ApiSession {
    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            event_type: ApiSessionKind,
            id: &'e str,
            #[serde(rename = "type")]
            session_type: ApiSessionType,
            /// Whoever reads events may not act as those whom they are about.
            token: &'static str,
            identity_id: &'e str,
            ip_address: &'e str,
            cert_generated: bool,
        }
        Wire {
            event_type: self.kind,
            id: &self.id,
            session_type: self.session_type,
            token: "",
            identity_id: &self.identity_id,
            ip_address: &self.ip_address,
            cert_generated: self.has_certificate,
        }
    }
}
