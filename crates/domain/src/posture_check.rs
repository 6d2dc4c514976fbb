//! Posture checks: requirements on the device and the user of a client.
//!
//! Service policies select checks by id or role attribute. This module holds the definitions;
//! reports are evaluated in `portcullis-posture`.
//!
//! The constructor of each type parses its input and reports the invalid member. All lists are
//! bounded, so that no definition is expensive to evaluate.

mod domain;
mod fingerprint;
mod mac;
mod mfa;
mod os;
mod patch;
mod process;
mod process_multi;
mod support;
mod version;
mod version_range;

pub use domain::DomainCheck;
pub use fingerprint::{Fingerprint, Fingerprints, bare_hex};
pub use mac::{MacAddress, MacCheck};
pub use mfa::{MfaCheck, MfaPatch};
pub use os::{OsCheck, OsType};
pub use patch::{CheckPatch, PostureCheckSpecPatch};
pub use process::{ProcessCheck, ProcessPatch, ProcessPath};
pub use process_multi::{CheckedProcess, CheckedProcesses, ProcessMultiCheck, ProcessMultiPatch};
pub use support::CheckSupport;
pub use version::Version;
pub use version_range::{VersionRange, VersionRangeError};

use crate::FieldError;
use crate::ids::PostureCheckId;
use crate::managed::{Managed, Spec};
use crate::name::validate_name;
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

pub type PostureCheck = Managed<PostureCheckId, PostureCheckSpec>;

/// Editable members of a posture check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostureCheckSpec {
    /// Unique.
    pub name: String,
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub role_attributes: RoleAttributes,
    /// The check itself; its type is immutable.
    pub check: Check,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The definition of a posture check by type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Check {
    /// Operating system and version.
    Os(OsCheck),
    /// Windows domain.
    Domain(DomainCheck),
    /// MAC addresses.
    Mac(MacCheck),
    /// A TOTP code.
    Mfa(MfaCheck),
    /// One process.
    Process(ProcessCheck),
    /// Several processes, all or any of them.
    ProcessMulti(ProcessMultiCheck),
}

/// The type of a posture check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CheckType {
    /// `OS`.
    Os,
    /// `DOMAIN`.
    Domain,
    /// `MAC`.
    Mac,
    /// `MFA`.
    Mfa,
    /// `PROCESS`.
    Process,
    /// `PROCESS_MULTI`.
    ProcessMulti,
}

impl CheckType {
    pub const ALL: [Self; 6] = [
        Self::Os,
        Self::Domain,
        Self::Mac,
        Self::Mfa,
        Self::Process,
        Self::ProcessMulti,
    ];

    /// Name on the wire (`typeId`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Os => "OS",
            Self::Domain => "DOMAIN",
            Self::Mac => "MAC",
            Self::Mfa => "MFA",
            Self::Process => "PROCESS",
            Self::ProcessMulti => "PROCESS_MULTI",
        }
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Check {
    pub const fn check_type(&self) -> CheckType {
        match self {
            Self::Os(_) => CheckType::Os,
            Self::Domain(_) => CheckType::Domain,
            Self::Mac(_) => CheckType::Mac,
            Self::Mfa(_) => CheckType::Mfa,
            Self::Process(_) => CheckType::Process,
            Self::ProcessMulti(_) => CheckType::ProcessMulti,
        }
    }
}

impl PostureCheckSpec {
    /// A check with this name, without role attributes and tags.
    pub fn new(name: impl Into<String>, check: Check) -> Self {
        Self {
            name: name.into(),
            role_attributes: RoleAttributes::default(),
            check,
            tags: Tags::default(),
        }
    }
}

impl Spec for PostureCheckSpec {
    type Patch = PostureCheckSpecPatch;

    fn apply(&mut self, patch: PostureCheckSpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.role_attributes, patch.role_attributes);
        assign(&mut self.tags, patch.tags);
        if let Some(check) = patch.check {
            check.apply(&mut self.check);
        }
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)?;
        let kind = self.check.check_type();
        if let Some(before) = before.map(|before| before.check.check_type())
            && before != kind
        {
            let reason = format!("cannot be changed after creation; it is {}", before.name());
            return Err(FieldError::new("typeId", reason, kind.name()));
        }
        if let Check::Process(process) = &mut self.check {
            process.normalize();
        }
        Ok(())
    }
}

/// Validates that the list `field` has between one and `max` items.
fn validate_count(field: &str, count: usize, max: usize) -> Result<(), FieldError> {
    let reason = if count == 0 {
        "must not be empty".to_owned()
    } else if count > max {
        format!("must have at most {max} items")
    } else {
        return Ok(());
    };
    Err(FieldError::new(field, reason, count.to_string()))
}

/// Validates that a text is neither blank nor longer than `max` bytes.
fn validate_text(field: &str, text: &str, max: usize) -> Result<(), FieldError> {
    if text.trim().is_empty() {
        return Err(FieldError::new(field, "must not be blank", text));
    }
    validate_length(field, text, max)
}

/// Validates that a text is at most `max` bytes long. The error does not repeat a longer one.
fn validate_length(field: &str, text: &str, max: usize) -> Result<(), FieldError> {
    if text.len() > max {
        let reason = format!("must be at most {max} bytes long");
        let value = format!("{} bytes", text.len());
        return Err(FieldError::new(field, reason, value));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
