//! Links of, and references to, services and what is needed to use them.

use super::{EntityRef, Links};
use portcullis_domain::ids::{
    ApiSessionId, ConfigId, ConfigTypeId, EdgeRouterPolicyId, PostureCheckId, RouterId,
    ServiceEdgeRouterPolicyId, ServiceId, ServicePolicyId,
};
use portcullis_domain::view::{Named, RouterRef};

const SERVICES: &str = "services";
const CONFIGS: &str = "configs";
const CONFIG_TYPES: &str = "config-types";
const SERVICE_POLICIES: &str = "service-policies";
const EDGE_ROUTERS: &str = "edge-routers";
const TRANSIT_ROUTERS: &str = "transit-routers";
const API_SESSIONS: &str = "api-sessions";

/// What can be followed from a service, besides itself.
const OF_A_SERVICE: [&str; 4] = [
    "configs",
    "service-edge-router-policies",
    "service-policies",
    "terminators",
];

/// What can be followed from a service policy, besides itself.
const OF_A_SERVICE_POLICY: [&str; 3] = ["identities", "posture-checks", "services"];

/// What can be followed from an edge router, besides itself.
const OF_AN_EDGE_ROUTER: [&str; 1] = ["edge-router-policies"];

/// What can be followed from an API session, besides itself.
const OF_AN_API_SESSION: [&str; 1] = ["sessions"];

impl Links {
    /// The links of a service.
    pub fn of_service(id: &ServiceId) -> Self {
        Self::to_all(&format!("{SERVICES}/{id}"), OF_A_SERVICE)
    }

    /// The links of a service policy.
    pub fn of_service_policy(id: &ServicePolicyId) -> Self {
        Self::to_all(&format!("{SERVICE_POLICIES}/{id}"), OF_A_SERVICE_POLICY)
    }

    /// The links of an edge-router policy.
    pub fn of_edge_router_policy(id: &EdgeRouterPolicyId) -> Self {
        let path = format!("edge-router-policies/{id}");
        Self::to_all(&path, ["edge-routers", "identities"])
    }

    /// The links of a service-edge-router policy.
    pub fn of_service_edge_router_policy(id: &ServiceEdgeRouterPolicyId) -> Self {
        let path = format!("service-edge-router-policies/{id}");
        Self::to_all(&path, ["edge-routers", "services"])
    }

    /// The link of a posture check.
    pub fn of_posture_check(id: &PostureCheckId) -> Self {
        Self::to(format!("posture-checks/{id}"))
    }

    /// The links of an edge router.
    pub fn of_edge_router(id: &RouterId) -> Self {
        Self::to_all(&format!("{EDGE_ROUTERS}/{id}"), OF_AN_EDGE_ROUTER)
    }

    /// The link of a transit router, or of an edge router among them.
    pub fn of_transit_router(id: &RouterId) -> Self {
        Self::to(format!("{TRANSIT_ROUTERS}/{id}"))
    }

    /// The links of an API session.
    pub fn of_api_session(id: &ApiSessionId) -> Self {
        Self::to_all(&format!("{API_SESSIONS}/{id}"), OF_AN_API_SESSION)
    }
}

impl EntityRef {
    /// A reference to a router as one of those that pass traffic on, as edge routers do too.
    pub fn transit_router(id: &RouterId, name: impl Into<String>) -> Self {
        Self::new(TRANSIT_ROUTERS, id.as_str(), name)
    }

    /// A reference to an API session, which has no name.
    pub fn api_session(id: &ApiSessionId) -> Self {
        Self::with_links(API_SESSIONS, id.as_str(), "", OF_AN_API_SESSION)
    }
}

impl From<Named<ServiceId>> for EntityRef {
    fn from(service: Named<ServiceId>) -> Self {
        Self::with_links(SERVICES, service.id.as_str(), service.name, OF_A_SERVICE)
    }
}

impl From<Named<ServicePolicyId>> for EntityRef {
    fn from(policy: Named<ServicePolicyId>) -> Self {
        let below = OF_A_SERVICE_POLICY;
        Self::with_links(SERVICE_POLICIES, policy.id.as_str(), policy.name, below)
    }
}

impl From<Named<ConfigId>> for EntityRef {
    fn from(config: Named<ConfigId>) -> Self {
        Self::new(CONFIGS, config.id.as_str(), config.name)
    }
}

impl From<Named<ConfigTypeId>> for EntityRef {
    fn from(kind: Named<ConfigTypeId>) -> Self {
        Self::new(CONFIG_TYPES, kind.id.as_str(), kind.name)
    }
}

impl From<RouterRef> for EntityRef {
    fn from(router: RouterRef) -> Self {
        if router.is_edge {
            let below = OF_AN_EDGE_ROUTER;
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

    fn named<I>(id: I) -> Named<I> {
        Named {
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
                &OF_A_SERVICE[..],
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
