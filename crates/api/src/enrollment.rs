//! Enrollments on the wire.

mod request;

pub use request::{EnrollmentCreate, EnrollmentRefresh};

use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::secret;
use crate::time::WireTime;
use portcullis_domain::enrollment::Method;
use portcullis_domain::ids::{CaId, EnrollmentId, IdentityId, RouterId};
use portcullis_domain::view::{EnrollmentView, RouterEnrollmentView};
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
    /// The edge router that is to obtain a certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_router: Option<EntityRef>,
    /// Id of that edge router.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_router_id: Option<RouterId>,
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
    /// The transit router that is to obtain a certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transit_router: Option<EntityRef>,
    /// Id of that transit router.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transit_router_id: Option<RouterId>,
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
            edge_router: None,
            edge_router_id: None,
            expires_at: enrollment.expires_at.into(),
            identity: Some(view.identity.into()),
            identity_id: Some(enrollment.identity),
            jwt: Some(view.secrets.jwt),
            method: Cow::Borrowed(method),
            token: view.secrets.token,
            transit_router: None,
            transit_router_id: None,
        }
    }
}

impl From<RouterEnrollmentView> for EnrollmentDetail {
    fn from(view: RouterEnrollmentView) -> Self {
        let RouterEnrollmentView { enrollment, router } = view;
        let id = router.id.clone();
        let is_edge = router.is_edge;
        let (edge, transit) = if is_edge {
            (Some((router.into(), id)), None)
        } else {
            (None, Some((router.into(), id)))
        };
        let (edge_router, edge_router_id) = edge.unzip();
        let (transit_router, transit_router_id) = transit.unzip();
        Self {
            base: Base {
                links: Links::to(format!("enrollments/{}", enrollment.id)),
                created_at: enrollment.created_at.into(),
                id: enrollment.id,
                tags: enrollment.tags,
                updated_at: enrollment.updated_at.into(),
            },
            ca_id: None,
            edge_router,
            edge_router_id,
            expires_at: enrollment.expires_at.into(),
            identity: None,
            identity_id: None,
            jwt: Some(enrollment.secrets.jwt),
            method: Cow::Borrowed(if is_edge { "erott" } else { "trott" }),
            token: enrollment.secrets.token,
            transit_router,
            transit_router_id,
        }
    }
}
