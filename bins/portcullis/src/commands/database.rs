//! `portcullis database`.

use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::grid::{Grid, Title};
use crate::output;
use crate::table::{Table, pluralize};
use crate::text::yes_or_no;
use clap::{Args, Subcommand};
use portcullis_api::database::{IntegrityDetails, SnapshotLocation, SummaryCounts};
use portcullis_client::Client;
use std::time::Duration;

/// Interval for polling a running check.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Help footer of `database`.
pub(crate) const EXAMPLES: &str = "\
A snapshot is written next to the store, on the controller's machine, and named after the store and
the time. A check compares all records with their indexes. What it cannot repair has to be restored
from a backup.

Examples:
  portcullis database snapshot
  portcullis database check
  portcullis database check --fix
  portcullis database summary";

/// Help footers of the verbs.
mod examples {
    pub(super) const SNAPSHOT: &str = "\
The path of the copy is one on the controller's machine.

Examples:
  portcullis database snapshot
  portcullis database snapshot --output json | jq -r .path";

    pub(super) const CHECK: &str = "\
What is left unrepaired makes the command fail.

Examples:
  portcullis database check
  portcullis database check --fix
  portcullis database check --output json | jq .results";

    pub(super) const RESULTS: &str = "\
Examples:
  portcullis database results
  portcullis database results --output json | jq .inProgress";

    pub(super) const SUMMARY: &str = "\
Examples:
  portcullis database summary
  portcullis database summary --output json | jq .identities";
}

/// Subcommands for the store.
#[derive(Debug, Subcommand)]
pub(crate) enum DatabaseCommand {
    /// Write a snapshot of the controller's store
    #[command(after_long_help = examples::SNAPSHOT)]
    Snapshot,
    /// Check the integrity of the store and show the findings
    #[command(after_long_help = examples::CHECK)]
    Check(CheckArgs),
    /// Show the findings of the last check
    #[command(after_long_help = examples::RESULTS)]
    Results,
    /// Count the entities of each kind
    #[command(after_long_help = examples::SUMMARY)]
    Summary,
}

/// Arguments of `database check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Repair findings where possible
    #[arg(long)]
    fix: bool,
}

impl Verb for DatabaseCommand {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        match self {
            Self::Snapshot => {
                let written = client.create_database_snapshot().await?;
                output::note(
                    "the snapshot was written next to the store, on the controller's machine",
                );
                context
                    .output
                    .write_result(&written, || location_table(&written))
            },
            Self::Check(CheckArgs { fix }) => {
                client.check_data_integrity(fix).await?;
                let found = wait_for_check(client).await?;
                show(context, &found)?;
                require_clean(&found)
            },
            Self::Results => show(context, &client.data_integrity_results().await?),
            Self::Summary => {
                let counts = client.database_summary().await?;
                context
                    .output
                    .write_result(&counts, || summary_table(&counts))
            },
        }
    }
}

/// Path of a snapshot, if the controller tells it.
fn location_table(written: &SnapshotLocation) -> Table {
    let path = written.path.as_deref();
    Table::with_properties().property("path", path.unwrap_or("not told by this controller"))
}

/// Polls until the check has finished.
async fn wait_for_check(client: &Client) -> Result<IntegrityDetails, CliError> {
    loop {
        let found = client.data_integrity_results().await?;
        if !found.in_progress {
            return Ok(found);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Fails if the check ended early or left unrepaired findings.
fn require_clean(details: &IntegrityDetails) -> Result<(), CliError> {
    let mut results = details.results.iter().flatten();
    if details.error.is_some() || details.too_many_errors || results.any(|result| !result.fixed) {
        return Err(CliError::already_reported());
    }
    Ok(())
}

fn show(context: &Context, found: &IntegrityDetails) -> Result<(), CliError> {
    context.output.write_result(found, || table(found))
}

fn table(found: &IntegrityDetails) -> Grid {
    let mut table = Grid::with_titles(["fixed", "finding"].map(Title::from), true);
    for result in found.results.iter().flatten() {
        table.push([yes_or_no(result.fixed), &result.description]);
    }
    table.footer(footer(found))
}

/// Summary of a check.
fn footer(found: &IntegrityDetails) -> String {
    if found.start_time.is_none() {
        return "no check since the controller started".to_owned();
    }
    let results = found.results.as_ref().map_or(0, Vec::len);
    let mut text = pluralize(results, "finding", "findings");
    if found.in_progress {
        text.push_str("; the check is running");
    }
    if found.too_many_errors {
        text.push_str("; there may be more findings");
    }
    if let Some(error) = &found.error {
        text.push_str("; the check ended early: ");
        text.push_str(error);
    }
    text
}

fn summary_table(counts: &SummaryCounts) -> Grid {
    let mut table = Grid::with_titles(["kind", "count"].map(Title::from), true);
    for (kind, count) in &counts.0 {
        table.push([kind.as_ref(), &count.to_string()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Render as _;
    use portcullis_api::database::IntegrityResult;
    use portcullis_api::time::WireTime;
    use portcullis_domain::clock::Timestamp;

    fn check(fixed: &[bool]) -> IntegrityDetails {
        let result = |fixed: &bool| IntegrityResult {
            description: "something".to_owned(),
            fixed: *fixed,
        };
        IntegrityDetails {
            end_time: None,
            error: None,
            fixing_errors: false,
            in_progress: false,
            results: Some(fixed.iter().map(result).collect()),
            start_time: Some(WireTime::from(Timestamp::UNIX_EPOCH)),
            too_many_errors: false,
        }
    }

    #[test]
    fn only_what_is_mended_is_success() {
        assert!(require_clean(&check(&[])).is_ok());
        assert!(require_clean(&check(&[true, true])).is_ok());
        assert!(require_clean(&check(&[true, false])).is_err());
        let mut early = check(&[]);
        early.error = Some("the store is closed".to_owned());
        assert!(require_clean(&early).is_err());
        let mut many = check(&[true]);
        many.too_many_errors = true;
        assert!(require_clean(&many).is_err());
    }

    #[test]
    fn findings_are_told_with_what_else_there_is_to_say() {
        let mut found = check(&[true, false]);
        found.too_many_errors = true;
        found.error = Some("the controller is stopping".to_owned());
        let text = table(&found).render(None);
        for part in [
            "something",
            "2 findings; there may be more",
            "the check ended early: the controller is stopping",
        ] {
            assert!(text.contains(part), "{text}");
        }
        found.start_time = None;
        assert!(footer(&found).starts_with("no check since"));
    }
}
