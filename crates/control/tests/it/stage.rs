//! A controller with its control plane, and routers that are enrolled.

use crate::router::{Enrolled, Router};
use http::Method;
use portcullis_channel::BuildVersion;
use portcullis_control::{ControlOptions, ControlPlane};
use portcullis_fabric::FabricOptions;
use portcullis_pki::{
    KeyType, ServerNames, SigningKey, Subject, certificates_from_pem, create_csr_with_names,
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
            version: version(),
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
    pub(crate) async fn enroll(&self, name: &str) -> Enrolled {
        let body = json!({"name": name, "isTunnelerEnabled": true});
        let id = self.create("edge-routers", &body).await;
        let router = self.get(&format!("edge-routers/{id}")).await;
        let token = router["enrollmentToken"].as_str().unwrap();
        let path = format!("/edge/client/v1/enroll?method=erott&token={token}");
        let request = self.controller.request(Method::POST, &path);
        let csrs = json!({"certCsr": csr(&id), "serverCertCsr": csr(&id)});
        let issued = request.json(&csrs).send().await.data();
        let chain = certificates_from_pem(issued["cert"].as_str().unwrap()).unwrap();
        Enrolled {
            chain: chain.iter().map(|each| each.as_der().to_vec()).collect(),
            id,
        }
    }

    /// A router that is enrolled and connected.
    pub(crate) async fn connect(&self, name: &str) -> Router {
        let enrolled = self.enroll(name).await;
        Router::connect(self, enrolled).await.unwrap()
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

pub(crate) fn version() -> BuildVersion {
    "v2.1.0|0000000|2026-01-01T00:00:00Z|linux|amd64"
        .parse()
        .unwrap()
}

fn csr(name: &str) -> String {
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let names = ServerNames::parse(["localhost"]).unwrap();
    create_csr_with_names(&key, &Subject::new().common_name(name), &names).unwrap()
}
