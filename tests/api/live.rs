//! The network at the moment, as the APIs show it: routers, links and circuits.

mod circuits;
mod inspections;
mod links;
mod metrics;
mod metrics_page;
mod routers;

use crate::routers::edge_routers::{add_edge, add_transit};
use http::Method;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::view::{LinkListener, RouterConnection, RouterVersion, SyncStatus};
use portcullis_testkit::{FakeNetwork, Harness, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

/// A controller with the network that a test makes up.
struct Live {
    controller: Harness,
    network: Arc<FakeNetwork>,
    admin: String,
}

impl Live {
    async fn start() -> Self {
        let controller = Harness::start().await;
        let network = Arc::new(FakeNetwork::default());
        controller.app.attach_live_network(network.clone());
        let admin = controller.admin().await;
        Self {
            controller,
            network,
            admin,
        }
    }

    /// Creates an edge router; answers its id.
    async fn edge_router(&self, name: &str) -> String {
        add_edge(&self.controller, &self.admin, name, json!({})).await
    }

    /// Creates a transit router; answers its id.
    async fn transit_router(&self, name: &str) -> String {
        add_transit(&self.controller, &self.admin, name, json!({})).await
    }

    async fn service(&self, name: &str) -> String {
        let body = json!({"name": name, "encryptionRequired": false});
        self.manage(Method::POST, "/services", body).await.id()
    }

    async fn manage(&self, method: Method, path: &str, body: Value) -> Reply {
        let request = self.controller.manage(method, path, &self.admin);
        request.json(&body).send().await
    }

    async fn read(&self, path: &str) -> Value {
        let request = self.controller.manage(Method::GET, path, &self.admin);
        request.send().await.data()
    }

    /// Asks the fabric API as the administrator.
    async fn fabric(&self, method: Method, path: &str, body: Value) -> Reply {
        self.fabric_as(&self.admin, method, path, body).await
    }

    async fn fabric_as(&self, token: &str, method: Method, path: &str, body: Value) -> Reply {
        let path = format!("/fabric/v1{path}");
        let request = self.controller.request(method, &path).session(token);
        if body.is_null() {
            request.send().await
        } else {
            request.json(&body).send().await
        }
    }

    async fn look(&self, path: &str) -> Reply {
        self.fabric(Method::GET, path, Value::Null).await
    }

    /// The ids of a list of the fabric API, in its order.
    async fn ids(&self, path: &str) -> Vec<String> {
        ids(&self.look(path).await.data())
    }
}

fn ids(list: &Value) -> Vec<String> {
    let items = list.as_array().unwrap().iter();
    items
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect()
}

/// A router that is connected.
fn connection(since: Timestamp) -> RouterConnection {
    RouterConnection {
        connected_since: Some(since),
        hostname: "edge.example".to_owned(),
        supported_protocols: [("tls".to_owned(), "tls://edge.example:443".to_owned())].into(),
        sync_status: SyncStatus::Done,
        version: RouterVersion {
            arch: "arm64".to_owned(),
            os: "linux".to_owned(),
            version: "v2.1.0".to_owned(),
            ..RouterVersion::default()
        },
        link_listeners: vec![LinkListener {
            address: "tls:edge.example:6262".to_owned(),
            protocol: "tls".to_owned(),
            groups: vec!["default".to_owned()],
        }],
        channels: [("ctrl.default".to_owned(), 1), ("ctrl.high".to_owned(), 1)].into(),
        ..RouterConnection::default()
    }
}
