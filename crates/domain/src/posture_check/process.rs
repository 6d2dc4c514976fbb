//! Checks of one process.

use super::{Fingerprint, Fingerprints, OsType, check_text};
use crate::FieldError;
use crate::patch::assign;
use serde::{Deserialize, Serialize};

/// Where the binary of a process lies, as its operating system writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProcessPath(String);

/// Asks whether a process runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessCheck {
    /// The system for which the path is meant.
    pub os_type: OsType,
    /// Its binary.
    pub path: ProcessPath,
    /// Hashes of the binary that will do.
    #[serde(default, skip_serializing_if = "Fingerprints::is_empty")]
    pub hashes: Fingerprints,
    /// Who has to have signed the binary; `None` for anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<Fingerprint>,
}

/// The members of a check of one process to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessPatch {
    /// New system.
    pub os_type: Option<OsType>,
    /// New binary.
    pub path: Option<ProcessPath>,
    /// New hashes, all of them.
    pub hashes: Option<Fingerprints>,
    /// New signer; `Some(None)` for anybody.
    pub signer: Option<Option<Fingerprint>>,
}

impl ProcessPath {
    /// Longest path, bytes: `PATH_MAX` of Linux.
    pub const LONGEST: usize = 4096;

    /// Reads the member `field`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is blank or too long.
    pub fn new(field: &str, path: impl Into<String>) -> Result<Self, FieldError> {
        let path = path.into();
        check_text(field, &path, Self::LONGEST)?;
        Ok(Self(path))
    }

    /// The path, as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn blank() -> Self {
        Self(String::new())
    }
}

impl ProcessCheck {
    /// Reads the member `process.signerFingerprint`, where an empty text means anybody.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on it when it is no fingerprint.
    pub fn signer(text: String) -> Result<Option<Fingerprint>, FieldError> {
        if text.is_empty() {
            return Ok(None);
        }
        Fingerprint::new("process.signerFingerprint", text).map(Some)
    }

    /// Writes digits in lower case, as they are shown.
    pub(super) fn lower(&mut self) {
        self.hashes = self.hashes.lowered();
        self.signer = self.signer.as_ref().map(Fingerprint::lowered);
    }

    pub(super) fn blank() -> Self {
        Self {
            os_type: OsType::Linux,
            path: ProcessPath::blank(),
            hashes: Fingerprints::default(),
            signer: None,
        }
    }
}

impl ProcessPatch {
    pub(super) fn apply(self, check: &mut ProcessCheck) {
        assign(&mut check.os_type, self.os_type);
        assign(&mut check.path, self.path);
        assign(&mut check.hashes, self.hashes);
        assign(&mut check.signer, self.signer);
    }
}
