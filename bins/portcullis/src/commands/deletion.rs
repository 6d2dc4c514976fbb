//! Deleting several entities one by one.

use crate::context::Context;
use crate::error::CliError;
use crate::prompt;
use crate::table::{self, Table};
use portcullis_api::envelope::ListEnvelope;
use serde::Serialize;
use std::collections::BTreeSet;

/// Entities on a page when all that a filter finds are collected; controllers give no more at once.
const PAGE: usize = 500;

/// Something to delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Target {
    /// Its id.
    pub(crate) id: String,
    /// Its name, or another text by which people know it.
    pub(crate) name: String,
}

/// What became of the targets.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    deleted: Vec<Target>,
    failed: Vec<Failure>,
}

#[derive(Debug, Serialize)]
struct Failure {
    #[serde(flatten)]
    target: Target,
    error: String,
}

/// Asks whether several targets are really meant, unless `is_confirmed`.
pub(crate) fn confirm(
    targets: &[Target],
    plural: &str,
    is_confirmed: bool,
) -> Result<(), CliError> {
    if is_confirmed || targets.len() < 2 {
        return Ok(());
    }
    let mut names: Vec<_> = targets
        .iter()
        .take(10)
        .map(|target| target.name.as_str())
        .collect();
    if targets.len() > names.len() {
        names.push("...");
    }
    let question = format!("Delete {} {plural} ({})?", targets.len(), names.join(", "));
    if prompt::confirm(&question, "--yes")? {
        Ok(())
    } else {
        Err(CliError::failed("nothing was deleted"))
    }
}

/// Collects all pages of a list; `fetch` brings the page at an offset.
///
/// Ends as well when a page brings nothing new: a filter may hold a limit of its own.
pub(crate) async fn collect<T>(
    fetch: impl AsyncFn(i64, i64) -> Result<ListEnvelope<T>, CliError>,
    target: impl Fn(T) -> Target,
) -> Result<Vec<Target>, CliError> {
    let mut seen = BTreeSet::new();
    let mut targets = Vec::new();
    let limit = i64::try_from(PAGE).unwrap_or(i64::MAX);
    loop {
        let offset = i64::try_from(targets.len()).unwrap_or(i64::MAX);
        let page = fetch(limit, offset).await?;
        let total = page.meta.pagination.total_count;
        let known = targets.len();
        for found in page.data.into_iter().map(&target) {
            if seen.insert(found.id.clone()) {
                targets.push(found);
            }
        }
        let is_complete = i64::try_from(targets.len()).is_ok_and(|found| found >= total);
        if is_complete || targets.len() == known {
            return Ok(targets);
        }
    }
}

/// Deletes the targets in their order, goes on after failures, and reports.
pub(crate) async fn run(
    context: &Context,
    targets: Vec<Target>,
    nouns: (&str, &str),
    delete: impl AsyncFn(&str) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut report = Report::default();
    let mut last = None;
    for target in targets {
        match delete(&target.id).await {
            Ok(()) => report.deleted.push(target),
            Err(error) => {
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
            context.output.result(&report, || table(&report, nouns))?;
            last.map_or(Ok(()), Err)
        },
    }
}

fn table(report: &Report, (singular, plural): (&str, &str)) -> Table {
    let mut table = Table::of_properties();
    for target in &report.deleted {
        table.row(["deleted", &target.id, &target.name]);
    }
    for failure in &report.failed {
        let Failure { target, error } = failure;
        table.row(["failed", &target.id, &target.name, error]);
    }
    let deleted = table::count(report.deleted.len(), singular, plural);
    table.footer(format!("{deleted} deleted"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::envelope::{ListMeta, Pagination};

    fn page(ids: std::ops::Range<usize>, total: i64) -> ListEnvelope<usize> {
        ListEnvelope {
            data: ids.collect(),
            meta: ListMeta {
                filterable_fields: Vec::new(),
                pagination: Pagination {
                    limit: 0,
                    offset: 0,
                    total_count: total,
                },
            },
        }
    }

    fn target(number: usize) -> Target {
        Target {
            id: number.to_string(),
            name: String::new(),
        }
    }

    #[tokio::test]
    async fn all_pages_are_collected_once() {
        let fetch = async |limit: i64, offset: i64| {
            let begin = usize::try_from(offset).unwrap();
            let end = usize::try_from(offset + limit).unwrap().min(1200);
            Ok(page(begin..end, 1200))
        };
        let found = collect(fetch, target).await.unwrap();
        assert_eq!(found.len(), 1200);
    }

    #[tokio::test]
    async fn limit_inside_the_filter_ends_the_search() {
        let fetch = async |_limit: i64, _offset: i64| Ok(page(0..3, 1200));
        assert_eq!(collect(fetch, target).await.unwrap().len(), 3);
    }
}
