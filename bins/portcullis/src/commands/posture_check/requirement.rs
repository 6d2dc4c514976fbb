//! Requirements of posture checks, as arguments.

use crate::error::CliError;
use clap::Args;
use portcullis_domain::FieldError;
use portcullis_domain::posture_check::{Check, CheckPatch, CheckType};
use std::fmt;

/// Requirement of a type of posture check. The same arguments create and update a check.
pub(crate) trait Requirement: Args + fmt::Debug + Default + PartialEq {
    /// Help footer of `create`.
    const CREATE_EXAMPLES: &'static str;
    /// Help footer of `update`.
    const UPDATE_EXAMPLES: &'static str;
    /// Option that defines the requirement, for hints.
    const USAGE_HINT: &'static str;

    /// The requirement of a new check; `None` if it is not given.
    fn to_check(&self) -> Result<Option<Check>, CliError>;

    /// The changes for an update.
    fn to_patch(&self) -> Result<CheckPatch, CliError>;
}

/// Name of a type in commands.
pub(super) const fn type_name(kind: CheckType) -> &'static str {
    match kind {
        CheckType::Os => "os",
        CheckType::Domain => "domain",
        CheckType::Mac => "mac",
        CheckType::Mfa => "mfa",
        CheckType::Process => "process",
        CheckType::ProcessMulti => "process-multi",
    }
}

/// Error for an invalid value of `option`.
pub(super) fn invalid_requirement(option: &str, error: FieldError) -> CliError {
    CliError::usage(format!("{option}: invalid requirement")).with_source(error)
}
