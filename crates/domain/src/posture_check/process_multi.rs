//! Checks of several processes.

use super::{Fingerprints, OsType, ProcessPath, check_count};
use crate::FieldError;
use crate::patch::assign;
use crate::roles::Semantic;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Asks whether processes run, all of them or one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessMultiCheck {
    /// How many of them have to.
    pub semantic: Semantic,
    /// The processes.
    pub processes: Processes,
}

/// One of the processes that a check asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedProcess {
    /// The system for which the path is meant.
    pub os_type: OsType,
    /// Its binary.
    pub path: ProcessPath,
    /// Hashes of the binary that will do.
    #[serde(default, skip_serializing_if = "Fingerprints::is_empty")]
    pub hashes: Fingerprints,
    /// Signers of the binary that will do.
    #[serde(default, skip_serializing_if = "Fingerprints::is_empty")]
    pub signers: Fingerprints,
}

/// The processes of a check, sorted by system and path and each there once; at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Processes(Vec<CheckedProcess>);

/// The members of a check of several processes to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessMultiPatch {
    /// How many of them have to run.
    pub semantic: Option<Semantic>,
    /// New processes, all of them.
    pub processes: Option<Processes>,
}

impl Processes {
    /// Most processes of a check, repetitions included.
    pub const MOST: usize = 128;

    /// Collects processes. Where one is repeated, the last one counts.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `processes` when there is none, or too many.
    pub fn new(processes: Vec<CheckedProcess>) -> Result<Self, FieldError> {
        check_count("processes", processes.len(), Self::MOST)?;
        let by_place: BTreeMap<_, _> = processes
            .into_iter()
            .map(|process| ((process.os_type, process.path.clone()), process))
            .collect();
        Ok(Self(by_place.into_values().collect()))
    }

    /// The processes.
    pub fn iter(&self) -> impl Iterator<Item = &CheckedProcess> {
        self.0.iter()
    }
}

impl ProcessMultiCheck {
    pub(super) fn blank() -> Self {
        Self {
            semantic: Semantic::AllOf,
            processes: Processes(Vec::new()),
        }
    }
}

impl ProcessMultiPatch {
    pub(super) fn apply(self, check: &mut ProcessMultiCheck) {
        assign(&mut check.semantic, self.semantic);
        assign(&mut check.processes, self.processes);
    }
}
