//! Login requests.

use crate::decode::{Decode, DecodeError, Members};
use crate::secret;
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use secrecy::SecretString;
use serde::Serialize;
use std::ops::RangeInclusive;

/// Allowed length of a username, in characters.
pub const USERNAME_LENGTH: RangeInclusive<usize> = 4..=100;

/// Allowed length of a password, in characters; policies may set a higher minimum.
pub const PASSWORD_LENGTH: RangeInclusive<usize> = 5..=100;

/// Allowed length of a client property, in characters.
const INFO_LENGTH: RangeInclusive<usize> = 0..=255;

/// Allowed length of a host or domain name (RFC 1035 section 2.3.4).
const HOST_LENGTH: RangeInclusive<usize> = 0..=253;

/// The body of POST `/authenticate`, which may be missing.
///
/// The method, a query parameter, decides which members are required.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Authenticate {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    pub password: Option<SecretString>,
    /// Configuration types that the client wants to see, by id or name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config_types: Vec<String>,
    #[serde(skip_serializing_if = "EnvInfo::is_empty")]
    pub env_info: EnvInfo,
    #[serde(skip_serializing_if = "SdkInfo::is_empty")]
    pub sdk_info: SdkInfo,
}

impl Authenticate {
    /// A login by username and password.
    pub fn password(username: impl Into<String>, password: SecretString) -> Self {
        Self {
            username: Some(username.into()),
            password: Some(password),
            ..Self::default()
        }
    }
}

impl Decode for Authenticate {
    const BODY_NAME: &'static str = "auth";
    const IS_OPTIONAL: bool = true;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("username", "The username."),
        ("password", "The password."),
        (
            "configTypes",
            "Configuration types that the client wants to see with services, by id or name.",
        ),
        ("envInfo", "Device information of the client."),
        ("envInfo.arch", "Processor architecture."),
        ("envInfo.domain", "Windows domain or DNS domain."),
        ("envInfo.hostname", "Host name."),
        ("envInfo.os", "Operating system."),
        ("envInfo.osRelease", "Release of the operating system."),
        ("envInfo.osVersion", "Version of the operating system."),
        ("sdkInfo", "SDK information of the client."),
        ("sdkInfo.appId", "Name of the application."),
        ("sdkInfo.appVersion", "Version of the application."),
        ("sdkInfo.branch", "Source branch of the SDK."),
        ("sdkInfo.revision", "Source revision of the SDK."),
        ("sdkInfo.type", "Name of the SDK."),
        ("sdkInfo.version", "Version of the SDK."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            username: members.bounded_string("username", USERNAME_LENGTH)?,
            password: members.bounded_secret("password", PASSWORD_LENGTH)?,
            config_types: members.string_list("configTypes")?.unwrap_or_default(),
            env_info: env_info(members)?,
            sdk_info: sdk_info(members)?,
        })
    }
}

fn env_info(members: &mut Members) -> Result<EnvInfo, DecodeError> {
    let Some(mut members) = members.object("envInfo")? else {
        return Ok(EnvInfo::default());
    };
    let mut text = |name, length| -> Result<String, DecodeError> {
        Ok(members.bounded_string(name, length)?.unwrap_or_default())
    };
    Ok(EnvInfo {
        arch: text("arch", INFO_LENGTH)?,
        domain: text("domain", HOST_LENGTH)?,
        hostname: text("hostname", HOST_LENGTH)?,
        os: text("os", INFO_LENGTH)?,
        os_release: text("osRelease", INFO_LENGTH)?,
        os_version: text("osVersion", INFO_LENGTH)?,
    })
}

fn sdk_info(members: &mut Members) -> Result<SdkInfo, DecodeError> {
    let Some(mut members) = members.object("sdkInfo")? else {
        return Ok(SdkInfo::default());
    };
    let mut text = |name| -> Result<String, DecodeError> {
        Ok(members
            .bounded_string(name, INFO_LENGTH)?
            .unwrap_or_default())
    };
    Ok(SdkInfo {
        app_id: text("appId")?,
        app_version: text("appVersion")?,
        branch: text("branch")?,
        revision: text("revision")?,
        kind: text("type")?,
        version: text("version")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;
    use serde_json::{Value, json};

    fn read(body: &Value) -> Result<Authenticate, DecodeError> {
        Authenticate::from_body(body.to_string().as_bytes())
    }

    #[test]
    fn body_and_members_may_be_missing() {
        let bodies = [
            Authenticate::from_body(b""),
            read(&json!({})),
            read(&json!(null)),
            read(&json!({"username": null, "password": "", "envInfo": null, "sdkInfo": {}})),
        ];
        for body in bodies {
            let body = body.unwrap();
            assert!(body.username.is_none() && body.password.is_none());
            assert!(body.env_info.is_empty() && body.sdk_info.is_empty());
        }
    }

    #[test]
    fn clients_may_say_more_than_is_known() {
        let body = read(&json!({
            "username": "anne", "password": "opensesame", "configTypes": ["all"], "more": [1],
            "envInfo": {"os": "linux", "deviceId": "d"}, "sdkInfo": {"appID": "a", "type": "t"}
        }))
        .unwrap();
        assert_eq!(body.username.as_deref(), Some("anne"));
        assert_eq!(body.config_types, ["all"]);
        assert_eq!(body.env_info.os, "linux");
        assert_eq!(
            (body.sdk_info.app_id.as_str(), body.sdk_info.kind.as_str()),
            ("a", "t")
        );
        assert!(!format!("{body:?}").contains("opensesame"));
    }

    #[test]
    fn lengths_are_bounded() {
        let text = |length| "x".repeat(length);
        for (body, field) in [
            (json!({"username": "abc"}), "username"),
            (json!({"username": text(101)}), "username"),
            (json!({"password": "abcd"}), "password"),
            (json!({"password": text(101)}), "password"),
            (json!({"envInfo": {"arch": text(256)}}), "envInfo.arch"),
            (json!({"envInfo": {"os": text(256)}}), "envInfo.os"),
            (
                json!({"envInfo": {"osRelease": text(256)}}),
                "envInfo.osRelease",
            ),
            (
                json!({"envInfo": {"osVersion": text(256)}}),
                "envInfo.osVersion",
            ),
            (json!({"envInfo": {"domain": text(254)}}), "envInfo.domain"),
            (
                json!({"envInfo": {"hostname": text(254)}}),
                "envInfo.hostname",
            ),
            (json!({"sdkInfo": {"appId": text(256)}}), "sdkInfo.appId"),
            (
                json!({"sdkInfo": {"appVersion": text(256)}}),
                "sdkInfo.appVersion",
            ),
            (json!({"sdkInfo": {"branch": text(256)}}), "sdkInfo.branch"),
            (
                json!({"sdkInfo": {"revision": text(256)}}),
                "sdkInfo.revision",
            ),
            (json!({"sdkInfo": {"type": text(256)}}), "sdkInfo.type"),
            (
                json!({"sdkInfo": {"version": text(256)}}),
                "sdkInfo.version",
            ),
        ] {
            match read(&body).unwrap_err() {
                DecodeError::Field(error) => assert_eq!(error.field, field),
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        let longest = json!({"username": text(100), "password": text(100),
            "envInfo": {"hostname": text(253), "os": text(255)}});
        assert!(read(&longest).is_ok());
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = Authenticate::password("anne", "opensesame".into());
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(bytes, br#"{"username":"anne","password":"opensesame"}"#);
        let read = Authenticate::from_body(&bytes).unwrap();
        assert_eq!(read.password.unwrap().expose_secret(), "opensesame");
    }
}
