//! A controller with its control plane, and routers that are enrolled.

use crate::memory::MemoryConnector;
use http::Method;
use portcullis_control::{ControlOptions, ControlPlane};
use portcullis_fabric::FabricOptions;
use portcullis_simulated_router::{
    Refused, RouterEnrollment, RouterIdentity, RouterOptions, SimulatedRouter,
};
use portcullis_testkit::Harness;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(crate) struct Stage {
    pub(crate) controller: Harness,
    pub(crate) plane: ControlPlane,
    pub(crate) admin: String,
    stop: CancellationToken,
}

impl Stage {
    pub(crate) async fn start() -> Self {
        let controller = Harness::start().await;
        let stop = CancellationToken::new();
        let options = ControlOptions {
            version: RouterOptions::default().hello.version,
            fabric: FabricOptions::default(),
        };
        let plane = ControlPlane::start(&controller.app, options, stop.clone());
        let admin = controller.admin().await;
        Self {
            controller,
            plane,
            admin,
            stop,
        }
    }

    /// Stops, and waits until nothing is left.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.plane.wait().await;
    }

    async fn create(&self, path: &str, body: &Value) -> String {
        let path = format!("/{path}");
        let request = self.controller.manage(Method::POST, &path, &self.admin);
        let reply = request.json(body).send().await;
        reply.data()["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let path = format!("/{path}");
        let request = self.controller.manage(Method::GET, &path, &self.admin);
        request.send().await.data()
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) {
        let path = format!("/{path}");
        let request = self.controller.manage(Method::PATCH, &path, &self.admin);
        let reply = request.json(body).send().await;
        assert!(reply.status.is_success(), "{reply:?}");
    }

    pub(crate) async fn delete(&self, path: &str) {
        let path = format!("/{path}");
        let request = self.controller.manage(Method::DELETE, &path, &self.admin);
        let reply = request.send().await;
        assert!(reply.status.is_success(), "{reply:?}");
    }

    /// Creates an edge router and enrolls it.
    pub(crate) async fn enroll(&self, name: &str) -> RouterIdentity {
        let body = json!({"name": name, "isTunnelerEnabled": true});
        let id = self.create("edge-routers", &body).await;
        let router = self.get(&format!("edge-routers/{id}")).await;
        let token = router["enrollmentToken"].as_str().unwrap();
        let request = self
            .controller
            .request(Method::POST, &RouterEnrollment::path(token));
        let enrollment = RouterEnrollment::new(&id);
        let reply = request.json(&enrollment.request()).send().await;
        enrollment.finish(&reply.data())
    }

    /// Connects a router.
    pub(crate) async fn dial(&self, identity: &RouterIdentity) -> Result<SimulatedRouter, Refused> {
        let connector = MemoryConnector::new(&self.plane, identity);
        SimulatedRouter::connect(connector, &identity.id, RouterOptions::default()).await
    }

    /// A router that is enrolled and connected.
    pub(crate) async fn connect(&self, name: &str) -> SimulatedRouter {
        let identity = self.enroll(name).await;
        self.dial(&identity).await.unwrap()
    }

    /// A service of which all routers may dial and host anything.
    pub(crate) async fn service(&self, name: &str) -> String {
        let body = json!({"name": name, "encryptionRequired": false, "roleAttributes": ["all"]});
        let id = self.create("services", &body).await;
        for kind in ["Dial", "Bind"] {
            let body = json!({
                "name": format!("{name} {kind}"),
                "type": kind,
                "semantic": "AnyOf",
                "identityRoles": ["#all"],
                "serviceRoles": [format!("@{id}")],
            });
            self.create("service-policies", &body).await;
        }
        id
    }

    /// All identities and services may use all routers.
    pub(crate) async fn open_routers(&self) {
        let roles = json!(["#all"]);
        let body = json!({
            "name": "all", "semantic": "AnyOf", "edgeRouterRoles": roles, "identityRoles": roles,
        });
        self.create("edge-router-policies", &body).await;
        let body = json!({
            "name": "all", "semantic": "AnyOf", "edgeRouterRoles": roles, "serviceRoles": roles,
        });
        self.create("service-edge-router-policies", &body).await;
    }
}
