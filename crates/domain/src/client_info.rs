//! What a client says about itself when it logs in.

use serde::{Deserialize, Serialize};

/// The machine and operating system of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvInfo {
    /// Processor architecture.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arch: String,
    /// Windows domain or DNS domain.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub domain: String,
    /// Host name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hostname: String,
    /// Operating system.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub os: String,
    /// Its release.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub os_release: String,
    /// Its version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub os_version: String,
}

/// The SDK and application of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SdkInfo {
    /// Name of the application.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub app_id: String,
    /// Version of the application.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub app_version: String,
    /// Source branch of the SDK.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// Source revision of the SDK.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub revision: String,
    /// Name of the SDK.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Version of the SDK.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
}

impl EnvInfo {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl SdkInfo {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
