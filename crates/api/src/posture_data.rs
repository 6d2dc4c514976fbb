//! What the sessions of an identity reported, on the wire.

use crate::entity::is_false;
use crate::schema;
use crate::time::WireTime;
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::ids::{ApiSessionId, PostureCheckId};
use portcullis_domain::posture::{Os, Process, Reported};
use portcullis_domain::view::{PostureView, SessionPosture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the sessions of an identity reported, the newest of everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureData {
    /// What belongs to single sessions, by their ids.
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

/// The members that every report has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportData {
    /// When it was reported; `null` if it was not.
    pub last_updated_at: Option<WireTime>,
    /// For which check the client said to report it; empty if it did not.
    #[schemars(with = "String")]
    pub posture_check_id: PostureCheckId,
    /// Always false: reports do not time out.
    #[serde(default)]
    pub timed_out: bool,
}

/// A Windows domain that was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DomainData {
    /// The members that every report has.
    #[serde(flatten)]
    pub report: ReportData,
    /// The domain.
    pub domain: Option<String>,
}

/// MAC addresses that were reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MacData {
    /// The members that every report has.
    #[serde(flatten)]
    pub report: ReportData,
    /// The addresses, bare lower-case hex.
    pub addresses: Option<Vec<String>>,
}

/// An operating system that was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OsData {
    /// The members that every report has.
    #[serde(flatten)]
    pub report: ReportData,
    /// Its build; `null` if the client gave none.
    pub build: Option<String>,
    /// Its type, in the words of the client.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

/// A process that was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessData {
    /// The members that every report has.
    #[serde(flatten)]
    pub report: ReportData,
    /// The hash of its binary, bare lower-case hex; left out if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub binary_hash: String,
    /// Whether it runs; left out if it does not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_running: bool,
    /// The fingerprints of its signers, bare lower-case hex; `null` for none.
    pub signer_fingerprints: Option<Vec<String>>,
}

/// What is known of the machine and the user behind one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionData {
    /// What happened to the machine.
    #[serde(default)]
    pub endpoint_state: EndpointState,
    /// How the session stands with TOTP.
    pub mfa: MfaData,
    /// What its SDK says of itself.
    #[serde(default)]
    #[schemars(with = "schema::SdkInfo")]
    pub sdk_info: SdkInfo,
}

/// What happened to a machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointState {
    /// When it was last unlocked.
    pub unlocked_at: Option<WireTime>,
    /// When it last woke up.
    pub woken_at: Option<WireTime>,
}

/// How a session stands with TOTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaData {
    /// The session.
    #[schemars(with = "String")]
    pub api_session_id: ApiSessionId,
    /// When a code was last accepted.
    pub passed_at: Option<WireTime>,
    /// Whether one was.
    pub passed_mfa: bool,
    /// Always `null`: only checks say whether unlocking the machine counts.
    pub passed_on_unlock: Option<bool>,
    /// Always `null`: only checks say whether waking up counts.
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
                report: ReportData::of(view.domain.as_ref()),
                domain: view.domain.map(|domain| domain.value.as_str().to_owned()),
            },
            mac: MacData {
                report: ReportData::of(view.addresses.as_ref()),
                addresses: view.addresses.map(|addresses| addresses.value.to_vec()),
            },
            os: view.os.into(),
            processes: view.processes.into_iter().map(Into::into).collect(),
        }
    }
}

impl ReportData {
    fn of<T>(reported: Option<&Reported<T>>) -> Self {
        let check = reported.map(|reported| reported.check.clone());
        Self {
            last_updated_at: reported.map(|reported| reported.at.into()),
            posture_check_id: check.unwrap_or_else(|| PostureCheckId::from_wire("")),
            timed_out: false,
        }
    }
}

impl From<Option<Reported<Os>>> for OsData {
    fn from(reported: Option<Reported<Os>>) -> Self {
        let report = ReportData::of(reported.as_ref());
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

impl From<Reported<Process>> for ProcessData {
    fn from(reported: Reported<Process>) -> Self {
        let process = &reported.value;
        Self {
            report: ReportData::of(Some(&reported)),
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

/// The signers of a process as they are shown: `null` for none.
pub(crate) fn signers(process: &Process) -> Option<Vec<String>> {
    let signers: Vec<_> = process.signers.iter().cloned().collect();
    Some(signers).filter(|signers| !signers.is_empty())
}

#[cfg(test)]
mod tests;
