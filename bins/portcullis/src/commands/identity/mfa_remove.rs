//! `portcullis identity mfa-remove`.

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed as _;
use crate::table::{self, Table};
use crate::{columns, prompt, resolve};
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use serde::Serialize;

const EXAMPLES: &str = "\
For users who have lost the app and the recovery codes, or whose codes are no longer accepted
after a hundred wrong ones in a row. Verify who is asking: afterwards a login needs no code, and
where the policy requires one, the next person to log in enrolls. Sessions stay; `portcullis
session delete` ends them. Several identities only after a question, or with --yes.

Examples:
  portcullis identity mfa-remove anna
  portcullis identity mfa-remove anna bert --yes";

/// How much of a name a question shows, in columns.
const LONGEST_NAME: usize = 40;

/// Arguments of `identity mfa-remove`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct MfaRemoveArgs {
    /// Ids or names of the identities
    #[arg(required = true, value_name = "NAME")]
    identities: Vec<String>,

    /// Do not ask before the enrollments of several are removed
    #[arg(short, long)]
    yes: bool,
}

/// Whose enrollment was removed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Removed {
    id: String,
    name: String,
    /// Whether the enrollment was finished; there may have been none.
    was_enabled: bool,
}

/// The result for programs.
#[derive(Debug, Default, Serialize)]
struct Report {
    removed: Vec<Removed>,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: MfaRemoveArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let mut targets: Vec<IdentityDetail> = Vec::new();
    for text in &arguments.identities {
        let found: IdentityDetail = resolve::one(client, text).await?;
        if targets.iter().all(|target| target.id() != found.id()) {
            targets.push(found);
        }
    }
    if targets.len() > 1 && !arguments.yes {
        confirm(&targets)?;
    }
    let mut report = Report::default();
    for target in targets {
        let removed = client.remove_mfa_of_identity(&target.base.id).await;
        if let Err(error) = removed {
            return Err(stopped(&report, &target, error.into()));
        }
        report.removed.push(Removed {
            id: target.base.id.to_string(),
            name: target.name,
            was_enabled: target.is_mfa_enabled,
        });
    }
    context.output.result(&report, || report_table(&report))
}

fn confirm(targets: &[IdentityDetail]) -> Result<(), CliError> {
    let names = targets.iter();
    let names: Vec<_> = names
        .map(|target| columns::cut(&target.name, LONGEST_NAME))
        .collect();
    let question = format!(
        "Remove the TOTP enrollments of {} identities ({})?",
        targets.len(),
        names.join(", ")
    );
    if prompt::confirm(&question, "--yes")? {
        Ok(())
    } else {
        Err(CliError::failed("nothing was removed"))
    }
}

/// Says how far it came.
fn stopped(report: &Report, target: &IdentityDetail, error: CliError) -> CliError {
    if report.removed.is_empty() {
        return error;
    }
    let names = report.removed.iter().map(|removed| removed.name.as_str());
    let names: Vec<_> = names.collect();
    error
        .within(format!(
            "the enrollment of `{}` was not removed",
            target.name
        ))
        .hint(format!("removed before that: {}", names.join(", ")))
}

fn report_table(report: &Report) -> Table {
    let mut table = Table::of_properties();
    for removed in &report.removed {
        let was = if removed.was_enabled {
            "was enrolled"
        } else {
            "was not enrolled"
        };
        table.row(["removed", &removed.id, &removed.name, was]);
    }
    let count = table::count(report.removed.len(), "identity", "identities");
    table.footer(format!("{count} now without TOTP"))
}
