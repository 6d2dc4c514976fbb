//! Enrollments on the wire.

mod request;

pub use request::{EnrollmentCreate, EnrollmentRefresh};

use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::secret;
use crate::time::WireTime;
use portcullis_domain::enrollment::Method;
use portcullis_domain::ids::{CaId, EnrollmentId, IdentityId};
use portcullis_domain::view::EnrollmentView;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A pending enrollment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrollmentDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    pub base: Base<EnrollmentId>,
    /// The third-party authority whose certificate is demanded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_id: Option<CaId>,
    /// When it ends.
    pub expires_at: WireTime,
    /// The identity that is to obtain a credential; absent for routers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<EntityRef>,
    /// Id of that identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity_id: Option<IdentityId>,
    /// The token in the signed form that is handed to a person.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub jwt: Option<SecretString>,
    /// How it is redeemed: `ott`, `ottca` or `updb`, and others for routers.
    pub method: Cow<'static, str>,
    /// The token.
    #[serde(serialize_with = "secret::serialize")]
    pub token: SecretString,
}

impl From<EnrollmentView> for EnrollmentDetail {
    fn from(view: EnrollmentView) -> Self {
        let enrollment = view.enrollment;
        let method = enrollment.method.kind().name();
        Self {
            base: Base {
                links: Links::to(format!("enrollments/{}", enrollment.id)),
                created_at: enrollment.created_at.into(),
                id: enrollment.id,
                tags: enrollment.tags,
                updated_at: enrollment.updated_at.into(),
            },
            ca_id: match enrollment.method {
                Method::OttCa { ca } => Some(ca),
                Method::Ott | Method::Updb { .. } => None,
            },
            expires_at: enrollment.expires_at.into(),
            identity: Some(view.identity.into()),
            identity_id: Some(enrollment.identity),
            jwt: Some(view.secrets.jwt),
            method: Cow::Borrowed(method),
            token: view.secrets.token,
        }
    }
}
