//! Wire types of service sessions.

mod request;

pub use request::SessionCreate;

use crate::describe::JsonSchema;
use crate::edge_router::SessionEdgeRouter;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::secret;
use crate::service_policy::PolicyType;
use portcullis_domain::ids::{ApiSessionId, IdentityId, ServiceId, SessionId};
use portcullis_domain::view::SessionView;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// A service session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<SessionId>,
    /// API session that it was created for.
    pub api_session: Option<EntityRef>,
    /// Id of the API session.
    #[schemars(with = "String")]
    pub api_session_id: ApiSessionId,
    /// Edge routers through which it may be used; `null` if there are none.
    pub edge_routers: Option<Vec<SessionEdgeRouter>>,
    /// Id of the identity that it was granted to.
    #[schemars(with = "String")]
    pub identity_id: IdentityId,
    /// The service.
    pub service: Option<EntityRef>,
    /// Id of the service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
    /// Session token for edge routers, a JWT; an unusable placeholder for administrators.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub token: SecretString,
    /// Type of the session: `Dial` or `Bind`.
    #[serde(rename = "type")]
    pub kind: PolicyType,
    /// Policies that grant it; shown to administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_policies: Option<Vec<EntityRef>>,
}

/// Route of a service session, as GET `/sessions/{id}/route-path` shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRoutePath {
    /// Ids of the routers, from the client to the service.
    pub route_path: Vec<String>,
}

impl SessionDetail {
    /// The session as shown to its holder, who presents `token` to edge routers.
    pub fn for_holder(view: SessionView, token: SecretString) -> Self {
        let session = view.session;
        let routers: Vec<_> = view.edge_routers.into_iter().map(Into::into).collect();
        Self {
            base: Base {
                links: links(&session.id),
                created_at: session.created_at.into(),
                id: session.id,
                tags: session.tags,
                // A session never changes between its creation and its deletion.
                updated_at: session.created_at.into(),
            },
            api_session: Some(EntityRef::api_session(&session.api_session)),
            api_session_id: session.api_session,
            edge_routers: Some(routers).filter(|routers| !routers.is_empty()),
            identity_id: session.identity,
            service: Some(view.service.into()),
            service_id: session.service,
            token,
            kind: session.grant.into(),
            service_policies: None,
        }
    }

    /// The session as shown to administrators: with the policies that grant it, and its id in place of
    /// the token.
    pub fn for_administrator(mut view: SessionView) -> Self {
        let policies = std::mem::take(&mut view.policies);
        let placeholder = view.session.id.as_str().into();
        Self {
            service_policies: Some(policies.into_iter().map(Into::into).collect()),
            ..Self::for_holder(view, placeholder)
        }
    }
}

fn links(id: &SessionId) -> Links {
    Links::with_self_and_children(&format!("sessions/{id}"), ["route-path"])
}
