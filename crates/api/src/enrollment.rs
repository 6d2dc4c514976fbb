//! Wire types of enrollments.

mod request;

pub use request::{EnrollmentCreate, EnrollmentRefresh};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::secret;
use crate::time::WireTime;
use portcullis_domain::ids::{CaId, EnrollmentId, IdentityId, RouterId};
use portcullis_domain::view::{EnrollmentOwnerRef, EnrollmentView};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A pending enrollment.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnrollmentDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<EnrollmentId>,
    /// Id of the third-party CA whose certificate is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ca_id: Option<CaId>,
    /// Edge router that enrolls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_router: Option<EntityRef>,
    /// Id of that edge router.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub edge_router_id: Option<RouterId>,
    /// When it expires.
    pub expires_at: WireTime,
    /// Identity that enrolls; absent for routers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<EntityRef>,
    /// Id of that identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub identity_id: Option<IdentityId>,
    /// Enrollment JWT, which is handed to the user; absent for callers that may only read enrollments.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub jwt: Option<SecretString>,
    /// Enrollment method: `ott`, `ottca` or `updb`, or one of the router methods.
    pub method: Cow<'static, str>,
    /// Enrollment token; empty for callers that may only read enrollments. Clients rely on the member,
    /// so it is never absent.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub token: SecretString,
    /// Transit router that enrolls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transit_router: Option<EntityRef>,
    /// Id of that transit router.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub transit_router_id: Option<RouterId>,
}

impl From<EnrollmentView> for EnrollmentDetail {
    fn from(view: EnrollmentView) -> Self {
        let enrollment = view.enrollment;
        let secrets = view.secrets.map(|secrets| (secrets.token, secrets.jwt));
        let (token, jwt) = secrets.unzip();
        let holder = HolderMembers::from(view.owner);
        let (edge_router, edge_router_id) = holder.edge_router.unzip();
        let (identity, identity_id) = holder.identity.unzip();
        let (transit_router, transit_router_id) = holder.transit_router.unzip();
        Self {
            base: Base {
                links: Links::with_self(format!("enrollments/{}", enrollment.id)),
                created_at: enrollment.created_at.into(),
                id: enrollment.id,
                tags: enrollment.tags,
                updated_at: enrollment.updated_at.into(),
            },
            ca_id: enrollment.purpose.ca().cloned(),
            edge_router,
            edge_router_id,
            expires_at: enrollment.expires_at.into(),
            identity,
            identity_id,
            jwt,
            method: Cow::Borrowed(enrollment.purpose.method_name()),
            token: token.unwrap_or_default(),
            transit_router,
            transit_router_id,
        }
    }
}

/// The members that name the holder of an enrollment, one of which is set.
#[derive(Default)]
struct HolderMembers {
    edge_router: Option<(EntityRef, RouterId)>,
    identity: Option<(EntityRef, IdentityId)>,
    transit_router: Option<(EntityRef, RouterId)>,
}

impl From<EnrollmentOwnerRef> for HolderMembers {
    fn from(holder: EnrollmentOwnerRef) -> Self {
        let mut shown = Self::default();
        match holder {
            EnrollmentOwnerRef::Identity(identity) => {
                let id = identity.id.clone();
                shown.identity = Some((identity.into(), id));
            },
            EnrollmentOwnerRef::Router(router) => {
                let (id, is_edge) = (router.id.clone(), router.is_edge);
                let place = if is_edge {
                    &mut shown.edge_router
                } else {
                    &mut shown.transit_router
                };
                *place = Some((router.into(), id));
            },
        }
        shown
    }
}
