//! A service that somebody may use, and machines that are reported about.

use crate::mfa_support::{Person, Scene};
use crate::support::{operate, send};
use http::Method;
use portcullis_domain::ids::RouterId;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::router::{Edge, Router, RouterKind, RouterSpec};
use portcullis_domain::tags::Tags;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::ROUTER;
use portcullis_testkit::{Harness, HarnessOptions, Reply};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A controller with a person, a service and an edge router that everybody may use. Nobody may use
/// the service yet.
pub(crate) struct Stage {
    pub(crate) controller: Harness,
    pub(crate) admin: String,
    pub(crate) person: Person,
    /// Id of the service.
    pub(crate) service: String,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(HarnessOptions::default()).await
    }

    pub(crate) async fn with(options: HarnessOptions) -> Self {
        let Scene {
            controller,
            admin,
            person,
        } = Scene::with(options).await;
        let mut stage = Self {
            controller,
            admin,
            person,
            service: String::new(),
        };
        let service = json!({"name": "vault", "encryptionRequired": true});
        stage.service = stage.make("/services", service).await;
        add_router(&stage.controller, "gate", false).await;
        for (path, roles) in [
            ("/edge-router-policies", "identityRoles"),
            ("/service-edge-router-policies", "serviceRoles"),
        ] {
            let body = json!({
                "name": "all", "semantic": "AnyOf", "edgeRouterRoles": ["#all"], roles: ["#all"],
            });
            stage.make(path, body).await;
        }
        stage
    }

    /// The same with a policy that lets the person dial the service if it passes a check.
    pub(crate) async fn checked(check: Value) -> (Self, String) {
        let stage = Self::new().await;
        let check = stage.check("check", check).await;
        stage.allow("checked", "Dial", &[&check]).await;
        (stage, check)
    }

    /// Has an administrator make something; answers its id.
    pub(crate) async fn make(&self, path: &str, body: Value) -> String {
        self.administer(Method::POST, path, &body).await.id()
    }

    /// Has an administrator send something.
    pub(crate) async fn administer(&self, method: Method, path: &str, body: &Value) -> Reply {
        send(&self.controller, &self.admin, (method, path), body).await
    }

    /// Makes a posture check.
    pub(crate) async fn check(&self, name: &str, mut check: Value) -> String {
        check["name"] = json!(name);
        self.make("/posture-checks", check).await
    }

    /// Lets the person use the service; answers the id of the policy.
    pub(crate) async fn allow(&self, name: &str, grant: &str, checks: &[&str]) -> String {
        let named = |id: &str| json!([format!("@{id}")]);
        let checks: Vec<_> = checks.iter().map(|id| format!("@{id}")).collect();
        let policy = json!({
            "name": name, "type": grant, "semantic": "AnyOf",
            "identityRoles": named(&self.person.id), "serviceRoles": named(&self.service),
            "postureCheckRoles": checks,
        });
        self.make("/service-policies", policy).await
    }

    /// Asks the client API as the holder of a session.
    pub(crate) async fn client(&self, session: &str, (method, path): (Method, &str)) -> Reply {
        let path = format!("/edge/client/v1{path}");
        let request = self.controller.request(method, &path);
        request.session(session).send().await
    }

    /// Sends something to the client API.
    pub(crate) async fn post(&self, session: &str, path: &str, body: &Value) -> Reply {
        let path = format!("/edge/client/v1{path}");
        let request = self.controller.request(Method::POST, &path);
        request.session(session).json(body).send().await
    }

    /// Asks for a service session.
    pub(crate) async fn connect(&self, session: &str, grant: &str) -> Reply {
        let body = json!({"serviceId": self.service, "type": grant});
        self.post(session, "/sessions", &body).await
    }

    /// Whether the service can be dialed.
    pub(crate) async fn can_dial(&self, session: &str) -> bool {
        let reply = self.connect(session, "Dial").await;
        if reply.status == 201 {
            return true;
        }
        assert_eq!(reply.error(), (409, "INVALID_POSTURE".to_owned()));
        false
    }

    /// Reports something; answers the services for which a code has to be shown sooner.
    pub(crate) async fn report(&self, session: &str, report: Value) -> Value {
        let reply = self.post(session, "/posture-response", &report).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.data()["services"].clone()
    }

    /// How the service is listed to the holder of a session.
    pub(crate) async fn listed(&self, session: &str) -> Value {
        let data = self
            .client(session, (Method::GET, "/services"))
            .await
            .data();
        assert_eq!(data.as_array().unwrap().len(), 1, "{data}");
        data[0].clone()
    }

    /// How the first policy of the service stands.
    pub(crate) async fn stand(&self, session: &str) -> Value {
        self.listed(session).await["postureQueries"][0].clone()
    }
}

/// Adds an edge router behind the controller's back.
pub(crate) async fn add_router(controller: &Harness, name: &str, disabled: bool) {
    let edge = Edge {
        role_attributes: RoleAttributes::default(),
        is_tunneler_enabled: false,
        app_data: Tags::default(),
    };
    let spec = RouterSpec {
        name: name.to_owned(),
        kind: RouterKind::Edge(edge),
        cost: 0,
        no_traversal: false,
        disabled,
        ctrl_chan_listeners: BTreeMap::new(),
        configs: BTreeSet::new(),
        certificate: None,
        tags: Tags::default(),
    };
    let now = controller.app.env().now();
    let router = Router::new(RouterId::from_wire(name), spec, now).unwrap();
    let key = RecordKey::root(ROUTER, controller.engine.allocate(ROUTER));
    operate(controller, move |rows| rows.insert(&key, &router).unwrap()).await;
}
