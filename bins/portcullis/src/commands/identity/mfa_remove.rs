//! `portcullis identity mfa-remove`.

use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::grid::Grid;
use crate::listable::Listable as _;
use crate::table;
use crate::{prompt, resolve};
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use serde::Serialize;

const EXAMPLES: &str = "\
For users who have lost their app and recovery codes, or whose codes are refused after 100 wrong
ones in a row. Verify who is asking: afterwards logins need no code, and where the policy requires
one, whoever logs in next enrolls. Open sessions stay; end them with `portcullis session delete`.
Several identities require confirmation, or --yes.

Examples:
  portcullis identity mfa-remove anna
  portcullis identity mfa-remove anna bert --yes";

/// Remove the TOTP enrollments of identities that can no longer log in
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct MfaRemoveArgs {
    /// Ids or names of the identities
    #[arg(required = true, value_name = "NAME", add = Values::one::<IdentityDetail>())]
    identities: Vec<String>,

    /// Skip the confirmation prompt
    #[arg(short, long)]
    yes: bool,
}

/// An identity whose enrollment was removed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Removed {
    id: String,
    name: String,
    /// Whether the enrollment was verified; there may have been none.
    was_enabled: bool,
}

/// Machine-readable result.
#[derive(Debug, Default, Serialize)]
struct Report {
    removed: Vec<Removed>,
}

impl Verb for MfaRemoveArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let mut targets: Vec<IdentityDetail> = Vec::new();
        for text in &self.identities {
            let found: IdentityDetail = resolve::by_id_or_name(client, text).await?;
            if targets.iter().all(|target| target.id() != found.id()) {
                targets.push(found);
            }
        }
        if targets.len() > 1 && !self.yes {
            confirm(&targets)?;
        }
        let mut report = Report::default();
        for target in targets {
            let removed = client.remove_mfa_of_identity(&target.base.id).await;
            if let Err(error) = removed {
                return Err(partial_failure(&report, &target, error.into()));
            }
            report.removed.push(Removed {
                id: target.base.id.to_string(),
                name: target.name,
                was_enabled: target.is_mfa_enabled,
            });
        }
        context
            .output
            .write_result(&report, || report_table(&report))
    }
}

fn confirm(targets: &[IdentityDetail]) -> Result<(), CliError> {
    let names = targets.iter();
    let names: Vec<_> = names
        .map(|target| prompt::short_name(&target.name))
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

/// Reports which enrollments were removed before the failure.
fn partial_failure(report: &Report, target: &IdentityDetail, error: CliError) -> CliError {
    if report.removed.is_empty() {
        return error;
    }
    let names = report.removed.iter().map(|removed| removed.name.as_str());
    let names: Vec<_> = names.collect();
    error
        .with_context(format!(
            "the enrollment of `{}` was not removed",
            target.name
        ))
        .hint(format!("already removed: {}", names.join(", ")))
}

fn report_table(report: &Report) -> Grid {
    let mut table = Grid::default();
    for removed in &report.removed {
        let was = if removed.was_enabled {
            "was enrolled"
        } else {
            "was not enrolled"
        };
        table.push(["removed", &removed.id, &removed.name, was]);
    }
    let count = table::pluralize(report.removed.len(), "identity", "identities");
    table.footer(format!("{count} without TOTP now"))
}
