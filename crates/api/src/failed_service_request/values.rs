//! What checks expected, and what there was instead.

use crate::posture_check::{CheckBody, OperatingSystem, ProcessBody, ProcessMultiBody, seconds};
use crate::posture_data::signers;
use crate::schema;
use crate::time::WireTime;
use portcullis_domain::posture::{Actual, ActualProcess, MfaCriteria, MfaValues};
use portcullis_domain::posture_check::Check;
use portcullis_domain::roles::Semantic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The type of a check under `postureCheckType`, what it expected and what there was instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "postureCheckType",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
pub enum FailureValues {
    /// Another operating system.
    Os {
        /// What there was.
        actual_value: ActualOsBody,
        /// What had to be.
        expected_value: Vec<OperatingSystem>,
    },
    /// Another Windows domain; an empty one if none was reported.
    Domain {
        /// What there was.
        actual_value: String,
        /// What had to be.
        expected_value: Vec<String>,
    },
    /// Other MAC addresses; `null` if none were reported.
    Mac {
        /// What there was.
        actual_value: Option<Vec<String>>,
        /// What had to be.
        expected_value: Vec<String>,
    },
    /// No TOTP code, or one whose time was over.
    Mfa {
        /// What there was.
        actual_value: MfaValuesBody,
        /// By what it was judged.
        criteria: MfaCriteriaBody,
        /// What had to be.
        expected_value: MfaValuesBody,
    },
    /// No such process, or another one.
    Process {
        /// What there was.
        actual_value: ActualProcessBody,
        /// What had to be.
        expected_value: ProcessBody,
    },
    /// No such processes, or others.
    ProcessMulti {
        /// What there was.
        actual_value: Vec<ActualProcessBody>,
        /// What had to be.
        expected_value: Vec<ProcessMultiBody>,
        /// How many of them had to run.
        #[schemars(with = "schema::word::Semantic")]
        semantic: Semantic,
    },
}

/// An operating system, in the words of a client; empty if none was reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActualOsBody {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its version.
    pub version: String,
}

/// A process as it was reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActualProcessBody {
    /// The hash of its binary.
    pub hash: String,
    /// Whether it ran.
    pub is_running: bool,
    /// Its binary; left out if the process was not reported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The fingerprints of its signers; `null` for none.
    pub signer_fingerprints: Option<Vec<String>>,
}

/// In which respects a check of TOTP codes was passed, or had to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "clients know them as they are"
)]
pub struct MfaValuesBody {
    /// Whether a code was shown at all.
    pub passed_mfa: bool,
    /// Whether unlocking the machine had not ended it.
    pub passed_on_unlock: bool,
    /// Whether waking up had not ended it.
    pub passed_on_wake: bool,
    /// Whether there was no code whose time went on.
    pub timed_out: bool,
}

/// By what a check of TOTP codes was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MfaCriteriaBody {
    /// When a code was last shown.
    pub passed_mfa_at: Option<WireTime>,
    /// Seconds that were left; -1 for no limit.
    pub timeout_remaining_seconds: i64,
    /// Seconds for which a code did; -1 for no limit.
    pub timeout_seconds: i64,
    /// When the machine was last unlocked.
    pub unlocked_at: Option<WireTime>,
    /// When the machine last woke up.
    pub woken_at: Option<WireTime>,
}

impl FailureValues {
    /// What `check` expected, and what there was instead.
    pub(super) fn new(check: &Check, actual: &Actual) -> Self {
        match CheckBody::from(check) {
            CheckBody::Os { operating_systems } => Self::Os {
                actual_value: ActualOsBody::of(actual),
                expected_value: operating_systems,
            },
            CheckBody::Domain { domains } => Self::Domain {
                actual_value: match actual {
                    Actual::Domain(Some(domain)) => domain.as_str().to_owned(),
                    _ => String::new(),
                },
                expected_value: domains,
            },
            CheckBody::Mac { mac_addresses } => Self::Mac {
                actual_value: match actual {
                    Actual::Mac(Some(addresses)) => Some(addresses.to_vec()),
                    _ => None,
                },
                expected_value: mac_addresses,
            },
            CheckBody::Mfa(_) => Self::of_code(check, actual),
            CheckBody::Process { process } => Self::Process {
                actual_value: match actual {
                    Actual::Process(Some(process)) => process.into(),
                    _ => ActualProcessBody::default(),
                },
                expected_value: process,
            },
            CheckBody::ProcessMulti {
                processes,
                semantic,
            } => Self::ProcessMulti {
                actual_value: match actual {
                    Actual::ProcessMulti(processes) => processes.iter().map(Into::into).collect(),
                    _ => Vec::new(),
                },
                expected_value: processes,
                semantic,
            },
        }
    }

    fn of_code(check: &Check, actual: &Actual) -> Self {
        let expected = match check {
            Check::Mfa(mfa) => MfaValues::expected(*mfa),
            _ => MfaValues::default(),
        };
        let (values, criteria) = match actual {
            Actual::Mfa(values, criteria) => (*values, *criteria),
            _ => <(MfaValues, MfaCriteria)>::default(),
        };
        Self::Mfa {
            actual_value: values.into(),
            criteria: criteria.into(),
            expected_value: expected.into(),
        }
    }
}

impl ActualOsBody {
    fn of(actual: &Actual) -> Self {
        match actual {
            Actual::Os(Some(os)) => Self {
                kind: os.kind.clone(),
                version: os.version.clone(),
            },
            _ => Self::default(),
        }
    }
}

impl From<&ActualProcess> for ActualProcessBody {
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

impl From<MfaValues> for MfaValuesBody {
    fn from(values: MfaValues) -> Self {
        Self {
            passed_mfa: values.passed_mfa,
            passed_on_unlock: values.passed_on_unlock,
            passed_on_wake: values.passed_on_wake,
            timed_out: values.timed_out,
        }
    }
}

impl From<MfaCriteria> for MfaCriteriaBody {
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
