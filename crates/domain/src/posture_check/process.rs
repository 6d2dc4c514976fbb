//! Posture checks of one process.

use super::{Fingerprint, Fingerprints, OsType, validate_text};
use crate::FieldError;
use crate::patch::assign;
use serde::{Deserialize, Serialize};

/// Path of a binary in the syntax of its operating system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProcessPath(String);

/// Requires a running process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessCheck {
    pub os_type: OsType,
    /// Path of the binary.
    pub path: ProcessPath,
    /// Accepted hashes of the binary.
    #[serde(default, skip_serializing_if = "Fingerprints::is_empty")]
    pub hashes: Fingerprints,
    /// Required signer; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<Fingerprint>,
}

/// Members of a process check to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessPatch {
    pub os_type: Option<OsType>,
    pub path: Option<ProcessPath>,
    pub hashes: Option<Fingerprints>,
    /// `Some(None)` for any signer.
    pub signer: Option<Option<Fingerprint>>,
}

impl ProcessPath {
    /// In bytes: `PATH_MAX` of Linux.
    pub const MAX_LENGTH: usize = 4096;

    /// Parses the member `field`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when it is blank or too long.
    pub fn new(field: &str, path: impl Into<String>) -> Result<Self, FieldError> {
        let path = path.into();
        validate_text(field, &path, Self::MAX_LENGTH)?;
        Ok(Self(path))
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn empty() -> Self {
        Self(String::new())
    }
}

impl ProcessCheck {
    /// Parses the member `process.signerFingerprint`; an empty string means any signer.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when it is not a fingerprint.
    pub fn parse_signer(text: String) -> Result<Option<Fingerprint>, FieldError> {
        if text.is_empty() {
            return Ok(None);
        }
        Fingerprint::new("process.signerFingerprint", text).map(Some)
    }

    /// Converts digits to lower case for display.
    pub(super) fn normalize(&mut self) {
        self.hashes = self.hashes.to_lowercase();
        self.signer = self.signer.as_ref().map(Fingerprint::to_lowercase);
    }

    pub(super) fn empty() -> Self {
        Self {
            os_type: OsType::Linux,
            path: ProcessPath::empty(),
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
