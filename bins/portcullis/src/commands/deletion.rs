//! Deleting several entities one by one.

use crate::columns;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed;
use crate::pages::Pages;
use crate::prompt;
use crate::table::{self, Table};
use clap::Args;
use portcullis_client::{Client, ClientError, ListQuery};
use serde::Serialize;
use std::collections::BTreeSet;

/// How much of a name a question shows, in columns.
const LONGEST_NAME: usize = 40;

/// How to delete.
#[derive(Debug, Clone, Args)]
pub(crate) struct DeletionArgs {
    /// Delete all that match, instead of naming them; `list` shows them first
    #[arg(long, value_parser = filter)]
    pub(crate) filter: Option<String>,

    /// Do not ask before deleting several, or what a filter matched
    #[arg(short, long)]
    yes: bool,

    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,
}

/// Reads a filter. An empty one finds everything, and is what a script gives by mistake.
fn filter(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("an empty filter matches everything; if you mean that, write `true`".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// A kind that can be deleted.
pub(crate) trait Deletable: Listed {
    /// Finds the one that a person calls by this text.
    fn find(client: &Client, text: &str) -> impl Future<Output = Result<Self, CliError>> + Send;

    /// By what people know it beside the id.
    fn label(&self) -> String;

    /// Deletes the one with that id.
    fn delete(client: &Client, id: &str) -> impl Future<Output = Result<(), ClientError>> + Send;
}

/// What is to be deleted.
pub(crate) struct Targets {
    members: Vec<Target>,
    are_named: bool,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Target {
    id: String,
    /// Its name, or another text by which people know it.
    name: String,
}

impl Targets {
    /// Those that are called by these texts, each once. All are found before any is deleted.
    pub(crate) async fn named<D: Deletable>(
        client: &Client,
        texts: &[String],
    ) -> Result<Self, CliError> {
        let mut members: Vec<Target> = Vec::new();
        for text in texts {
            let found = target(&D::find(client, text).await?);
            if !members.contains(&found) {
                members.push(found);
            }
        }
        Ok(Self {
            members,
            are_named: true,
        })
    }

    /// All that a query finds, each once: a list may change between its pages.
    pub(crate) async fn found<D: Deletable>(
        client: &Client,
        query: ListQuery,
    ) -> Result<Self, CliError> {
        let mut seen = BTreeSet::new();
        let mut members = Vec::new();
        let mut pages = Pages::<D>::new(client, query);
        while let Some(page) = pages.next().await? {
            let targets = page.data.iter().map(target);
            members.extend(targets.filter(|target| seen.insert(target.id.clone())));
        }
        Ok(Self {
            members,
            are_named: false,
        })
    }
}

impl Targets {
    /// Has the one with that id deleted after all others, if it is among them.
    pub(crate) fn put_last(&mut self, id: &str) {
        self.members.sort_by_key(|target| target.id == id);
    }
}

fn target<D: Deletable>(entity: &D) -> Target {
    Target {
        id: entity.id().to_owned(),
        name: entity.label(),
    }
}

/// What became of the targets.
#[derive(Debug, Default, Serialize)]
struct Report {
    deleted: Vec<Target>,
    failed: Vec<Failure>,
}

#[derive(Debug, Serialize)]
struct Failure {
    #[serde(flatten)]
    target: Target,
    error: String,
}

/// What would become of them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Forecast {
    would_delete: Vec<Target>,
}

/// Deletes the targets in their order, goes on after failures, and reports; or says what it would
/// do.
pub(crate) async fn run<D: Deletable>(
    context: &Context,
    session: &Session,
    targets: Targets,
    arguments: &DeletionArgs,
) -> Result<(), CliError> {
    if arguments.dry_run {
        let forecast = Forecast {
            would_delete: targets.members,
        };
        return context
            .output
            .result(&forecast, || forecast_table::<D>(&forecast));
    }
    if !arguments.yes {
        confirm::<D>(&targets)?;
    }
    let mut report = Report::default();
    let mut last = None;
    for target in targets.members {
        match D::delete(&session.client, &target.id).await {
            Ok(()) => report.deleted.push(target),
            Err(error) => {
                let error = CliError::from(error);
                report.failed.push(Failure {
                    target,
                    error: error.message(),
                });
                last = Some(error);
            },
        }
    }
    match last {
        // A single failure speaks for itself.
        Some(error) if report.deleted.is_empty() && report.failed.len() == 1 => Err(error),
        last => {
            context
                .output
                .result(&report, || report_table::<D>(&report))?;
            last.map_or(Ok(()), |error| Err(summarized::<D>(&report.failed, error)))
        },
    }
}

/// Says which targets are left, and why the last one is.
fn summarized<D: Deletable>(failed: &[Failure], last: CliError) -> CliError {
    let target = failed.last().map(|failure| &failure.target);
    let name = target.map_or("", |target| &target.name);
    let id = target.map_or("", |target| &target.id);
    match failed.len() {
        0 | 1 => last.within(format!("{} `{name}` ({id}) was not deleted", D::SINGULAR)),
        number => last.within(format!(
            "{number} {} were not deleted; the last of them, `{name}` ({id})",
            D::PLURAL
        )),
    }
}

/// Asks whether the targets are really meant, unless it is one that was named.
fn confirm<D: Deletable>(targets: &Targets) -> Result<(), CliError> {
    let members = &targets.members;
    if members.is_empty() || (targets.are_named && members.len() == 1) {
        return Ok(());
    }
    let mut names: Vec<_> = members
        .iter()
        .take(10)
        .map(|target| columns::cut(&target.name, LONGEST_NAME))
        .collect();
    if members.len() > names.len() {
        names.push("...".to_owned());
    }
    let count = table::count(members.len(), D::SINGULAR, D::PLURAL);
    let question = format!("Delete {count} ({})?", names.join(", "));
    if prompt::confirm(&question, "--yes")? {
        Ok(())
    } else {
        Err(CliError::failed("nothing was deleted"))
    }
}

fn report_table<D: Deletable>(report: &Report) -> Table {
    let mut table = Table::of_properties();
    for target in &report.deleted {
        table.row(["deleted", &target.id, &target.name]);
    }
    for failure in &report.failed {
        let Failure { target, error } = failure;
        table.row(["failed", &target.id, &target.name, error]);
    }
    let deleted = table::count(report.deleted.len(), D::SINGULAR, D::PLURAL);
    table.footer(format!("{deleted} deleted"))
}

fn forecast_table<D: Deletable>(forecast: &Forecast) -> Table {
    let mut table = Table::of_properties();
    for target in &forecast.would_delete {
        table.row(["would delete", &target.id, &target.name]);
    }
    let count = table::count(forecast.would_delete.len(), D::SINGULAR, D::PLURAL);
    table.footer(format!("{count} would be deleted"))
}
