//! Deletion of several entities.

use crate::context::{Context, Session};
use crate::entity::{Entity, EntityKind};
use crate::error::{CliError, ErrorKind};
use crate::grid::Grid;
use crate::listable::Listable as _;
use crate::progress::Progress;
use crate::prompt;
use crate::table;
use clap::Args;
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};
use portcullis_api::code::Code;
use portcullis_client::{Client, ClientError, ListQuery, RetryPolicy};
use portcullis_domain::ids::EntityId as _;
use serde::Serialize;
use std::collections::BTreeSet;
use std::pin::pin;

/// Most names in a confirmation prompt.
const MAX_NAMES: usize = 10;

/// Most deleted entities to list one by one.
const MAX_DELETED_ROWS: usize = 100;

/// Requests at a time.
const CONCURRENCY: usize = 16;

/// Options of deletions.
#[derive(Debug, Clone, Args)]
pub(crate) struct DeletionArgs {
    /// Delete all entries that match this filter
    #[arg(long, value_parser = filter)]
    pub(crate) filter: Option<String>,

    /// Skip the confirmation prompt
    #[arg(short, long)]
    yes: bool,

    /// Show what would be deleted without deleting it
    #[arg(long)]
    dry_run: bool,
}

/// Parses a filter. An empty one would match everything and is likely a mistake in a script.
fn filter(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("an empty filter matches everything; use `true` if you mean that".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// Entities to delete.
pub(crate) struct DeletionTargets {
    members: Vec<DeletionTarget>,
    /// One to delete after all others.
    last: Option<DeletionTarget>,
    is_explicit: bool,
}

#[derive(Debug, Clone, Serialize)]
struct DeletionTarget {
    id: String,
    /// Name or label.
    name: String,
    /// Name, or id if there is none.
    #[serde(skip)]
    reference: String,
}

impl DeletionTargets {
    /// Resolves all texts, without duplicates, before anything is deleted.
    pub(crate) async fn resolve<E: Entity>(
        client: &Client,
        texts: &[String],
    ) -> Result<Self, CliError> {
        let mut members = Vec::new();
        for text in texts {
            members.push(to_target(&E::find(client, text).await?));
        }
        Ok(Self::new(members, true))
    }

    /// Collects the results of a query, without duplicates: a list may change between pages.
    pub(crate) async fn from_query<E: Entity>(
        client: &Client,
        query: ListQuery,
    ) -> Result<Self, CliError> {
        let mut members = Vec::new();
        let progress = Progress::new(None, <E as EntityKind>::PLURAL);
        let mut entities = E::ordered_pages(client, query).into_stream();
        while let Some(entity) = entities.try_next().await? {
            members.push(to_target(&entity));
            progress.advance(1);
        }
        Ok(Self::new(members, false))
    }

    fn new(mut members: Vec<DeletionTarget>, is_explicit: bool) -> Self {
        let mut seen = BTreeSet::new();
        members.retain(|target| seen.insert(target.id.clone()));
        Self {
            members,
            last: None,
            is_explicit,
        }
    }

    /// Leaves the entity with `id`, if it is included, until the others are deleted.
    pub(crate) fn move_to_end(&mut self, id: &str) {
        let place = self.members.iter().position(|target| target.id == id);
        self.last = place.map(|place| self.members.remove(place));
    }

    fn len(&self) -> usize {
        self.members.len() + usize::from(self.last.is_some())
    }

    /// All of them, in the order of deletion.
    fn into_all(self) -> impl Iterator<Item = DeletionTarget> {
        self.members.into_iter().chain(self.last)
    }
}

impl DeletionTarget {
    fn reference(&self) -> &str {
        &self.reference
    }
}

fn to_target<E: Entity>(entity: &E) -> DeletionTarget {
    DeletionTarget {
        id: entity.id().to_owned(),
        name: entity.label(),
        reference: entity.reference().to_owned(),
    }
}

/// Result of a deletion.
#[derive(Debug, Default, Serialize)]
struct DeletionReport {
    deleted: Vec<DeletionTarget>,
    failed: Vec<DeletionFailure>,
    /// Number of those that were not tried, since it would have been in vain or was cancelled.
    #[serde(skip_serializing_if = "is_zero")]
    remaining: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Debug, Serialize)]
struct DeletionFailure {
    #[serde(flatten)]
    target: DeletionTarget,
    error: String,
}

/// Result of a dry run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DryRunReport {
    would_delete: Vec<DeletionTarget>,
}

/// Deletes the targets, several at a time, continuing after failures, and reports the result. A dry run
/// only reports.
pub(crate) async fn run<E: Entity>(
    context: &Context,
    session: &Session,
    targets: DeletionTargets,
    arguments: &DeletionArgs,
) -> Result<(), CliError> {
    if arguments.dry_run {
        let forecast = DryRunReport {
            would_delete: targets.into_all().collect(),
        };
        let names = forecast.would_delete.iter().map(DeletionTarget::reference);
        return context
            .output
            .write_named(names, &forecast, || dry_run_table::<E>(&forecast));
    }
    if !arguments.yes {
        confirm::<E>(&targets)?;
    }
    let (report, last) = delete_all::<E>(&session.client, targets).await;
    match last {
        // A single failure needs no report.
        Some(error) if report.deleted.is_empty() && report.failed.len() == 1 => Err(error),
        last => {
            let names = report.deleted.iter().map(DeletionTarget::reference);
            context
                .output
                .write_named(names, &report, || report_table::<E>(&report))?;
            last.map_or(Ok(()), |error| Err(summarize_failures::<E>(&report, error)))
        },
    }
}

/// Deletes the targets; returns the last error beside the report. What concerns all of them, such as
/// the end of the session, ends it. Ctrl-C waits for what was begun; a second one does not.
async fn delete_all<E: Entity>(
    client: &Client,
    targets: DeletionTargets,
) -> (DeletionReport, Option<CliError>) {
    let client = &client.with_retry(RetryPolicy::standard());
    let progress = Progress::new(Some(targets.len()), <E as EntityKind>::PLURAL);
    let mut report = DeletionReport::default();
    let mut last_error = None;
    let total = targets.len();
    let DeletionTargets { members, last, .. } = targets;
    let interrupted = prompt::interrupted().shared();
    let interrupted_again = interrupted.clone().then(|()| prompt::interrupted());
    let members = stream::iter(members).take_until(interrupted.clone());
    // In the order of the targets.
    let members = members
        .map(|target| delete::<E>(client, target))
        .buffered(CONCURRENCY);
    let last = stream::iter(last).take_until(interrupted);
    let last = last.then(|target| delete::<E>(client, target));
    let mut outcomes = pin!(members.chain(last).take_until(interrupted_again));
    let mut is_in_vain = false;
    while let Some((target, outcome)) = outcomes.next().await {
        progress.advance(1);
        let Err(error) = outcome else {
            report.deleted.push(target);
            continue;
        };
        is_in_vain = concerns_all(&error);
        let error = CliError::from(error);
        report.failed.push(DeletionFailure {
            target,
            error: error.message(),
        });
        last_error = Some(error);
        if is_in_vain {
            break;
        }
    }
    report.remaining = total - report.deleted.len() - report.failed.len();
    if report.remaining > 0 && !is_in_vain {
        last_error = Some(CliError::cancelled());
    }
    (report, last_error)
}

/// Deletes an entity. That it is gone already is as good.
async fn delete<E: Entity>(
    client: &Client,
    target: DeletionTarget,
) -> (DeletionTarget, Result<(), ClientError>) {
    let id = E::Id::from_wire(target.id.clone());
    let outcome = match client.delete_entity::<E>(&id).await {
        Err(error) if error.is_refused_with(Code::NotFound) => Ok(()),
        outcome => outcome,
    };
    (target, outcome)
}

/// Whether an error has nothing to do with the entity.
fn concerns_all(error: &ClientError) -> bool {
    match error.refusal() {
        Some(refusal) => refusal.code() == Some(Code::Unauthorized) || refusal.status == 429,
        None => true,
    }
}

/// Summarizes failed deletions, with the cause of the last one.
fn summarize_failures<E: Entity>(report: &DeletionReport, last: CliError) -> CliError {
    let DeletionReport {
        failed, remaining, ..
    } = report;
    let target = failed.last().map(|failure| &failure.target);
    let name = target.map_or("", |target| &target.name);
    let id = target.map_or("", |target| &target.id);
    let error = match failed.len() + remaining {
        _ if last.kind() == ErrorKind::Cancelled => last,
        0 | 1 => last.with_context(format!(
            "{} `{name}` ({id}) was not deleted",
            <E as EntityKind>::SINGULAR
        )),
        number => last.with_context(format!(
            "{number} {} were not deleted; the last was `{name}` ({id})",
            <E as EntityKind>::PLURAL
        )),
    };
    match remaining {
        0 => error,
        _ => error.hint("run the same command again to delete the rest"),
    }
}

/// Asks for confirmation, unless a single target was named.
fn confirm<E: Entity>(targets: &DeletionTargets) -> Result<(), CliError> {
    if targets.len() == 0 || (targets.is_explicit && targets.len() == 1) {
        return Ok(());
    }
    let members = targets.members.iter().chain(&targets.last);
    let mut names: Vec<_> = members
        .take(MAX_NAMES)
        .map(|target| prompt::short_name(&target.name))
        .collect();
    if targets.len() > names.len() {
        names.push("...".to_owned());
    }
    let count = counted::<E>(targets.len());
    let question = format!("Delete {count} ({})?{}", names.join(", "), E::GOES_WITH);
    if prompt::confirm(&question, "--yes")? {
        Ok(())
    } else {
        Err(CliError::failed("nothing was deleted"))
    }
}

fn report_table<E: Entity>(report: &DeletionReport) -> Grid {
    let mut table = Grid::default();
    // Of many, the failures would go under.
    let is_short = report.deleted.len() <= MAX_DELETED_ROWS;
    for target in report.deleted.iter().filter(|_| is_short) {
        table.push(["deleted", &target.id, &target.name]);
    }
    for failure in &report.failed {
        let DeletionFailure { target, error } = failure;
        table.push(["failed", &target.id, &target.name, error]);
    }
    let deleted = counted::<E>(report.deleted.len());
    let remaining = match report.remaining {
        0 => String::new(),
        number => format!(", {number} not tried"),
    };
    table.footer(format!("{deleted} deleted{remaining}"))
}

fn dry_run_table<E: Entity>(forecast: &DryRunReport) -> Grid {
    let mut table = Grid::default();
    for target in &forecast.would_delete {
        table.push(["would delete", &target.id, &target.name]);
    }
    let count = counted::<E>(forecast.would_delete.len());
    table.footer(format!("{count} would be deleted"))
}

fn counted<E: Entity>(number: usize) -> String {
    table::pluralize(
        number,
        <E as EntityKind>::SINGULAR,
        <E as EntityKind>::PLURAL,
    )
}
