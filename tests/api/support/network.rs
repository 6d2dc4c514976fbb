//! A controller with services, policies and whoever uses them.

use crate::support::{merge, send};
use http::Method;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};

/// A controller and the session of its administrator.
pub(crate) struct Network {
    pub(crate) controller: Harness,
    pub(crate) admin: String,
}

impl Network {
    pub(crate) async fn new() -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        Self { controller, admin }
    }

    /// Sends a request to the management API.
    pub(crate) async fn send(&self, method: Method, path: &str, body: &Value) -> Reply {
        send(&self.controller, &self.admin, (method, path), body).await
    }

    /// Makes an entity of a collection.
    pub(crate) async fn make(&self, collection: &str, body: Value) -> String {
        self.send(Method::POST, collection, &body).await.id()
    }

    /// What an entity of a collection is refused for: code and field, or its message.
    pub(crate) async fn refusal(
        &self,
        method: Method,
        path: &str,
        body: Value,
    ) -> (u16, String, String) {
        let reply = self.send(method, path, &body).await;
        let (status, code) = reply.error();
        let cause = reply.json()["error"]["cause"].clone();
        let about = cause["field"].as_str().or(cause["message"].as_str());
        (status, code, about.unwrap_or_default().to_owned())
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) {
        self.send(Method::PATCH, path, &body).await.data();
    }

    pub(crate) async fn delete(&self, path: &str) {
        self.send(Method::DELETE, path, &json!({})).await.data();
    }

    /// Reads something of the management API.
    pub(crate) async fn read(&self, path: &str) -> Value {
        self.get(path).await.data()
    }

    /// Asks the management API.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        let request = self.controller.manage(Method::GET, path, &self.admin);
        request.send().await
    }

    /// Asks the client API with a session.
    pub(crate) async fn ask(&self, session: &str, path: &str) -> Reply {
        let path = format!("/edge/client/v1{path}");
        let request = self.controller.request(Method::GET, &path);
        request.session(session).send().await
    }

    /// The names of a list of the management API, in its order.
    pub(crate) async fn names(&self, path: &str) -> Vec<String> {
        names(&self.read(path).await)
    }

    /// The names of the services that a session sees, sorted.
    pub(crate) async fn services_of(&self, session: &str) -> Vec<String> {
        let reply = self.ask(session, "/services?limit=500").await;
        let mut names = names(&reply.data());
        names.sort();
        names
    }

    /// Makes a service with role attributes.
    pub(crate) async fn service(&self, name: &str, attributes: &[&str]) -> String {
        let body = json!({"name": name, "encryptionRequired": true, "roleAttributes": attributes});
        self.make("/services", body).await
    }

    /// Makes a policy that lets identities do something with services.
    pub(crate) async fn grant(&self, name: &str, kind: &str, roles: (&[&str], &[&str])) -> String {
        let body = json!({
            "name": name, "type": kind, "semantic": "AnyOf",
            "identityRoles": roles.0, "serviceRoles": roles.1,
        });
        self.make("/service-policies", body).await
    }

    /// Makes a configuration of the type `host.v1`, with the fields laid over an ordinary one.
    pub(crate) async fn host_config(&self, name: &str, more: Value) -> String {
        let mut data = json!({"protocol": "tcp", "address": "db", "port": 5432});
        merge(&mut data, more);
        let body = json!({"name": name, "configTypeId": "NH5p4FpGR", "data": data});
        self.make("/configs", body).await
    }
}

/// The names in a list.
pub(crate) fn names(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .map(|one| one["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}
