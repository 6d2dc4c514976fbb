//! What a controller is and which APIs it offers where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a controller is and which APIs it offers where.
///
/// The first thing that clients read: some end themselves when `apiVersions` or `capabilities` is
/// missing, so both are always there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// The APIs by their names, each by its versions.
    #[serde(default)]
    pub api_versions: BTreeMap<Cow<'static, str>, BTreeMap<Cow<'static, str>, ApiVersion>>,
    /// When the program was built.
    #[serde(default)]
    pub build_date: String,
    /// Name and version of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_info: Option<String>,
    /// What the controller is capable of.
    #[serde(default)]
    pub capabilities: Vec<Cow<'static, str>>,
    /// Revision of the program.
    #[serde(default)]
    pub revision: String,
    /// What the program runs on.
    #[serde(default)]
    pub runtime_version: String,
    /// Level of the API, for example `v2.1.0`; clients decide by it what they may use.
    pub version: String,
}

/// One version of an API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiVersion {
    /// Where it is found, one URL for each listener.
    #[serde(default)]
    pub api_base_urls: Vec<String>,
    /// Its prefix.
    pub path: String,
}

impl Version {
    /// Adds version 1 of the API `name` under the prefix `path`, offered by the listeners whose
    /// base URLs are given without a path.
    ///
    /// The client API is listed a second time as `edge`, which older clients look for. The URLs of the
    /// fabric are without its prefix, as clients know them.
    pub fn offer(&mut self, name: &'static str, path: &str, base_urls: &[String]) {
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

    /// The prefix of version 1 of the API `name`.
    pub fn path_of(&self, name: &str) -> Option<&str> {
        let version = self.api_versions.get(name)?.get("v1")?;
        Some(&version.path)
    }
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
        version.offer("edge-client", "/edge/client/v1", &urls);
        version.offer("edge-management", "/edge/management/v1", &urls);
        let client = json!({"v1": {
            "apiBaseUrls": ["https://ctrl.example.test:1280/edge/client/v1"],
            "path": "/edge/client/v1"
        }});
        let written = serde_json::to_value(&version).unwrap();
        assert_eq!(written["apiVersions"]["edge"], client);
        assert_eq!(written["apiVersions"]["edge-client"], client);
        assert_eq!(written["capabilities"], json!([]));
        assert_eq!(
            version.path_of("edge-management"),
            Some("/edge/management/v1")
        );
        assert_eq!(version.path_of("fabric"), None);
        version.offer("fabric", "/fabric/v1", &urls);
        let fabric = json!({"apiBaseUrls": urls, "path": "/fabric/v1"});
        let written = serde_json::to_value(&version).unwrap();
        assert_eq!(written["apiVersions"]["fabric"]["v1"], fabric);
    }
}
