//! Output of recovery codes.

use super::save::CodesFile;
use super::status::EnrollmentState;
use crate::context::Context;
use crate::error::CliError;
use crate::grid::Grid;
use portcullis_api::mfa::RecoveryCodesDetail;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use std::path::PathBuf;

/// Codes per line.
const CODES_PER_LINE: usize = 5;

const ADVICE: &str = "\
Each recovery code replaces one TOTP code, once. Keep them away from the device and from other \
people: on paper, or in a password manager.";

/// Machine-readable result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecoveryCodesOutput<'c> {
    state: EnrollmentState,
    recovery_codes: Vec<&'c str>,
    /// File that they were saved to.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_to: Option<PathBuf>,
}

/// Saves the recovery codes to `destination`, if given, and shows them with `message`.
///
/// They are shown even if saving fails: it may be the only time.
pub(super) fn save_and_show(
    context: &Context,
    codes: &[SecretString],
    destination: Option<CodesFile>,
    message: &str,
) -> Result<(), CliError> {
    let saved = destination.map(|destination| destination.save(codes));
    let (saved_to, failure) = match saved.transpose() {
        Ok(saved_to) => (saved_to, None),
        Err(failure) => (None, Some(failure)),
    };
    let shown = RecoveryCodesOutput {
        state: EnrollmentState::Enrolled,
        recovery_codes: codes.iter().map(SecretString::expose_secret).collect(),
        saved_to,
    };
    context
        .output
        .write_result(&shown, || table(&shown, message))
        .map_err(|error| {
            error.hint("run `portcullis mfa codes` to show the recovery codes again")
        })?;
    failure.map_or(Ok(()), Err)
}

/// Codes of a response.
pub(super) fn into_codes(answer: RecoveryCodesDetail) -> Vec<SecretString> {
    answer.recovery_codes
}

fn table(shown: &RecoveryCodesOutput<'_>, told: &str) -> Grid {
    let mut table = Grid::default();
    for row in shown.recovery_codes.chunks(CODES_PER_LINE) {
        table.push(row);
    }
    let mut lines = vec![told.to_owned()];
    if shown.recovery_codes.is_empty() {
        lines.push(
            "No recovery codes are left; `portcullis mfa new-codes` creates new ones.".to_owned(),
        );
    } else {
        lines.push(ADVICE.to_owned());
    }
    if let Some(path) = &shown.saved_to {
        lines.push(format!("They are saved in {}.", path.display()));
    }
    table.footer(lines.join("\n"))
}
