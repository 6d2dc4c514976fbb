//! Definitions of posture checks, as they are serialized.

use crate::describe::JsonSchema;
use portcullis_domain::posture_check::{
    Check, CheckType, CheckedProcess, Fingerprint, Fingerprints, MfaCheck, OsCheck, OsType,
    ProcessCheck, VersionRange,
};
use portcullis_domain::roles::Semantic;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Wire value for no timeout.
const NO_TIMEOUT: i64 = -1;

/// Type of a posture check in `typeId`, with its criteria.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "typeId",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
pub enum CheckDefinition {
    /// Operating system of the device.
    Os {
        /// Accepted operating systems.
        operating_systems: Vec<OperatingSystem>,
    },
    /// Windows domain of the device.
    Domain {
        /// Accepted domains.
        domains: Vec<String>,
    },
    /// MAC addresses of the device.
    Mac {
        /// Accepted addresses, plain lower-case hex.
        mac_addresses: Vec<String>,
    },
    /// MFA of the user.
    Mfa(MfaProperties),
    /// A running process.
    Process {
        /// Process to check.
        process: ProcessDefinition,
    },
    /// Several running processes, or any one of them.
    ProcessMulti {
        /// Processes to check.
        processes: Vec<ProcessMultiDefinition>,
        /// Whether all of the processes have to run, or any one of them.
        #[schemars(with = "crate::schema::word::Semantic")]
        semantic: Semantic,
    },
}

/// An operating system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingSystem {
    /// Type of the operating system.
    #[serde(rename = "type")]
    #[schemars(with = "crate::schema::word::OsType")]
    pub kind: OsType,
    /// Accepted versions or version ranges; `null` for any.
    pub versions: Option<Vec<String>>,
}

/// Criteria of an MFA check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaProperties {
    /// Whether the timeout is hidden from clients that do not support it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_legacy_endpoints: bool,
    /// Whether a new code is required after the device was unlocked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompt_on_unlock: bool,
    /// Whether a new code is required after the device woke up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompt_on_wake: bool,
    /// Seconds for which a code is valid; -1 for the lifetime of the session.
    #[serde(default = "no_timeout")]
    pub timeout_seconds: i64,
}

/// Process of a `PROCESS` check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessDefinition {
    /// Accepted hashes of the executable; `null` for any.
    pub hashes: Option<Vec<String>>,
    /// Operating system that the path applies to.
    #[schemars(with = "crate::schema::word::OsType")]
    pub os_type: OsType,
    /// Path of the executable.
    pub path: String,
    /// Fingerprint of the required signer of the executable; absent if not required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer_fingerprint: Option<String>,
}

/// A process of a `PROCESS_MULTI` check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessMultiDefinition {
    /// Accepted hashes of the executable; an empty list for any.
    #[serde(default)]
    pub hashes: Vec<String>,
    /// Operating system that the path applies to.
    #[schemars(with = "crate::schema::word::OsType")]
    pub os_type: OsType,
    /// Path of the executable.
    pub path: String,
    /// Fingerprints of accepted signers of the executable; an empty list for any.
    #[serde(default)]
    pub signer_fingerprints: Vec<String>,
}

impl CheckDefinition {
    pub const fn kind(&self) -> CheckType {
        match self {
            Self::Os { .. } => CheckType::Os,
            Self::Domain { .. } => CheckType::Domain,
            Self::Mac { .. } => CheckType::Mac,
            Self::Mfa(_) => CheckType::Mfa,
            Self::Process { .. } => CheckType::Process,
            Self::ProcessMulti { .. } => CheckType::ProcessMulti,
        }
    }
}

impl OperatingSystem {
    /// An operating system with accepted versions; none for any version.
    pub fn new<'v>(kind: OsType, versions: impl IntoIterator<Item = &'v str>) -> Self {
        let versions: Vec<_> = versions.into_iter().map(str::to_owned).collect();
        Self {
            kind,
            versions: Some(versions).filter(|versions| !versions.is_empty()),
        }
    }

    /// The systems of a check as clients have to send them: `versions` is never `null`.
    pub(super) fn for_request(check: &OsCheck) -> Vec<Self> {
        let mut systems = Self::from_check(check);
        for system in &mut systems {
            system.versions.get_or_insert_default();
        }
        systems
    }

    /// The systems of a check as responses show them.
    pub(super) fn from_check(check: &OsCheck) -> Vec<Self> {
        let systems = check.systems();
        systems
            .map(|(kind, ranges)| Self::new(kind, ranges.iter().map(VersionRange::as_str)))
            .collect()
    }
}

impl CheckDefinition {
    /// The definition as clients have to send it: `versions` of operating systems is never `null`.
    pub(super) fn for_request(check: &Check) -> Self {
        match check {
            Check::Os(os) => Self::Os {
                operating_systems: OperatingSystem::for_request(os),
            },
            other => other.into(),
        }
    }
}

impl From<&Check> for CheckDefinition {
    fn from(check: &Check) -> Self {
        match check {
            Check::Os(os) => Self::Os {
                operating_systems: OperatingSystem::from_check(os),
            },
            Check::Domain(domain) => Self::Domain {
                domains: domain.domains().iter().cloned().collect(),
            },
            Check::Mac(mac) => {
                let addresses = mac.addresses().iter();
                let addresses = addresses.map(|address| address.as_str().to_owned());
                Self::Mac {
                    mac_addresses: addresses.collect(),
                }
            },
            Check::Mfa(mfa) => Self::Mfa(mfa.into()),
            Check::Process(process) => Self::Process {
                process: process.into(),
            },
            Check::ProcessMulti(check) => Self::ProcessMulti {
                processes: check.processes.iter().map(Into::into).collect(),
                semantic: check.semantic,
            },
        }
    }
}

impl From<&MfaCheck> for MfaProperties {
    fn from(check: &MfaCheck) -> Self {
        let timeout = check.timeout_seconds;
        Self {
            ignore_legacy_endpoints: check.ignore_legacy_endpoints,
            prompt_on_unlock: check.prompt_on_unlock,
            prompt_on_wake: check.prompt_on_wake,
            timeout_seconds: seconds(timeout.map(NonZeroU32::get)),
        }
    }
}

impl From<&ProcessCheck> for ProcessDefinition {
    fn from(check: &ProcessCheck) -> Self {
        let signer = check.signer.as_ref().map(Fingerprint::as_str);
        Self {
            hashes: Some(to_strings(&check.hashes)).filter(|hashes| !hashes.is_empty()),
            os_type: check.os_type,
            path: check.path.as_str().to_owned(),
            signer_fingerprint: signer.map(str::to_owned),
        }
    }
}

impl From<&CheckedProcess> for ProcessMultiDefinition {
    fn from(process: &CheckedProcess) -> Self {
        Self {
            hashes: to_strings(&process.hashes),
            os_type: process.os_type,
            path: process.path.as_str().to_owned(),
            signer_fingerprints: to_strings(&process.signers),
        }
    }
}

/// Wire value of a timeout in seconds; `None` for no limit.
pub(crate) fn seconds(seconds: Option<u32>) -> i64 {
    seconds.map_or(NO_TIMEOUT, i64::from)
}

pub(super) fn to_strings(prints: &Fingerprints) -> Vec<String> {
    let texts = prints.iter().map(Fingerprint::as_str);
    texts.map(str::to_owned).collect()
}

const fn no_timeout() -> i64 {
    NO_TIMEOUT
}
