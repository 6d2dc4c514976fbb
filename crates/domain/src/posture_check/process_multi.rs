//! Posture checks of several processes.

use super::{Fingerprints, OsType, ProcessPath, validate_count};
use crate::FieldError;
use crate::patch::assign;
use crate::roles::Semantic;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Requires all or any of several processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessMultiCheck {
    pub semantic: Semantic,
    pub processes: CheckedProcesses,
}

/// One of the required processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedProcess {
    pub os_type: OsType,
    /// Path of the binary.
    pub path: ProcessPath,
    /// Accepted hashes of the binary.
    #[serde(default, skip_serializing_if = "Fingerprints::is_empty")]
    pub hashes: Fingerprints,
    /// Accepted signers of the binary.
    #[serde(default, skip_serializing_if = "Fingerprints::is_empty")]
    pub signers: Fingerprints,
}

/// The processes of a check: at least one, unique, sorted by system and path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckedProcesses(Vec<CheckedProcess>);

/// Members of a multi-process check to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessMultiPatch {
    pub semantic: Option<Semantic>,
    pub processes: Option<CheckedProcesses>,
}

impl CheckedProcesses {
    /// Maximum number of processes, including repetitions.
    pub const MAX_ITEMS: usize = 128;

    /// Collects processes; the last entry of a repeated process counts.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `processes` when it is empty or too long.
    pub fn new(processes: Vec<CheckedProcess>) -> Result<Self, FieldError> {
        validate_count("processes", processes.len(), Self::MAX_ITEMS)?;
        let by_path: BTreeMap<_, _> = processes
            .into_iter()
            .map(|process| ((process.os_type, process.path.clone()), process))
            .collect();
        Ok(Self(by_path.into_values().collect()))
    }

    pub fn iter(&self) -> impl Iterator<Item = &CheckedProcess> {
        self.0.iter()
    }
}

impl ProcessMultiCheck {
    pub(super) fn empty() -> Self {
        Self {
            semantic: Semantic::AllOf,
            processes: CheckedProcesses(Vec::new()),
        }
    }
}

impl ProcessMultiPatch {
    pub(super) fn apply(self, check: &mut ProcessMultiCheck) {
        assign(&mut check.semantic, self.semantic);
        assign(&mut check.processes, self.processes);
    }
}
