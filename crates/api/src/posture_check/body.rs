//! What posture checks ask, as it is written.

use crate::entity::is_false;
use crate::schema;
use portcullis_domain::posture_check::{
    Check, CheckKind, CheckedProcess, Fingerprint, Fingerprints, MfaCheck, OsCheck, OsType,
    ProcessCheck, VersionRange,
};
use portcullis_domain::roles::Semantic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// What stands for a timeout where there is none.
const NO_TIMEOUT: i64 = -1;

/// The type of a posture check under `typeId`, and what it asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "typeId",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
pub enum CheckBody {
    /// Which operating system runs.
    Os {
        /// The systems that will do.
        operating_systems: Vec<OperatingSystem>,
    },
    /// Which Windows domain the machine belongs to.
    Domain {
        /// The domains that will do.
        domains: Vec<String>,
    },
    /// Which MAC addresses the machine has.
    Mac {
        /// The addresses that will do, bare lower-case hex.
        mac_addresses: Vec<String>,
    },
    /// Whether the user showed a TOTP code.
    Mfa(MfaBody),
    /// Whether a process runs.
    Process {
        /// The process.
        process: ProcessBody,
    },
    /// Whether several processes run, or one of them.
    ProcessMulti {
        /// The processes.
        processes: Vec<ProcessMultiBody>,
        /// How many of them have to run.
        #[schemars(with = "schema::word::Semantic")]
        semantic: Semantic,
    },
}

/// An operating system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingSystem {
    /// Which one.
    #[serde(rename = "type")]
    #[schemars(with = "schema::word::OsType")]
    pub kind: OsType,
    /// Versions, or ranges of them; `null` for any.
    pub versions: Option<Vec<String>>,
}

/// What is asked about TOTP codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaBody {
    /// Whether clients that know nothing of timeouts are told of none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignore_legacy_endpoints: bool,
    /// Whether another code is asked for when the machine was unlocked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prompt_on_unlock: bool,
    /// Whether another code is asked for when the machine woke up.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prompt_on_wake: bool,
    /// Seconds for which a code will do; -1 for as long as the session lasts.
    #[serde(default = "no_timeout")]
    pub timeout_seconds: i64,
}

/// The process of a check that asks for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessBody {
    /// Hashes of the binary that will do; `null` for any.
    pub hashes: Option<Vec<String>>,
    /// The system for which the path is meant.
    #[schemars(with = "schema::word::OsType")]
    pub os_type: OsType,
    /// The binary.
    pub path: String,
    /// Who has to have signed the binary; left out for anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer_fingerprint: Option<String>,
}

/// A process of a check that asks for several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessMultiBody {
    /// Hashes of the binary that will do; an empty list for any.
    #[serde(default)]
    pub hashes: Vec<String>,
    /// The system for which the path is meant.
    #[schemars(with = "schema::word::OsType")]
    pub os_type: OsType,
    /// The binary.
    pub path: String,
    /// Signers of the binary that will do; an empty list for any.
    #[serde(default)]
    pub signer_fingerprints: Vec<String>,
}

impl CheckBody {
    /// The type.
    pub const fn kind(&self) -> CheckKind {
        match self {
            Self::Os { .. } => CheckKind::Os,
            Self::Domain { .. } => CheckKind::Domain,
            Self::Mac { .. } => CheckKind::Mac,
            Self::Mfa(_) => CheckKind::Mfa,
            Self::Process { .. } => CheckKind::Process,
            Self::ProcessMulti { .. } => CheckKind::ProcessMulti,
        }
    }
}

impl OperatingSystem {
    /// A system, and versions of it.
    pub fn new<'v>(kind: OsType, versions: impl IntoIterator<Item = &'v str>) -> Self {
        let versions: Vec<_> = versions.into_iter().map(str::to_owned).collect();
        Self {
            kind,
            versions: Some(versions).filter(|versions| !versions.is_empty()),
        }
    }

    /// The systems that a check asks for, as clients have to write them.
    pub(super) fn to_ask_for(check: &OsCheck) -> Vec<Self> {
        let mut systems = Self::of_check(check);
        for system in &mut systems {
            system.versions.get_or_insert_default();
        }
        systems
    }

    /// The systems that a check asks for, as they are shown.
    pub(super) fn of_check(check: &OsCheck) -> Vec<Self> {
        let systems = check.systems();
        systems
            .map(|(kind, ranges)| Self::new(kind, ranges.iter().map(VersionRange::as_str)))
            .collect()
    }
}

impl CheckBody {
    /// The same, as clients have to write it: what is asked of the system's version is never `null`.
    pub(super) fn to_ask_for(check: &Check) -> Self {
        match check {
            Check::Os(os) => Self::Os {
                operating_systems: OperatingSystem::to_ask_for(os),
            },
            other => other.into(),
        }
    }
}

impl From<&Check> for CheckBody {
    fn from(check: &Check) -> Self {
        match check {
            Check::Os(os) => Self::Os {
                operating_systems: OperatingSystem::of_check(os),
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

impl From<&MfaCheck> for MfaBody {
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

impl From<&ProcessCheck> for ProcessBody {
    fn from(check: &ProcessCheck) -> Self {
        let signer = check.signer.as_ref().map(Fingerprint::as_str);
        Self {
            hashes: Some(texts(&check.hashes)).filter(|hashes| !hashes.is_empty()),
            os_type: check.os_type,
            path: check.path.as_str().to_owned(),
            signer_fingerprint: signer.map(str::to_owned),
        }
    }
}

impl From<&CheckedProcess> for ProcessMultiBody {
    fn from(process: &CheckedProcess) -> Self {
        Self {
            hashes: texts(&process.hashes),
            os_type: process.os_type,
            path: process.path.as_str().to_owned(),
            signer_fingerprints: texts(&process.signers),
        }
    }
}

/// Seconds as they are written, where `None` means that there is no limit.
pub(crate) fn seconds(seconds: Option<u32>) -> i64 {
    seconds.map_or(NO_TIMEOUT, i64::from)
}

pub(super) fn texts(prints: &Fingerprints) -> Vec<String> {
    let texts = prints.iter().map(Fingerprint::as_str);
    texts.map(str::to_owned).collect()
}

const fn no_timeout() -> i64 {
    NO_TIMEOUT
}
