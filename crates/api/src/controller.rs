//! Controllers of the network on the wire.

use crate::entity::Base;
use crate::time::WireTime;
use portcullis_domain::ids::ControllerId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The APIs that clients hear of when they enroll or use the client API.
const FOR_CLIENTS: [&str; 2] = ["edge-client", "edge-oidc"];

/// A controller of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControllerDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ControllerId>,
    /// Where its APIs are found, by the name of the API.
    #[serde(default)]
    pub api_addresses: BTreeMap<Cow<'static, str>, Vec<ApiAddress>>,
    /// Its certificate, PEM.
    #[serde(default)]
    pub cert_pem: String,
    /// Where routers reach it, for example `tls:ctrl.example.test:6262`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ctrl_address: Option<String>,
    /// Lower-case hex SHA-1 of its certificate.
    #[serde(default)]
    pub fingerprint: String,
    /// Whether it is reachable.
    #[serde(default)]
    pub is_online: bool,
    /// When it last joined the network.
    pub last_joined_at: WireTime,
    /// Its name.
    pub name: String,
}

/// Where an API is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiAddress {
    /// The URL with the prefix of the API.
    pub url: String,
    /// Version of the API, for example `v1`.
    pub version: String,
}

impl ControllerDetail {
    /// The controller as clients see it: without the address for routers and without the APIs for
    /// administrators.
    #[must_use]
    pub fn for_clients(mut self) -> Self {
        self.ctrl_address = None;
        self.api_addresses
            .retain(|api, _| FOR_CLIENTS.contains(&api.as_ref()));
        self
    }
}
