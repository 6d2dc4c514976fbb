//! Deletion of several entities.

use crate::context::{Context, Session};
use crate::entity::{Entity, EntityKind};
use crate::error::CliError;
use crate::grid::Grid;
use crate::listable::Listable as _;
use crate::prompt;
use crate::table;
use crate::text_width;
use clap::Args;
use portcullis_client::{Client, ListQuery};
use portcullis_domain::ids::EntityId as _;
use serde::Serialize;
use std::collections::BTreeSet;

/// Widest name in a confirmation prompt, in columns.
const MAX_NAME_WIDTH: usize = 40;

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
    is_explicit: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
        let mut members: Vec<DeletionTarget> = Vec::new();
        for text in texts {
            let found = to_target(&E::find(client, text).await?);
            if !members.contains(&found) {
                members.push(found);
            }
        }
        Ok(Self {
            members,
            is_explicit: true,
        })
    }

    /// Collects the results of a query, without duplicates: a list may change between pages.
    pub(crate) async fn from_query<E: Entity>(
        client: &Client,
        query: ListQuery,
    ) -> Result<Self, CliError> {
        let mut seen = BTreeSet::new();
        let mut members = Vec::new();
        let mut entities = E::pages(client, query).into_stream();
        while let Some(entity) = entities.try_next().await? {
            let target = to_target(&entity);
            if seen.insert(target.id.clone()) {
                members.push(target);
            }
        }
        Ok(Self {
            members,
            is_explicit: false,
        })
    }
}

impl DeletionTargets {
    /// Moves the entity with `id` to the end, if it is included.
    pub(crate) fn move_to_end(&mut self, id: &str) {
        self.members.sort_by_key(|target| target.id == id);
    }
}

impl DeletionTarget {
    fn reference(&self) -> &str {
        &self.reference
    }
}

fn to_target<E: Entity>(entity: &E) -> DeletionTarget {
    DeletionTarget {
        id: entity.base().id.as_str().to_owned(),
        name: entity.label(),
        reference: entity.reference().to_owned(),
    }
}

/// Result of a deletion.
#[derive(Debug, Default, Serialize)]
struct DeletionReport {
    deleted: Vec<DeletionTarget>,
    failed: Vec<DeletionFailure>,
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

/// Deletes the targets in order, continuing after failures, and reports the result. A dry run only
/// reports.
pub(crate) async fn run<E: Entity>(
    context: &Context,
    session: &Session,
    targets: DeletionTargets,
    arguments: &DeletionArgs,
) -> Result<(), CliError> {
    if arguments.dry_run {
        let forecast = DryRunReport {
            would_delete: targets.members,
        };
        let names = forecast.would_delete.iter().map(DeletionTarget::reference);
        return context
            .output
            .write_named(names, &forecast, || dry_run_table::<E>(&forecast));
    }
    if !arguments.yes {
        confirm::<E>(&targets)?;
    }
    let mut report = DeletionReport::default();
    let mut last = None;
    for target in targets.members {
        let id = E::Id::from_wire(target.id.clone());
        match session.client.delete_entity::<E>(&id).await {
            Ok(()) => report.deleted.push(target),
            Err(error) => {
                let error = CliError::from(error);
                report.failed.push(DeletionFailure {
                    target,
                    error: error.message(),
                });
                last = Some(error);
            },
        }
    }
    match last {
        // A single failure needs no report.
        Some(error) if report.deleted.is_empty() && report.failed.len() == 1 => Err(error),
        last => {
            let names = report.deleted.iter().map(DeletionTarget::reference);
            context
                .output
                .write_named(names, &report, || report_table::<E>(&report))?;
            last.map_or(Ok(()), |error| {
                Err(summarize_failures::<E>(&report.failed, error))
            })
        },
    }
}

/// Summarizes failed deletions, with the cause of the last one.
fn summarize_failures<E: Entity>(failed: &[DeletionFailure], last: CliError) -> CliError {
    let target = failed.last().map(|failure| &failure.target);
    let name = target.map_or("", |target| &target.name);
    let id = target.map_or("", |target| &target.id);
    match failed.len() {
        0 | 1 => last.with_context(format!(
            "{} `{name}` ({id}) was not deleted",
            <E as EntityKind>::SINGULAR
        )),
        number => last.with_context(format!(
            "{number} {} were not deleted; the last was `{name}` ({id})",
            <E as EntityKind>::PLURAL
        )),
    }
}

/// Asks for confirmation, unless a single target was named.
fn confirm<E: Entity>(targets: &DeletionTargets) -> Result<(), CliError> {
    let members = &targets.members;
    if members.is_empty() || (targets.is_explicit && members.len() == 1) {
        return Ok(());
    }
    let mut names: Vec<_> = members
        .iter()
        .take(10)
        .map(|target| text_width::truncate(&target.name, MAX_NAME_WIDTH))
        .collect();
    if members.len() > names.len() {
        names.push("...".to_owned());
    }
    let count = table::pluralize(
        members.len(),
        <E as EntityKind>::SINGULAR,
        <E as EntityKind>::PLURAL,
    );
    let question = format!("Delete {count} ({})?", names.join(", "));
    if prompt::confirm(&question, "--yes")? {
        Ok(())
    } else {
        Err(CliError::failed("nothing was deleted"))
    }
}

fn report_table<E: Entity>(report: &DeletionReport) -> Grid {
    let mut table = Grid::default();
    for target in &report.deleted {
        table.push(["deleted", &target.id, &target.name]);
    }
    for failure in &report.failed {
        let DeletionFailure { target, error } = failure;
        table.push(["failed", &target.id, &target.name, error]);
    }
    let deleted = table::pluralize(
        report.deleted.len(),
        <E as EntityKind>::SINGULAR,
        <E as EntityKind>::PLURAL,
    );
    table.footer(format!("{deleted} deleted"))
}

fn dry_run_table<E: Entity>(forecast: &DryRunReport) -> Grid {
    let mut table = Grid::default();
    for target in &forecast.would_delete {
        table.push(["would delete", &target.id, &target.name]);
    }
    let count = table::pluralize(
        forecast.would_delete.len(),
        <E as EntityKind>::SINGULAR,
        <E as EntityKind>::PLURAL,
    );
    table.footer(format!("{count} would be deleted"))
}
