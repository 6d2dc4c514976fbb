//! Sessions for services.

use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Session {
    pub kind: SessionKind,
    pub session_type: SessionType,
    pub provider: SessionProvider,
    pub id: Arc<str>,
    pub api_session_id: Arc<str>,
    pub identity_id: Arc<str>,
    pub service_id: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionKind {
    Created,
    Deleted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum SessionType {
    Dial,
    Bind,
}

/// What kind of API session it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionProvider {
    Legacy,
    Jwt,
}

impl SessionKind {
    pub(crate) const NAMES: [&'static str; 2] = ["created", "deleted"];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Deleted => "deleted",
        }
    }
}

impl Session {
    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            event_type: SessionKind,
            session_type: SessionType,
            provider: SessionProvider,
            id: &'e str,
            /// The id where it is no secret, since it is no token then.
            #[serde(skip_serializing_if = "Option::is_none")]
            token: Option<&'e str>,
            api_session_id: &'e str,
            identity_id: &'e str,
            service_id: &'e str,
        }
        Wire {
            event_type: self.kind,
            session_type: self.session_type,
            provider: self.provider,
            id: &self.id,
            token: (self.provider == SessionProvider::Jwt).then_some(&*self.id),
            api_session_id: &self.api_session_id,
            identity_id: &self.identity_id,
            service_id: &self.service_id,
        }
    }
}
