//! What a router is allowed to do for an identity.

use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, IdentityId, RecordNumber, ServiceId, SessionId};
use portcullis_domain::oidc_session::TokenId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_storage::tables::Found;
use std::sync::Arc;

/// A right that was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Right {
    pub identity: IdentityId,
    pub service: GrantedService,
    pub grant: ServiceGrant,
    /// `None` for a router itself.
    pub session: Option<RightSession>,
    /// When it has to be judged again even if no record changes: it ends then unless a session was
    /// used or a TOTP code given meanwhile. `None` for never.
    pub judge_again_at: Option<Timestamp>,
}

/// The session that a right depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RightSession {
    pub api_session: ApiSessionId,
    /// `None` if the client showed an access token alone.
    pub service_session: Option<SessionId>,
    /// `None` if the client showed the token of a `zt-session`.
    pub access_token: Option<TokenId>,
}

impl RightSession {
    /// The ids (`jti`) of the signed tokens that the client showed. The token of a service session has
    /// the id of that.
    pub fn tokens(&self) -> Vec<TokenId> {
        let of_service = self.service_session.as_ref();
        let of_service = of_service.map(|session| TokenId::from_wire(session.as_str()));
        of_service
            .into_iter()
            .chain(self.access_token.clone())
            .collect()
    }
}

/// The service that a right is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedService {
    pub id: ServiceId,
    /// Record number.
    pub number: RecordNumber,
    pub name: String,
    /// Whether both ends have to encrypt.
    pub is_encryption_required: bool,
}

impl From<&Found<Arc<Service>>> for GrantedService {
    fn from(found: &Found<Arc<Service>>) -> Self {
        Self {
            id: found.entity.id.clone(),
            number: found.number(),
            name: found.entity.spec.name.clone(),
            is_encryption_required: found.entity.spec.encryption_required,
        }
    }
}
