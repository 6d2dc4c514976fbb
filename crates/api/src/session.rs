//! Service sessions on the wire.

mod request;

pub use request::SessionCreate;

use crate::edge_router::SessionEdgeRouter;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::secret;
use crate::service_policy::PolicyType;
use portcullis_domain::ids::{ApiSessionId, IdentityId, ServiceId, SessionId};
use portcullis_domain::view::SessionView;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// A service session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<SessionId>,
    /// The API session to which it was granted.
    pub api_session: Option<EntityRef>,
    /// Id of that.
    #[schemars(with = "String")]
    pub api_session_id: ApiSessionId,
    /// The edge routers through which it may be used; `null` for none.
    pub edge_routers: Option<Vec<SessionEdgeRouter>>,
    /// Id of the identity to which it was granted.
    #[schemars(with = "String")]
    pub identity_id: IdentityId,
    /// The service.
    pub service: Option<EntityRef>,
    /// Id of the service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
    /// What edge routers are shown, a JWT; to administrators something that opens nothing.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub token: SecretString,
    /// What was granted.
    #[serde(rename = "type")]
    pub kind: PolicyType,
    /// The policies that grant it; shown to administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_policies: Option<Vec<EntityRef>>,
}

/// The routers that a service session passes, as GET `/sessions/{id}/route-path` shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRoutePath {
    /// Ids of the routers, from the client to the service.
    pub route_path: Vec<String>,
}

impl SessionDetail {
    /// The session as its holder sees it, who shows `token` to edge routers.
    pub fn for_holder(view: SessionView, token: SecretString) -> Self {
        let session = view.session;
        let routers: Vec<_> = view.edge_routers.into_iter().map(Into::into).collect();
        Self {
            base: Base {
                links: links(&session.id),
                created_at: session.created_at.into(),
                id: session.id,
                tags: session.tags,
                // A session is granted and goes; nothing in it changes.
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

    /// The session as administrators see it: with the policies that grant it, and with its id for the
    /// token.
    pub fn for_administrator(mut view: SessionView) -> Self {
        let policies = std::mem::take(&mut view.policies);
        let stand_in = view.session.id.as_str().into();
        Self {
            service_policies: Some(policies.into_iter().map(Into::into).collect()),
            ..Self::for_holder(view, stand_in)
        }
    }
}

fn links(id: &SessionId) -> Links {
    Links::to_all(&format!("sessions/{id}"), ["route-path"])
}
