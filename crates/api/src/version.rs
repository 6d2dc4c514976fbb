//! Version information of a controller.

use crate::describe::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Version of a controller, and the APIs that it offers.
///
/// Clients read it first: some fail if `apiVersions` or `capabilities` is missing, so both are always
/// present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// API versions, by API name and version.
    #[serde(default)]
    pub api_versions: BTreeMap<Cow<'static, str>, BTreeMap<Cow<'static, str>, ApiVersion>>,
    /// Build date of the software.
    #[serde(default)]
    pub build_date: String,
    /// Name and version of the software.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_info: Option<String>,
    /// Capabilities of the controller.
    #[serde(default)]
    pub capabilities: Vec<Cow<'static, str>>,
    /// Source revision of the software.
    #[serde(default)]
    pub revision: String,
    /// Runtime that the software was built for.
    #[serde(default)]
    pub runtime_version: String,
    /// API level, for example `v2.1.0`, by which clients choose the features that they use.
    pub version: String,
}

/// One version of an API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiVersion {
    /// Base URLs, one for each listener.
    #[serde(default)]
    pub api_base_urls: Vec<String>,
    /// Path prefix.
    pub path: String,
}

impl Version {
    /// Adds version 1 of the API `name` with the prefix `path`, on listeners with these base URLs, which
    /// have no path.
    ///
    /// The client API is also listed as `edge`, which older clients look for. The URLs of the fabric API
    /// omit its prefix, as clients expect.
    pub fn add_api(&mut self, name: &'static str, path: &str, base_urls: &[String]) {
        let below = if name == "fabric" { "" } else { path };
        let api = ApiVersion {
            api_base_urls: base_urls
                .iter()
                .map(|url| format!("{}{below}", url.trim_end_matches('/')))
                .collect(),
            path: path.to_owned(),
        };
        let versions = BTreeMap::from([(Cow::Borrowed("v1"), api)]);
        if name == "edge-client" {
            self.api_versions
                .insert(Cow::Borrowed("edge"), versions.clone());
        }
        self.api_versions.insert(Cow::Borrowed(name), versions);
    }

    /// Whether clients shall log in by OpenID Connect.
    pub fn offers_oidc(&self) -> bool {
        let is_claimed = |name| {
            self.capabilities
                .iter()
                .any(|capability| capability == name)
        };
        is_claimed("OIDC_AUTH") && self.api_path("edge-oidc").is_some()
    }

    /// The path prefix of version 1 of the API `name`.
    pub fn api_path(&self, name: &str) -> Option<&str> {
        let version = self.api_versions.get(name)?.get("v1")?;
        Some(&version.path)
    }
}

/// Protocols of the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Protocols {
    /// HTTP over TLS.
    pub https: Address,
}

/// Address of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Address {
    /// Host and port.
    pub address: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn client_api_is_listed_twice() {
        let mut version = Version {
            version: "v2.1.0".to_owned(),
            ..Version::default()
        };
        let urls = ["https://ctrl.example.test:1280".to_owned()];
        version.add_api("edge-client", "/edge/client/v1", &urls);
        version.add_api("edge-management", "/edge/management/v1", &urls);
        let client = json!({"v1": {
            "apiBaseUrls": ["https://ctrl.example.test:1280/edge/client/v1"],
            "path": "/edge/client/v1"
        }});
        let written = serde_json::to_value(&version).unwrap();
        assert_eq!(written["apiVersions"]["edge"], client);
        assert_eq!(written["apiVersions"]["edge-client"], client);
        assert_eq!(written["capabilities"], json!([]));
        assert_eq!(
            version.api_path("edge-management"),
            Some("/edge/management/v1")
        );
        assert_eq!(version.api_path("fabric"), None);
        version.add_api("fabric", "/fabric/v1", &urls);
        let fabric = json!({"apiBaseUrls": urls, "path": "/fabric/v1"});
        let written = serde_json::to_value(&version).unwrap();
        assert_eq!(written["apiVersions"]["fabric"]["v1"], fabric);
    }

    #[test]
    fn oidc_is_offered_by_capability_and_api_together() {
        let mut version = Version::default();
        version.capabilities.push("OIDC_AUTH".into());
        assert!(!version.offers_oidc());
        version.add_api("edge-oidc", "/oidc", &[]);
        assert!(version.offers_oidc());
        version.capabilities.clear();
        assert!(!version.offers_oidc());
    }
}
