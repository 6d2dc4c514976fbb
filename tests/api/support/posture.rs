//! Fixture of posture tests: a service, a user and posture reports.

use crate::support::mfa::{MfaFixture, TestUser};
use crate::support::{modify_store, send};
use http::Method;
use portcullis_domain::ids::RouterId;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::router::{EdgeRouterSettings, Router, RouterKind, RouterSpec};
use portcullis_domain::tags::Tags;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::ROUTER;
use portcullis_testkit::{Harness, HarnessOptions, Reply};
use serde_json::{Value, json};

/// A controller with a user, a service and an edge router that everybody may use. Nobody may use the
/// service yet.
pub(crate) struct PostureFixture {
    pub(crate) controller: Harness,
    pub(crate) admin: String,
    pub(crate) person: TestUser,
    /// Id of the service.
    pub(crate) service: String,
}

impl PostureFixture {
    pub(crate) async fn new() -> Self {
        Self::with(HarnessOptions::default()).await
    }

    pub(crate) async fn with(options: HarnessOptions) -> Self {
        let MfaFixture {
            controller,
            admin,
            person,
        } = MfaFixture::with(options).await;
        let mut stage = Self {
            controller,
            admin,
            person,
            service: String::new(),
        };
        let service = json!({"name": "vault", "encryptionRequired": true});
        stage.service = stage.create("/services", service).await;
        add_router(&stage.controller, "gate", false).await;
        for (path, roles) in [
            ("/edge-router-policies", "identityRoles"),
            ("/service-edge-router-policies", "serviceRoles"),
        ] {
            let body = json!({
                "name": "all", "semantic": "AnyOf", "edgeRouterRoles": ["#all"], roles: ["#all"],
            });
            stage.create(path, body).await;
        }
        stage
    }

    /// With a policy that lets the user dial the service if a check passes.
    pub(crate) async fn checked(check: Value) -> (Self, String) {
        let stage = Self::new().await;
        let check = stage.check("check", check).await;
        stage.allow("checked", "Dial", &[&check]).await;
        (stage, check)
    }

    /// Creates an entity as an administrator; returns its id.
    pub(crate) async fn create(&self, path: &str, body: Value) -> String {
        self.administer(Method::POST, path, &body).await.id()
    }

    /// Sends a request as an administrator.
    pub(crate) async fn administer(&self, method: Method, path: &str, body: &Value) -> Reply {
        send(&self.controller, &self.admin, (method, path), body).await
    }

    /// Creates a posture check.
    pub(crate) async fn check(&self, name: &str, mut check: Value) -> String {
        check["name"] = json!(name);
        self.create("/posture-checks", check).await
    }

    /// Lets the user use the service; returns the id of the policy.
    pub(crate) async fn allow(&self, name: &str, grant: &str, checks: &[&str]) -> String {
        let named = |id: &str| json!([format!("@{id}")]);
        let checks: Vec<_> = checks.iter().map(|id| format!("@{id}")).collect();
        let policy = json!({
            "name": name, "type": grant, "semantic": "AnyOf",
            "identityRoles": named(&self.person.id), "serviceRoles": named(&self.service),
            "postureCheckRoles": checks,
        });
        self.create("/service-policies", policy).await
    }

    /// Sends a client API request with a session.
    pub(crate) async fn client(&self, session: &str, (method, path): (Method, &str)) -> Reply {
        let path = format!("/edge/client/v1{path}");
        let request = self.controller.request(method, &path);
        request.session(session).send().await
    }

    /// Posts to the client API.
    pub(crate) async fn post(&self, session: &str, path: &str, body: &Value) -> Reply {
        let path = format!("/edge/client/v1{path}");
        let request = self.controller.request(Method::POST, &path);
        request.session(session).json(body).send().await
    }

    /// Requests a service session.
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

    /// Sends a posture response; returns the services that need a code sooner.
    pub(crate) async fn report(&self, session: &str, report: Value) -> Value {
        let reply = self.post(session, "/posture-response", &report).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.data()["services"].clone()
    }

    /// The service as listed for a session.
    pub(crate) async fn listed_service(&self, session: &str) -> Value {
        let data = self
            .client(session, (Method::GET, "/services"))
            .await
            .data();
        assert_eq!(data.as_array().unwrap().len(), 1, "{data}");
        data[0].clone()
    }

    /// The first policy of the service as listed for a session.
    pub(crate) async fn policy_status(&self, session: &str) -> Value {
        self.listed_service(session).await["postureQueries"][0].clone()
    }
}

/// Adds an edge router directly to the store.
pub(crate) async fn add_router(controller: &Harness, name: &str, disabled: bool) {
    let edge = EdgeRouterSettings {
        role_attributes: RoleAttributes::default(),
        is_tunneler_enabled: false,
        app_data: Tags::default(),
    };
    let spec = RouterSpec {
        kind: RouterKind::Edge(edge),
        disabled,
        ..RouterSpec::edge_router(name)
    };
    let now = controller.app.env().now();
    let router = Router::new(RouterId::from_wire(name), spec, now).unwrap();
    let key = RecordKey::root(ROUTER, controller.engine.allocate(ROUTER));
    modify_store(controller, move |rows| rows.insert(&key, &router).unwrap()).await;
}
