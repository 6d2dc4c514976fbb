//! Posture checks: what a client's machine and its user have to be like.
//!
//! Service policies name checks by id or role attribute. Here is what administrators decide about
//! one; what clients report and whether it passes is judged in `portcullis-posture`.
//!
//! Texts are read at the border, by the constructors of each type, which name the member of the
//! request that is at fault. Every list has a bound, so that no definition takes long to judge.

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
pub use patch::{CheckPatch, PostureCheckPatch};
pub use process::{ProcessCheck, ProcessPatch, ProcessPath};
pub use process_multi::{CheckedProcess, ProcessMultiCheck, ProcessMultiPatch, Processes};
pub use support::CheckSupport;
pub use version::Version;
pub use version_range::{RangeError, VersionRange};

use crate::FieldError;
use crate::ids::PostureCheckId;
use crate::managed::{Managed, Spec};
use crate::name::check_name;
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A posture check.
pub type PostureCheck = Managed<PostureCheckId, PostureCheckSpec>;

/// What administrators decide about a posture check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostureCheckSpec {
    /// Its unique name.
    pub name: String,
    /// The words by which policies select it.
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub role_attributes: RoleAttributes,
    /// What it asks; of which type that is never changes.
    pub check: Check,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// What a posture check asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Check {
    /// Which operating system runs.
    Os(OsCheck),
    /// Which Windows domain the machine belongs to.
    Domain(DomainCheck),
    /// Which MAC addresses the machine has.
    Mac(MacCheck),
    /// Whether the user showed a TOTP code.
    Mfa(MfaCheck),
    /// Whether a process runs.
    Process(ProcessCheck),
    /// Whether several processes run, or one of them.
    ProcessMulti(ProcessMultiCheck),
}

/// The type of a posture check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CheckKind {
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

impl CheckKind {
    /// Every type.
    pub const ALL: [Self; 6] = [
        Self::Os,
        Self::Domain,
        Self::Mac,
        Self::Mfa,
        Self::Process,
        Self::ProcessMulti,
    ];

    /// The word on the wire, `typeId`.
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

    /// The type of that name, if there is one.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Check {
    /// Its type.
    pub const fn kind(&self) -> CheckKind {
        match self {
            Self::Os(_) => CheckKind::Os,
            Self::Domain(_) => CheckKind::Domain,
            Self::Mac(_) => CheckKind::Mac,
            Self::Mfa(_) => CheckKind::Mfa,
            Self::Process(_) => CheckKind::Process,
            Self::ProcessMulti(_) => CheckKind::ProcessMulti,
        }
    }
}

impl Spec for PostureCheckSpec {
    type Patch = PostureCheckPatch;

    fn apply(&mut self, patch: PostureCheckPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.role_attributes, patch.role_attributes);
        assign(&mut self.tags, patch.tags);
        if let Some(check) = patch.check {
            check.apply(&mut self.check);
        }
    }

    fn settle(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        check_name(&self.name)?;
        let kind = self.check.kind();
        if let Some(before) = before.map(|before| before.check.kind())
            && before != kind
        {
            let reason = format!("cannot be changed after creation; it is {}", before.name());
            return Err(FieldError::new("typeId", reason, kind.name()));
        }
        if let Check::Process(process) = &mut self.check {
            process.lower();
        }
        Ok(())
    }
}

/// Checks how many items the list `field` has, at least one and at most `most`.
fn check_count(field: &str, count: usize, most: usize) -> Result<(), FieldError> {
    let reason = if count == 0 {
        "must not be empty".to_owned()
    } else if count > most {
        format!("must have at most {most} items")
    } else {
        return Ok(());
    };
    Err(FieldError::new(field, reason, count.to_string()))
}

/// Checks a text that is neither blank nor longer than `most` bytes.
fn check_text(field: &str, text: &str, most: usize) -> Result<(), FieldError> {
    if text.trim().is_empty() {
        return Err(FieldError::new(field, "must not be blank", text));
    }
    check_length(field, text, most)
}

/// Checks that a text is not longer than `most` bytes. What is longer is not repeated.
fn check_length(field: &str, text: &str, most: usize) -> Result<(), FieldError> {
    if text.len() > most {
        let reason = format!("must be at most {most} bytes long");
        let value = format!("{} bytes", text.len());
        return Err(FieldError::new(field, reason, value));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
