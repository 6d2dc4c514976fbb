//! What posture checks of each type ask, as arguments.

use crate::error::CliError;
use clap::Args;
use portcullis_domain::FieldError;
use portcullis_domain::posture_check::{Check, CheckKind, CheckPatch};
use std::fmt;

/// What checks of a type ask. The same arguments create a check and change one.
pub(crate) trait Question: Args + fmt::Debug + Default + PartialEq {
    /// Shown below the help of `create`.
    const CREATE: &'static str;
    /// Shown below the help of `update`.
    const UPDATE: &'static str;
    /// How to say what a new check asks.
    const HOW: &'static str;

    /// What a new check asks; nothing if the arguments do not say it.
    fn check(&self) -> Result<Option<Check>, CliError>;

    /// What a check asks from now on.
    fn change(&self) -> Result<CheckPatch, CliError>;
}

/// How a type of checks is called in commands.
pub(super) const fn word(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Os => "os",
        CheckKind::Domain => "domain",
        CheckKind::Mac => "mac",
        CheckKind::Mfa => "mfa",
        CheckKind::Process => "process",
        CheckKind::ProcessMulti => "process-multi",
    }
}

/// What was given for `option` cannot be asked.
pub(super) fn refused(option: &str, error: FieldError) -> CliError {
    CliError::usage(format!("{option}: this cannot be required")).because(error)
}
