//! A controller with its control plane, and routers that are enrolled.

use crate::memory::MemoryConnector;
use crate::recorder::Recorder;
use http::Method;
use portcullis_control::{ControlOptions, ControlPlane};
use portcullis_events::EventPublisher;
use portcullis_fabric::FabricOptions;
use portcullis_pki::{Certificate, certificates_from_pem};
use portcullis_simulated_router::{
    Refused, RouterEnrollment, RouterIdentity, RouterOptions, SimulatedRouter,
};
use portcullis_testkit::{AuditTrail, Harness, HarnessOptions, Remains, client_key_and_csr};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a test may want to be otherwise.
#[derive(Clone, Copy)]
pub(crate) struct StageOptions {
    /// The age from which on a channel of a router may be replaced.
    pub(crate) takeover_after: Duration,
    /// Connections of routers.
    pub(crate) max_connections: usize,
    pub(crate) fabric: FabricOptions,
}

impl Default for StageOptions {
    fn default() -> Self {
        Self {
            takeover_after: Duration::from_mins(1),
            max_connections: 1000,
            fabric: FabricOptions::default(),
        }
    }
}

pub(crate) struct Stage {
    pub(crate) controller: Box<Harness>,
    pub(crate) plane: ControlPlane,
    pub(crate) admin: String,
    /// What is told of the network.
    pub(crate) events: Arc<Recorder>,
    stop: CancellationToken,
}

/// A controller that was killed.
#[derive(Clone)]
pub(crate) struct Killed {
    remains: Remains,
    admin: String,
}

impl Killed {
    /// The same, to be started with other random numbers.
    pub(crate) fn with_entropy(mut self, seed: u64) -> Self {
        self.remains = self.remains.with_entropy(seed);
        self
    }
}

impl Stage {
    pub(crate) async fn start() -> Self {
        Self::start_with(StageOptions::default()).await
    }

    pub(crate) async fn start_with(options: StageOptions) -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        Self::begin_with(Box::new(controller), admin, options)
    }

    /// Starts with a store that lets nobody wait, for virtual time.
    pub(crate) async fn start_promptly() -> Self {
        let controller = Harness::start_with(HarnessOptions {
            has_prompt_store: true,
            ..HarnessOptions::default()
        })
        .await;
        let admin = controller.admin().await;
        Self::begin(Box::new(controller), admin)
    }

    /// Starts again what was killed.
    pub(crate) async fn restart(killed: Killed) -> Self {
        let Killed { remains, admin } = killed;
        let controller = Harness::restart(remains).await;
        Self::begin(Box::new(controller), admin)
    }

    /// Stops in order, and starts again on the same store.
    pub(crate) async fn start_again(self) -> Self {
        self.stop.cancel();
        self.plane.wait().await;
        let (controller, options) = (self.controller, StageOptions::default());
        Self::begin_telling(controller, self.admin, options, self.events)
    }

    fn begin(controller: Box<Harness>, admin: String) -> Self {
        Self::begin_with(controller, admin, StageOptions::default())
    }

    fn begin_with(controller: Box<Harness>, admin: String, options: StageOptions) -> Self {
        let events = Arc::new(Recorder::default());
        let publisher = Arc::clone(&events) as Arc<dyn EventPublisher>;
        controller.app.attach_event_publisher(publisher);
        Self::begin_telling(controller, admin, options, events)
    }

    fn begin_telling(
        controller: Box<Harness>,
        admin: String,
        options: StageOptions,
        events: Arc<Recorder>,
    ) -> Self {
        let stop = CancellationToken::new();
        let options = ControlOptions {
            version: RouterOptions::default().hello.version,
            fabric: options.fabric,
            takeover_after: options.takeover_after,
            report_interval: Duration::from_mins(1),
            interval_age: Duration::from_secs(80),
            max_connections: options.max_connections,
        };
        let plane = ControlPlane::start(&controller.app, options, stop.clone());
        Self {
            controller,
            plane,
            admin,
            events,
            stop,
        }
    }

    /// Stops, and waits until nothing is left.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.plane.wait().await;
    }

    /// Ends as if it were killed: routers lose their connections, and what is not in the store is lost.
    pub(crate) async fn kill(self) -> Killed {
        let remains = self.controller.remains();
        let admin = self.admin.clone();
        self.stop().await;
        Killed { remains, admin }
    }

    pub(crate) async fn create(&self, path: &str, body: &Value) -> String {
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

    /// All links, or all circuits.
    pub(crate) async fn fabric_list(&self, kind: &str) -> Value {
        let path = format!("/fabric/v1/{kind}?filter=true%20limit%20none");
        let request = self.controller.request(Method::GET, &path);
        request.session(&self.admin).send().await.data()
    }

    /// Removes a link or a circuit.
    pub(crate) async fn fabric_delete(&self, path: &str) {
        let path = format!("/fabric/v1/{path}");
        let request = self.controller.request(Method::DELETE, &path);
        let reply = request.session(&self.admin).send().await;
        assert!(reply.status.is_success(), "{reply:?}");
    }

    /// An identity with a certificate.
    pub(crate) async fn user(&self) -> Vec<Certificate> {
        let body = json!({"name": "user", "type": "Default", "isAdmin": false, "enrollment": {"ott": true}});
        let id = self.create("identities", &body).await;
        let identity = self.get(&format!("identities/{id}")).await;
        let token = identity["enrollment"]["ott"]["token"].as_str().unwrap();
        let path = format!("/edge/client/v1/enroll?method=ott&token={token}");
        let (_key, csr) = client_key_and_csr();
        let request = self.controller.request(Method::POST, &path);
        let issued = request.json(&json!({"clientCsr": csr})).send().await.data();
        certificates_from_pem(issued["cert"].as_str().unwrap()).unwrap()
    }

    /// Logs in by a certificate, which takes no password's time.
    pub(crate) async fn log_in(&self, chain: &[Certificate]) -> String {
        let path = "/edge/client/v1/authenticate?method=cert";
        let request = self.controller.request(Method::POST, path);
        let session = request.certificates(chain).send().await.data();
        session["token"].as_str().unwrap().to_owned()
    }

    /// Opens a session for dialing a service.
    pub(crate) async fn service_session(&self, token: &str, service: &str) -> String {
        let request = self
            .controller
            .request(Method::POST, "/edge/client/v1/sessions");
        let body = json!({"serviceId": service, "type": "Dial"});
        let session = request.session(token).json(&body).send().await.data();
        session["token"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn log_out(&self, token: &str) {
        let path = "/edge/client/v1/current-api-session";
        let request = self.controller.request(Method::DELETE, path);
        let reply = request.session(token).send().await;
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

/// Operation and entity of new audit events, without those of what routers report of themselves,
/// which is kept some time after they are online.
pub(crate) fn orders(trail: &AuditTrail<'_>) -> Vec<(String, String)> {
    let mut operations = trail.operations();
    operations.retain(|(operation, _)| operation != "router.update");
    operations
}
