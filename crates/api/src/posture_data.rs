//! Wire types of posture data reported by the sessions of an identity.

use crate::describe::JsonSchema;
use crate::time::WireTime;
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::ids::{ApiSessionId, PostureCheckId};
use portcullis_domain::posture::{OsInfo, ProcessInfo, Reported};
use portcullis_domain::view::{PostureView, SessionPosture};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Latest posture data that the sessions of an identity reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureData {
    /// Data of single API sessions, by session id.
    #[schemars(with = "BTreeMap<String, SessionData>")]
    pub api_session_posture_data: BTreeMap<ApiSessionId, SessionData>,
    /// The Windows domain.
    pub domain: DomainData,
    /// The MAC addresses.
    pub mac: MacData,
    /// The operating system.
    pub os: OsData,
    /// The processes.
    pub processes: Vec<ProcessData>,
}

/// Members common to all reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportData {
    /// When it was reported; `null` if it was not.
    pub last_updated_at: Option<WireTime>,
    /// Id of the posture check that the client reported it for; empty if not given.
    #[schemars(with = "String")]
    pub posture_check_id: PostureCheckId,
    /// Always false: reports do not time out.
    #[serde(default)]
    pub timed_out: bool,
}

/// A Windows domain that was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomainData {
    /// Members common to all reports.
    #[serde(flatten)]
    pub report: ReportData,
    /// The domain.
    pub domain: Option<String>,
}

/// MAC addresses that were reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MacData {
    /// Members common to all reports.
    #[serde(flatten)]
    pub report: ReportData,
    /// MAC addresses, plain lower-case hex.
    pub addresses: Option<Vec<String>>,
}

/// An operating system that was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OsData {
    /// Members common to all reports.
    #[serde(flatten)]
    pub report: ReportData,
    /// Its build; `null` if the client gave none.
    pub build: Option<String>,
    /// Type, as the client reported it.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

/// A process that was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessData {
    /// Members common to all reports.
    #[serde(flatten)]
    pub report: ReportData,
    /// Hash of the executable, plain lower-case hex; absent if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub binary_hash: String,
    /// Whether it runs; absent if it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_running: bool,
    /// Fingerprints of its signers, plain lower-case hex; `null` if there are none.
    pub signer_fingerprints: Option<Vec<String>>,
}

/// Posture of the device and the user of one API session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionData {
    /// Wake and unlock times of the device.
    #[serde(default)]
    pub endpoint_state: EndpointState,
    /// MFA state of the session.
    pub mfa: MfaData,
    /// SDK information that the client reported.
    #[serde(default)]
    #[schemars(with = "crate::schema::SdkInfo")]
    pub sdk_info: SdkInfo,
}

/// Wake and unlock times of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointState {
    /// When it was last unlocked.
    pub unlocked_at: Option<WireTime>,
    /// When it last woke up.
    pub woken_at: Option<WireTime>,
}

/// MFA state of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaData {
    /// The session.
    #[schemars(with = "String")]
    pub api_session_id: ApiSessionId,
    /// When a code was last accepted.
    pub passed_at: Option<WireTime>,
    /// Whether a code was accepted.
    pub passed_mfa: bool,
    /// Always `null`: whether unlocking the device matters depends on the check.
    pub passed_on_unlock: Option<bool>,
    /// Always `null`: whether waking up the device matters depends on the check.
    pub passed_on_wake: Option<bool>,
}

impl From<PostureView> for PostureData {
    fn from(view: PostureView) -> Self {
        let sessions = view.sessions.into_iter();
        Self {
            api_session_posture_data: sessions
                .map(|session| (session.session.clone(), session.into()))
                .collect(),
            domain: DomainData {
                report: ReportData::from_reported(view.domain.as_ref()),
                domain: view.domain.map(|domain| domain.value.as_str().to_owned()),
            },
            mac: MacData {
                report: ReportData::from_reported(view.addresses.as_ref()),
                addresses: view.addresses.map(|addresses| addresses.value.to_vec()),
            },
            os: view.os.into(),
            processes: view.processes.into_iter().map(Into::into).collect(),
        }
    }
}

impl ReportData {
    fn from_reported<T>(reported: Option<&Reported<T>>) -> Self {
        let check = reported.map(|reported| reported.check.clone());
        Self {
            last_updated_at: reported.map(|reported| reported.at.into()),
            posture_check_id: check.unwrap_or_else(|| PostureCheckId::from_wire("")),
            timed_out: false,
        }
    }
}

impl From<Option<Reported<OsInfo>>> for OsData {
    fn from(reported: Option<Reported<OsInfo>>) -> Self {
        let report = ReportData::from_reported(reported.as_ref());
        let os = reported.map(|reported| reported.value);
        let os = os.as_deref();
        Self {
            report,
            build: os
                .map(|os| os.build.clone())
                .filter(|build| !build.is_empty()),
            kind: os.map(|os| os.kind.clone()),
            version: os.map(|os| os.version.clone()),
        }
    }
}

impl From<Reported<ProcessInfo>> for ProcessData {
    fn from(reported: Reported<ProcessInfo>) -> Self {
        let process = &reported.value;
        Self {
            report: ReportData::from_reported(Some(&reported)),
            binary_hash: process.hash.clone(),
            is_running: process.is_running,
            signer_fingerprints: signers(process),
        }
    }
}

impl From<SessionPosture> for SessionData {
    fn from(session: SessionPosture) -> Self {
        Self {
            endpoint_state: EndpointState {
                unlocked_at: session.unlocked_at.map(Into::into),
                woken_at: session.woken_at.map(Into::into),
            },
            mfa: MfaData {
                api_session_id: session.session,
                passed_at: session.totp_passed_at.map(Into::into),
                passed_mfa: session.totp_passed_at.is_some(),
                passed_on_unlock: None,
                passed_on_wake: None,
            },
            sdk_info: session.sdk,
        }
    }
}

/// The signers of a process in a response; `None` if there are none.
pub(crate) fn signers(process: &ProcessInfo) -> Option<Vec<String>> {
    let signers: Vec<_> = process.signers.iter().cloned().collect();
    Some(signers).filter(|signers| !signers.is_empty())
}

#[cfg(test)]
mod tests;
