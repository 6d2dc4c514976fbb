//! Check of `docs/api-deviations.md` against the tests and recorded steps that it names.
//!
//! Each row of the document names its evidence: tests, as `` `path/to/file.rs::test_name` ``, and steps of
//! recorded exchanges that show the difference, as `` `file.json#step` ``. The steps are listed in
//! `tests/golden-deviations.txt`, each of whose lines some row must name.

mod document;
mod recorded;
mod sources;

use crate::findings::{Findings, count};
use crate::workspace;
use document::{Evidence, Row};
use recorded::RecordedSteps;
use std::path::Path;

const DEVIATIONS_FILE: &str = "docs/api-deviations.md";
const RECORDED_STEPS_FILE: &str = "tests/golden-deviations.txt";

/// Checks the document against the evidence, and the recorded steps against the document.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let (rows, mut faults) = document::read(&workspace::read(root, DEVIATIONS_FILE)?);
    let (steps, unreadable) = RecordedSteps::read(&workspace::read(root, RECORDED_STEPS_FILE)?);
    faults.extend(unreadable);
    faults.extend(compare(&rows, &steps, |file, test| {
        sources::has_test(root, file, test)
    }));
    let scope = format!(
        "{} and {}",
        count(rows.len(), "deviation"),
        count(steps.len(), "step")
    );
    Ok(Findings { faults, scope })
}

fn compare(
    rows: &[Row],
    steps: &RecordedSteps,
    has_test: impl Fn(&str, &str) -> Result<bool, String>,
) -> Vec<String> {
    let mut faults = Vec::new();
    for row in rows {
        let place = format!("{DEVIATIONS_FILE}:{}", row.line);
        if row.evidence.is_empty() {
            faults.push(format!("{place}: '{}' names no test", row.description));
        }
        for evidence in &row.evidence {
            match evidence {
                Evidence::Test { file, name } => match has_test(file, name) {
                    Ok(true) => {},
                    Ok(false) => faults.push(format!("{place}: {file} has no test {name}")),
                    Err(error) => faults.push(format!("{place}: {error}")),
                },
                Evidence::Step { file, step } if !steps.contains(file, step) => {
                    faults.push(format!(
                        "{place}: {RECORDED_STEPS_FILE} has no step {file}#{step}"
                    ));
                },
                Evidence::Step { .. } => {},
                Evidence::Unknown(text) => {
                    faults.push(format!(
                        "{place}: '{text}' is neither file.rs::test nor file.json#step"
                    ));
                },
            }
        }
    }
    let named = |file: &str, step: &str| {
        rows.iter().flat_map(|row| &row.evidence).any(|evidence| {
            matches!(evidence, Evidence::Step { file: f, step: s } if f == file && s == step)
        })
    };
    for (line, file, step) in steps.iter().filter(|(_, file, step)| !named(file, step)) {
        faults.push(format!(
            "{RECORDED_STEPS_FILE}:{line}: no row of {DEVIATIONS_FILE} names {file}#{step}"
        ));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| What | OpenZiti | Portcullis | Reason | Test |
|---|---|---|---|---|
| names | 500 | 400 | mistake | `a.rs::holds`, `x.json#bad name` |
";

    fn faults(document: &str, recorded: &str) -> Vec<String> {
        let (rows, mut faults) = document::read(document);
        let (steps, unreadable) = RecordedSteps::read(recorded);
        faults.extend(unreadable);
        let has_test = |file: &str, test: &str| match file {
            "a.rs" => Ok(test == "holds"),
            _ => Err(format!("{file} cannot be read")),
        };
        faults.extend(compare(&rows, &steps, has_test));
        faults
    }

    #[test]
    fn document_and_tests_agree() {
        let recorded = "# comment\n\nx.json | bad name | mistake\n";
        assert_eq!(faults(TABLE, recorded), Vec::<String>::new());
    }

    #[test]
    fn disagreements_are_faults() {
        let recorded = "x.json | bad name | mistake";
        for (document, recorded, fault) in [
            (TABLE.to_owned(), "", "has no step x.json#bad name"),
            (
                TABLE.replace("holds", "fails"),
                recorded,
                "a.rs has no test fails",
            ),
            (
                TABLE.replace("a.rs", "b.rs"),
                recorded,
                "b.rs cannot be read",
            ),
            (
                TABLE.replace("a.rs::holds", "by hand"),
                recorded,
                "'by hand' is neither",
            ),
            (
                TABLE.replace(", `x.json#bad name`", ""),
                recorded,
                "txt:1: no row of",
            ),
            (TABLE.replace('`', ""), "", "'names' names no test"),
            (
                TABLE.to_owned(),
                "x.json | bad name\nx.json | bad name | m",
                "txt:1: ",
            ),
            (
                TABLE.replace(" | mistake", ""),
                recorded,
                ":3: a row has 4 cells",
            ),
        ] {
            let found = faults(&document, recorded);
            assert!(
                found.iter().any(|line| line.contains(fault)),
                "{fault}: {found:?}"
            );
        }
    }
}
