//! Wire types of controllers.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::time::WireTime;
use portcullis_domain::ids::ControllerId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// APIs that are listed for clients.
const CLIENT_APIS: [&str; 2] = ["edge-client", "edge-oidc"];

/// A controller of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ControllerDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ControllerId>,
    /// Addresses of its APIs, by API name.
    #[serde(default)]
    pub api_addresses: BTreeMap<Cow<'static, str>, Vec<ApiAddress>>,
    /// Its certificate, PEM.
    #[serde(default)]
    pub cert_pem: String,
    /// Control channel address for routers, for example `tls:ctrl.example.test:6262`.
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

/// Address of an API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiAddress {
    /// The URL with the prefix of the API.
    pub url: String,
    /// Version of the API, for example `v1`.
    pub version: String,
}

impl ControllerDetail {
    /// The controller as shown to clients: without the control address and the management APIs.
    #[must_use]
    pub fn for_clients(mut self) -> Self {
        self.ctrl_address = None;
        self.api_addresses
            .retain(|api, _| CLIENT_APIS.contains(&api.as_ref()));
        self
    }
}
