//! Expected and actual values of failed posture checks.

use crate::describe::JsonSchema;
use crate::posture_check::{
    CheckDefinition, OperatingSystem, ProcessDefinition, ProcessMultiDefinition, seconds,
};
use crate::posture_data::signers;
use crate::time::WireTime;
use portcullis_domain::posture::{ActualProcess, ActualValue, MfaCriteria, MfaValues};
use portcullis_domain::posture_check::Check;
use portcullis_domain::roles::Semantic;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Type of a check in `postureCheckType`, with its expected and actual values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "postureCheckType",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
pub enum CheckFailureValues {
    /// Operating system not accepted.
    Os {
        /// The actual value.
        actual_value: ActualOsDetail,
        /// The expected value.
        expected_value: Vec<OperatingSystem>,
    },
    /// Windows domain not accepted; the actual value is empty if none was reported.
    Domain {
        /// The actual value.
        actual_value: String,
        /// The expected value.
        expected_value: Vec<String>,
    },
    /// MAC addresses not accepted; the actual value is `null` if none were reported.
    Mac {
        /// The actual value.
        actual_value: Option<Vec<String>>,
        /// The expected value.
        expected_value: Vec<String>,
    },
    /// No MFA code was accepted, or it has timed out.
    Mfa {
        /// The actual value.
        actual_value: MfaValuesDetail,
        /// Timing criteria that were applied.
        criteria: MfaCriteriaDetail,
        /// The expected value.
        expected_value: MfaValuesDetail,
    },
    /// Process not running, or not the expected one.
    Process {
        /// The actual value.
        actual_value: ActualProcessDetail,
        /// The expected value.
        expected_value: ProcessDefinition,
    },
    /// Processes not running, or not the expected ones.
    ProcessMulti {
        /// The actual value.
        actual_value: Vec<ActualProcessDetail>,
        /// The expected value.
        expected_value: Vec<ProcessMultiDefinition>,
        /// Whether all of the processes had to run, or any one of them.
        #[schemars(with = "crate::schema::word::Semantic")]
        semantic: Semantic,
    },
}

/// Operating system as the client reported it; empty if none was reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActualOsDetail {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its version.
    pub version: String,
}

/// A process as it was reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActualProcessDetail {
    /// Hash of the executable.
    pub hash: String,
    /// Whether it ran.
    pub is_running: bool,
    /// Path of the executable; absent if the process was not reported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Fingerprints of its signers; `null` if there are none.
    pub signer_fingerprints: Option<Vec<String>>,
}

/// Conditions of an MFA check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the members are fixed by the API"
)]
pub struct MfaValuesDetail {
    /// Whether a code was accepted at all.
    pub passed_mfa: bool,
    /// Whether the check still passes after the last unlock of the device.
    pub passed_on_unlock: bool,
    /// Whether the check still passes after the last wake-up of the device.
    pub passed_on_wake: bool,
    /// Whether the last accepted code has timed out.
    pub timed_out: bool,
}

/// Timing criteria of an MFA check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaCriteriaDetail {
    /// When a code was last accepted.
    pub passed_mfa_at: Option<WireTime>,
    /// Seconds that remained; -1 for no limit.
    pub timeout_remaining_seconds: i64,
    /// Seconds for which a code is valid; -1 for no limit.
    pub timeout_seconds: i64,
    /// When the device was last unlocked.
    pub unlocked_at: Option<WireTime>,
    /// When the device last woke up.
    pub woken_at: Option<WireTime>,
}

impl CheckFailureValues {
    /// The values that `check` expected and the `actual` ones.
    pub(super) fn new(check: &Check, actual: &ActualValue) -> Self {
        match CheckDefinition::from(check) {
            CheckDefinition::Os { operating_systems } => Self::Os {
                actual_value: ActualOsDetail::from_actual(actual),
                expected_value: operating_systems,
            },
            CheckDefinition::Domain { domains } => Self::Domain {
                actual_value: match actual {
                    ActualValue::Domain(Some(domain)) => domain.as_str().to_owned(),
                    _ => String::new(),
                },
                expected_value: domains,
            },
            CheckDefinition::Mac { mac_addresses } => Self::Mac {
                actual_value: match actual {
                    ActualValue::Mac(Some(addresses)) => Some(addresses.to_vec()),
                    _ => None,
                },
                expected_value: mac_addresses,
            },
            CheckDefinition::Mfa(_) => Self::for_mfa(check, actual),
            CheckDefinition::Process { process } => Self::Process {
                actual_value: match actual {
                    ActualValue::Process(Some(process)) => process.into(),
                    _ => ActualProcessDetail::default(),
                },
                expected_value: process,
            },
            CheckDefinition::ProcessMulti {
                processes,
                semantic,
            } => Self::ProcessMulti {
                actual_value: match actual {
                    ActualValue::ProcessMulti(processes) => {
                        processes.iter().map(Into::into).collect()
                    },
                    _ => Vec::new(),
                },
                expected_value: processes,
                semantic,
            },
        }
    }

    fn for_mfa(check: &Check, actual: &ActualValue) -> Self {
        let expected = match check {
            Check::Mfa(mfa) => MfaValues::expected(*mfa),
            _ => MfaValues::default(),
        };
        let (values, criteria) = match actual {
            ActualValue::Mfa(values, criteria) => (*values, *criteria),
            _ => <(MfaValues, MfaCriteria)>::default(),
        };
        Self::Mfa {
            actual_value: values.into(),
            criteria: criteria.into(),
            expected_value: expected.into(),
        }
    }
}

impl ActualOsDetail {
    fn from_actual(actual: &ActualValue) -> Self {
        match actual {
            ActualValue::Os(Some(os)) => Self {
                kind: os.kind.clone(),
                version: os.version.clone(),
            },
            _ => Self::default(),
        }
    }
}

impl From<&ActualProcess> for ActualProcessDetail {
    fn from(actual: &ActualProcess) -> Self {
        let process = &actual.process;
        Self {
            hash: process.hash.clone(),
            is_running: process.is_running,
            path: actual.path.clone(),
            signer_fingerprints: signers(process),
        }
    }
}

impl From<MfaValues> for MfaValuesDetail {
    fn from(values: MfaValues) -> Self {
        Self {
            passed_mfa: values.passed_mfa,
            passed_on_unlock: values.passed_on_unlock,
            passed_on_wake: values.passed_on_wake,
            timed_out: values.timed_out,
        }
    }
}

impl From<MfaCriteria> for MfaCriteriaDetail {
    fn from(criteria: MfaCriteria) -> Self {
        Self {
            passed_mfa_at: criteria.passed_at.map(Into::into),
            timeout_remaining_seconds: seconds(criteria.remaining),
            timeout_seconds: seconds(criteria.timeout.map(NonZeroU32::get)),
            unlocked_at: criteria.unlocked_at.map(Into::into),
            woken_at: criteria.woken_at.map(Into::into),
        }
    }
}
