//! Client information reported at login.

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
    #[serde(skip_serializing_if = "String::is_empty")]
    pub os: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub os_release: String,
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
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl SdkInfo {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
