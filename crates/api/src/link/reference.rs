//! Links and references of services, policies, routers and sessions.

use super::{EntityRef, Links};
use portcullis_domain::ids::{
    ApiSessionId, ConfigId, ConfigTypeId, EdgeRouterPolicyId, PostureCheckId, RouterId,
    ServiceEdgeRouterPolicyId, ServiceId, ServicePolicyId,
};
use portcullis_domain::view::{NamedRef, RouterRef};

const SERVICES: &str = "services";
const CONFIGS: &str = "configs";
const CONFIG_TYPES: &str = "config-types";
const SERVICE_POLICIES: &str = "service-policies";
const EDGE_ROUTERS: &str = "edge-routers";
const TRANSIT_ROUTERS: &str = "transit-routers";
const API_SESSIONS: &str = "api-sessions";

/// Links of a service, besides `self`.
const SERVICE_LINKS: [&str; 4] = [
    "configs",
    "service-edge-router-policies",
    "service-policies",
    "terminators",
];

/// Links of a service policy, besides `self`.
const SERVICE_POLICY_LINKS: [&str; 3] = ["identities", "posture-checks", "services"];

/// Links of an edge router, besides `self`.
const EDGE_ROUTER_LINKS: [&str; 1] = ["edge-router-policies"];

/// Links of an API session, besides `self`.
const API_SESSION_LINKS: [&str; 1] = ["sessions"];

impl Links {
    /// The links of a service.
    pub fn of_service(id: &ServiceId) -> Self {
        Self::with_self_and_children(&format!("{SERVICES}/{id}"), SERVICE_LINKS)
    }

    /// The links of a service policy.
    pub fn of_service_policy(id: &ServicePolicyId) -> Self {
        Self::with_self_and_children(&format!("{SERVICE_POLICIES}/{id}"), SERVICE_POLICY_LINKS)
    }

    /// The links of an edge router policy.
    pub fn of_edge_router_policy(id: &EdgeRouterPolicyId) -> Self {
        let path = format!("edge-router-policies/{id}");
        Self::with_self_and_children(&path, ["edge-routers", "identities"])
    }

    /// The links of a service edge router policy.
    pub fn of_service_edge_router_policy(id: &ServiceEdgeRouterPolicyId) -> Self {
        let path = format!("service-edge-router-policies/{id}");
        Self::with_self_and_children(&path, ["edge-routers", "services"])
    }

    /// The link of a posture check.
    pub fn of_posture_check(id: &PostureCheckId) -> Self {
        Self::with_self(format!("posture-checks/{id}"))
    }

    /// The links of an edge router.
    pub fn of_edge_router(id: &RouterId) -> Self {
        Self::with_self_and_children(&format!("{EDGE_ROUTERS}/{id}"), EDGE_ROUTER_LINKS)
    }

    /// The link of a router in the collection of transit routers, which includes edge routers.
    pub fn of_transit_router(id: &RouterId) -> Self {
        Self::with_self(format!("{TRANSIT_ROUTERS}/{id}"))
    }

    /// The links of an API session.
    pub fn of_api_session(id: &ApiSessionId) -> Self {
        Self::with_self_and_children(&format!("{API_SESSIONS}/{id}"), API_SESSION_LINKS)
    }
}

impl EntityRef {
    /// A reference to a router in the collection of transit routers, which includes edge routers.
    pub fn transit_router(id: &RouterId, name: impl Into<String>) -> Self {
        Self::new(TRANSIT_ROUTERS, id.as_str(), name)
    }

    /// A reference to an API session, which has no name.
    pub fn api_session(id: &ApiSessionId) -> Self {
        Self::with_links(API_SESSIONS, id.as_str(), "", API_SESSION_LINKS)
    }
}

impl From<NamedRef<ServiceId>> for EntityRef {
    fn from(service: NamedRef<ServiceId>) -> Self {
        Self::with_links(SERVICES, service.id.as_str(), service.name, SERVICE_LINKS)
    }
}

impl From<NamedRef<ServicePolicyId>> for EntityRef {
    fn from(policy: NamedRef<ServicePolicyId>) -> Self {
        let below = SERVICE_POLICY_LINKS;
        Self::with_links(SERVICE_POLICIES, policy.id.as_str(), policy.name, below)
    }
}

impl From<NamedRef<ConfigId>> for EntityRef {
    fn from(config: NamedRef<ConfigId>) -> Self {
        Self::new(CONFIGS, config.id.as_str(), config.name)
    }
}

impl From<NamedRef<ConfigTypeId>> for EntityRef {
    fn from(kind: NamedRef<ConfigTypeId>) -> Self {
        Self::new(CONFIG_TYPES, kind.id.as_str(), kind.name)
    }
}

impl From<RouterRef> for EntityRef {
    fn from(router: RouterRef) -> Self {
        if router.is_edge {
            let below = EDGE_ROUTER_LINKS;
            Self::with_links(EDGE_ROUTERS, router.id.as_str(), router.name, below)
        } else {
            Self::transit_router(&router.id, router.name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn form(reference: impl Into<EntityRef>) -> Value {
        serde_json::to_value(reference.into()).unwrap()
    }

    fn named<I>(id: I) -> NamedRef<I> {
        NamedRef {
            id,
            name: "n".to_owned(),
        }
    }

    fn router(is_edge: bool) -> RouterRef {
        RouterRef {
            id: RouterId::from_wire("x"),
            name: "n".to_owned(),
            is_edge,
        }
    }

    #[test]
    fn references_say_what_they_refer_to_and_what_follows() {
        for (reference, entity, below) in [
            (
                form(named(ServiceId::from_wire("x"))),
                "services",
                &SERVICE_LINKS[..],
            ),
            (
                form(named(ServicePolicyId::from_wire("x"))),
                "service-policies",
                &["services", "identities", "posture-checks"],
            ),
            (form(named(ConfigId::from_wire("x"))), "configs", &[]),
            (
                form(named(ConfigTypeId::from_wire("x"))),
                "config-types",
                &[],
            ),
            (
                form(router(true)),
                "edge-routers",
                &["edge-router-policies"],
            ),
            (form(router(false)), "transit-routers", &[]),
        ] {
            let path = format!("./{entity}/x");
            let mut links = json!({"self": {"href": path}});
            for name in below {
                links[name] = json!({"href": format!("{path}/{name}")});
            }
            let expected = json!({"_links": links, "entity": entity, "id": "x", "name": "n"});
            assert_eq!(reference, expected);
        }
    }

    #[test]
    fn reference_to_what_has_no_name_has_none() {
        let session = form(EntityRef::api_session(&ApiSessionId::from_wire("x")));
        assert_eq!(
            session,
            json!({
                "_links": {
                    "self": {"href": "./api-sessions/x"},
                    "sessions": {"href": "./api-sessions/x/sessions"}
                },
                "entity": "api-sessions",
                "id": "x"
            })
        );
    }
}
