//! Parser of the tables of deviations in Markdown.

/// Column headings of the tables.
const COLUMNS: [&str; 5] = ["What", "OpenZiti", "Portcullis", "Reason", "Test"];

/// A row of the table.
#[derive(Debug)]
pub(super) struct Row {
    /// Line number in the document, from 1.
    pub(super) line: usize,
    /// Description of the deviation.
    pub(super) description: String,
    pub(super) evidence: Vec<Evidence>,
}

/// Evidence that a row names.
#[derive(Debug)]
pub(super) enum Evidence {
    /// A test in a source file.
    Test { file: String, name: String },
    /// A step of a recorded exchange.
    Step { file: String, step: String },
    /// Neither.
    Unknown(String),
}

/// Parses the rows of all tables with the right headings; also returns errors.
pub(super) fn read(document: &str) -> (Vec<Row>, Vec<String>) {
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let mut is_inside = false;
    for (line, text) in (1..).zip(document.lines()) {
        let Some(cells) = cells(text) else {
            is_inside = false;
            continue;
        };
        if cells == COLUMNS {
            is_inside = true;
        } else if is_inside && !cells.iter().all(|cell| is_separator(cell)) {
            match <[String; 5]>::try_from(cells) {
                Ok([what, _, _, _, pins]) => rows.push(Row {
                    line,
                    description: what,
                    evidence: parse_evidence(&pins),
                }),
                Err(cells) => {
                    faults.push(format!(
                        "{}:{line}: a row has {} cells",
                        super::DEVIATIONS_FILE,
                        cells.len()
                    ));
                },
            }
        }
    }
    if rows.is_empty() {
        faults.push(format!(
            "{} has no table with the columns {COLUMNS:?}",
            super::DEVIATIONS_FILE
        ));
    }
    (rows, faults)
}

/// Cells of a table line; `\|` is an escaped bar.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let line = line.replace("\\|", "\u{0}");
    Some(
        line.split('|')
            .map(|cell| cell.trim().replace('\u{0}', "|"))
            .collect(),
    )
}

fn is_separator(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|character| matches!(character, '-' | ':'))
}

/// Parses the code spans of a cell.
fn parse_evidence(cell: &str) -> Vec<Evidence> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(
            |text| match (text.split_once(".rs::"), text.split_once(".json#")) {
                (Some((file, name)), _) => Evidence::Test {
                    file: format!("{file}.rs"),
                    name: name.to_owned(),
                },
                (None, Some((file, step))) => Evidence::Step {
                    file: format!("{file}.json"),
                    step: step.to_owned(),
                },
                (None, None) => Evidence::Unknown(text.to_owned()),
            },
        )
        .collect()
}
