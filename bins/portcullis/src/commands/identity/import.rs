//! `portcullis identity import`.

mod checkpoint;
mod csv_rows;
mod file_name;
mod input;
mod json_rows;
mod lookup;
mod mistake;
mod plan;
mod report;
mod row;
mod run;
mod tokens;

use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::controller_url;
use crate::error::CliError;
use checkpoint::{Checkpoint, CheckpointOwner, History, Record};
use clap::Args;
use input::{FileFormat, InputFile};
use plan::Plan;
use portcullis_client::RetryPolicy;
use report::{CreatedEntry, Forecast, Report};
use row::Row;
use run::Import;
use std::path::PathBuf;
use tokens::{TokenSink, TokensArgs};

/// Layout of checkpoints.
const CHECKPOINT_VERSION: u32 = 1;

const EXAMPLES: &str = "\
A CSV file has a header row. `name` is required, other columns are optional:
  name             must be unique
  type             device, service or user
  admin            true or false
  role_attributes  separated by `;`
  tags             like `key=value;key=value`
  auth_policy      id or name
  external_id      for logins with JWTs of an external signer
  enrollment       ott, updb:USERNAME, ottca:CA or none; empty for ott, or for
                   none if there is an external id

A JSON lines file has one object on each line, with the member names of the
API: name, type, isAdmin, roleAttributes, tags, authPolicyId, externalId,
enrollment and so on.

The whole file is checked, and compared with what exists, before anything is
created. Token files never replace existing files. Names are made safe for file
systems; `--output json` tells which file belongs to whom.

Examples:
  portcullis identity import staff.csv --dry-run
  portcullis identity import staff.csv --output-jwt-dir tokens
  portcullis identity import devices.jsonl --output-jwt-file tokens.jsonl
  portcullis identity import devices.jsonl --checkpoint devices.state
  export-staff | portcullis identity import - --format csv --skip-existing";

/// Create many identities from a CSV or JSON lines file
///
/// With --checkpoint, an interrupted import goes on where it was when the same command is run again:
/// no identity is created twice, and no token is lost.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ImportArgs {
    /// File with the identities, or standard input for `-`
    file: PathBuf,

    /// Format of the file (default: by its extension, .csv or .jsonl)
    #[arg(long, value_enum)]
    format: Option<FileFormat>,

    #[command(flatten)]
    tokens: TokensArgs,

    /// Record progress in this file, by which an interrupted import goes on
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Skip identities whose names exist already, instead of refusing the file
    #[arg(long)]
    skip_existing: bool,

    /// Number of requests at a time
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 16,
        value_parser = clap::value_parser!(u8).range(1..=64)
    )]
    parallel: u8,

    /// Check the file and show what would be created without creating it
    #[arg(long, conflicts_with = "checkpoint")]
    dry_run: bool,
}

impl ImportArgs {
    /// Reads the file, all mistakes of which are reported at once.
    async fn read(&self, session: &Session, input: &InputFile) -> Result<Vec<Row>, CliError> {
        input
            .check_not_empty()
            .map_err(|mistake| mistake::report(vec![mistake]))?;
        let (mut rows, mut mistakes) = match input.format {
            FileFormat::Csv => csv_rows::read(&input.text),
            FileFormat::Jsonl => json_rows::read(&input.text),
        };
        mistakes.extend(row::find_duplicates(&rows));
        mistakes.extend(lookup::resolve_references(&session.client, &mut rows).await?);
        if mistakes.is_empty() {
            Ok(rows)
        } else {
            Err(mistake::report(mistakes))
        }
    }

    fn open_checkpoint(
        &self,
        session: &Session,
        input: &InputFile,
        rows: &[Row],
    ) -> Result<(Option<Checkpoint>, History), CliError> {
        let Some(path) = &self.checkpoint else {
            return Ok((None, History::default()));
        };
        let owner = CheckpointOwner {
            version: CHECKPOINT_VERSION,
            controller: controller_url::display(&session.profile.url),
            trust: input::digest(session.profile.ca.as_deref().unwrap_or_default().as_bytes()),
            input: input.digest.clone(),
            tokens: self.tokens.describe(),
        };
        let (checkpoint, history) = Checkpoint::open(path, &owner, rows.len())?;
        Ok((Some(checkpoint), history))
    }

    /// Finds out what is left to do.
    async fn plan<'r>(
        &self,
        session: &Session,
        rows: &'r [Row],
        history: &History,
    ) -> Result<Plan<'r>, CliError> {
        let planned = Plan::new(&session.client, rows, history, self.skip_existing);
        let (plan, mistakes) = planned.await?;
        if mistakes.is_empty() {
            Ok(plan)
        } else {
            Err(mistake::report(mistakes)
                .hint("pass `--skip-existing` to leave out those that exist"))
        }
    }

    /// Prepares everything that can fail before something is created.
    async fn prepare<'r>(
        &self,
        session: &Session,
        rows: &'r [Row],
        history: &History,
    ) -> Result<(Plan<'r>, TokenSink), CliError> {
        let mut plan = self.plan(session, rows, history).await?;
        let tokens = self.tokens.prepare(rows, &history.written)?;
        plan.complete_tokens(rows, history, &tokens);
        Ok((plan, tokens))
    }

    async fn dry_run(
        &self,
        context: &Context,
        session: &Session,
        rows: &[Row],
    ) -> Result<(), CliError> {
        let plan = self.plan(session, rows, &History::default()).await?;
        let forecast = Forecast {
            would_create: plan.tasks.iter().map(|task| task.row.into()).collect(),
            would_skip: plan.skipped,
        };
        context.output.write_result(&forecast, || forecast.table())
    }
}

impl Verb for ImportArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let input = InputFile::read(&self.file, self.format)?;
        let rows = self.read(session, &input).await?;
        if self.dry_run {
            return self.dry_run(context, session, &rows).await;
        }
        let (checkpoint, history) = self.open_checkpoint(session, &input, &rows)?;
        let (plan, tokens) = match self.prepare(session, &rows, &history).await {
            Ok(prepared) => prepared,
            Err(error) => {
                // A run that did not begin leaves no trace.
                if let Some(checkpoint) = checkpoint.filter(|_| !history.written.is_resumed) {
                    checkpoint.discard();
                }
                return Err(error);
            },
        };
        let skipped = plan.skipped.iter().map(|entry| entry.line).collect();
        let mut import = Import {
            client: session.client.with_retry(RetryPolicy::standard()),
            tokens,
            checkpoint,
            parallel: usize::from(self.parallel),
            report: Report {
                created_before: plan.created_before,
                skipped: plan.skipped,
                ..Report::default()
            },
            pending: Record::skipped(skipped),
            halt: None,
        };
        import.run(plan.tasks).await?;
        let has_unwritten_tokens = !self.tokens.is_given() && rows.iter().any(Row::has_token);
        self.conclude(context, import, has_unwritten_tokens)
    }
}

impl ImportArgs {
    /// Writes the result, and says how to go on if it is not complete.
    fn conclude(
        &self,
        context: &Context,
        import: Import,
        has_unwritten_tokens: bool,
    ) -> Result<(), CliError> {
        let Import { report, halt, .. } = import;
        let is_next = has_unwritten_tokens && halt.is_none() && !report.created.is_empty();
        let next = is_next.then_some("portcullis enrollment list");
        let names = report.created.iter().map(CreatedEntry::name);
        context
            .output
            .write_named(names, &report, || report.table(next))?;
        match halt {
            Some(error) => Err(error.hint(match &self.checkpoint {
                Some(_) => "run the same command again to go on",
                None if self.tokens.is_one_file() => {
                    "run the command again with `--skip-existing` and a new `--output-jwt-file` to go \
                     on; with `--checkpoint FILE`, no token gets lost on the way"
                },
                None => {
                    "run the command again with `--skip-existing` to go on; with `--checkpoint FILE`, \
                     no token gets lost on the way"
                },
            })),
            None if report.failed.is_empty() => Ok(()),
            None => Err(CliError::already_reported()),
        }
    }
}
