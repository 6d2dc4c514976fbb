//! The table of deviations, out of the Markdown around it.

/// The columns, as the table's head names them.
const COLUMNS: [&str; 5] = ["What", "OpenZiti", "Portcullis", "Reason", "Test"];

/// A row of the table.
#[derive(Debug)]
pub(super) struct Row {
    /// Its line in the document, from 1.
    pub(super) line: usize,
    /// What deviates.
    pub(super) what: String,
    /// What pins it.
    pub(super) evidence: Vec<Evidence>,
}

/// Something that a row names as its test.
#[derive(Debug)]
pub(super) enum Evidence {
    /// A test in a source file.
    Test { file: String, name: String },
    /// A step of a recorded exchange.
    Step { file: String, step: String },
    /// Neither.
    Unknown(String),
}

/// Reads the rows of all tables with the right head, and what is wrong with them.
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
        } else if is_inside && !cells.iter().all(|cell| is_rule(cell)) {
            match <[String; 5]>::try_from(cells) {
                Ok([what, _, _, _, pins]) => rows.push(Row {
                    line,
                    what,
                    evidence: named(&pins),
                }),
                Err(cells) => {
                    faults.push(format!(
                        "{}:{line}: a row has {} cells",
                        super::DOCUMENT,
                        cells.len()
                    ));
                },
            }
        }
    }
    if rows.is_empty() {
        faults.push(format!(
            "{} has no table with the columns {COLUMNS:?}",
            super::DOCUMENT
        ));
    }
    (rows, faults)
}

/// The cells of a line of a table; `\|` is a bar inside a cell.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let line = line.replace("\\|", "\u{0}");
    Some(
        line.split('|')
            .map(|cell| cell.trim().replace('\u{0}', "|"))
            .collect(),
    )
}

fn is_rule(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|character| matches!(character, '-' | ':'))
}

/// What stands between backticks in a cell.
fn named(cell: &str) -> Vec<Evidence> {
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
