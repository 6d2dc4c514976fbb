//! Recovery codes, shown and kept.

use super::save::Destination;
use super::status::State;
use crate::context::Context;
use crate::error::CliError;
use crate::table::Table;
use portcullis_api::mfa::RecoveryCodesDetail;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use std::path::PathBuf;

/// Codes on a line.
const BESIDE: usize = 5;

const ADVICE: &str = "\
Each recovery code replaces one code of the app, once. Keep them apart from the device
and out of reach of others: on paper, or in a password manager.";

/// The result for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'c> {
    state: State,
    recovery_codes: Vec<&'c str>,
    /// The file in which they are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_to: Option<PathBuf>,
}

/// Keeps the recovery codes of somebody who is enrolled in a file, if there is one, and shows them.
/// `told` is what was done.
///
/// They are shown even if they cannot be kept: it may be the only time.
pub(super) fn run(
    context: &Context,
    codes: &[SecretString],
    destination: Option<Destination>,
    told: &str,
) -> Result<(), CliError> {
    let saved = destination.map(|destination| destination.save(codes));
    let (saved_to, failure) = match saved.transpose() {
        Ok(saved_to) => (saved_to, None),
        Err(failure) => (None, Some(failure)),
    };
    let shown = Shown {
        state: State::Enrolled,
        recovery_codes: codes.iter().map(SecretString::expose_secret).collect(),
        saved_to,
    };
    context
        .output
        .result(&shown, || table(&shown, told))
        .map_err(|error| {
            error.hint(
                "`portcullis mfa codes` shows the recovery codes again after you enter a code",
            )
        })?;
    failure.map_or(Ok(()), Err)
}

/// The codes of an answer.
pub(super) fn of(answer: RecoveryCodesDetail) -> Vec<SecretString> {
    answer.recovery_codes
}

fn table(shown: &Shown<'_>, told: &str) -> Table {
    let mut table = Table::of_properties();
    for row in shown.recovery_codes.chunks(BESIDE) {
        table.row(row);
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
