//! The result of an import.

use super::row::Row;
use crate::grid::Grid;
use crate::table;
use serde::Serialize;
use std::path::PathBuf;

/// Lines to name in a summary.
const MAX_LINES: usize = 10;

/// What became of each identity of a file.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    pub(super) created: Vec<CreatedEntry>,
    /// Created by earlier runs with the same checkpoint.
    pub(super) created_before: Vec<Entry>,
    /// Existed before.
    pub(super) skipped: Vec<Entry>,
    pub(super) failed: Vec<FailedEntry>,
    /// May have been created: the run was interrupted before that was known, or their token was written.
    pub(super) unfinished: Vec<Entry>,
    /// Not begun.
    pub(super) remaining: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct Entry {
    pub(super) line: u64,
    pub(super) name: String,
}

impl From<&Row> for Entry {
    fn from(row: &Row) -> Self {
        Self {
            line: row.line,
            name: row.name().to_owned(),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreatedEntry {
    #[serde(flatten)]
    pub(super) entry: Entry,
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jwt_file: Option<PathBuf>,
}

impl CreatedEntry {
    pub(super) fn name(&self) -> &str {
        &self.entry.name
    }
}

#[derive(Debug, Serialize)]
pub(super) struct FailedEntry {
    #[serde(flatten)]
    pub(super) entry: Entry,
    pub(super) error: String,
}

impl Report {
    /// Failures one by one, the rest as numbers, and the command that probably follows.
    pub(super) fn table(&self, next: Option<&str>) -> Grid {
        let mut table = Grid::default();
        for failure in &self.failed {
            let line = format!("line {}", failure.entry.line);
            table.push(["failed", &line, &failure.entry.name, &failure.error]);
        }
        for entry in self.unfinished.iter().take(MAX_LINES) {
            let line = format!("line {}", entry.line);
            table.push(["unfinished", &line, &entry.name, ""]);
        }
        let summary = self.summary();
        table.footer(match next {
            Some(command) => format!("{summary}\nnext: {command}"),
            None => summary,
        })
    }

    fn summary(&self) -> String {
        let created = table::pluralize(self.created.len(), "identity", "identities");
        let mut parts = vec![format!("{created} created")];
        for (number, text) in [
            (self.created_before.len(), "created before"),
            (self.skipped.len(), "skipped as existing"),
            (self.failed.len(), "failed"),
            (self.unfinished.len(), "unfinished"),
            (self.remaining, "not begun"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {text}"));
            }
        }
        parts.join(", ")
    }
}

/// What an import would do.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Forecast {
    pub(super) would_create: Vec<Entry>,
    pub(super) would_skip: Vec<Entry>,
}

impl Forecast {
    pub(super) fn table(&self) -> Grid {
        let mut table = Grid::default();
        for entry in self.would_create.iter().take(MAX_LINES) {
            table.push(["would create", &entry.name]);
        }
        if self.would_create.len() > MAX_LINES {
            table.push(["", "..."]);
        }
        let count = table::pluralize(self.would_create.len(), "identity", "identities");
        let skipped = match self.would_skip.len() {
            0 => String::new(),
            number => format!(", {number} skipped as existing"),
        };
        table.footer(format!("{count} would be created{skipped}"))
    }
}
