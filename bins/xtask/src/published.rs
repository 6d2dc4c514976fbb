//! The exceptions from the published descriptions against those that answers of the tests made use of.
//!
//! The tests hold their answers against the descriptions where these lie beside the repository, and write down which
//! exceptions they needed. One that none needed is taken out of the table.

use crate::findings::{Findings, count};
use crate::workspace;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const TABLE: &str = "crates/testkit/src/published/exceptions.txt";

/// Names the file that the tests write, to the tests.
pub(crate) const USED: &str = "PORTCULLIS_PUBLISHED_USED";

/// The file that the tests of this run write.
pub(crate) fn used_file() -> PathBuf {
    let name = format!("portcullis-published-{}", std::process::id());
    std::env::temp_dir().join(name)
}

/// Compares both, after the tests, and removes what they wrote.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let file = used_file();
    let used = match std::fs::read_to_string(&file) {
        Ok(used) => used,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let scope = "no answers, since the descriptions are not beside the repository";
            return Ok(Findings {
                faults: Vec::new(),
                scope: scope.to_owned(),
            });
        },
        Err(error) => return Err(error.into()),
    };
    std::fs::remove_file(&file)?;
    Ok(compare(&workspace::read(root, TABLE)?, &used))
}

fn compare(table: &str, used: &str) -> Findings {
    let used: BTreeSet<_> = used.lines().collect();
    let rows = || {
        let lines = table.lines().enumerate();
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    };
    let faults = rows()
        .filter(|(_, line)| !used.contains(line))
        .map(|(index, line)| format!("{TABLE}:{}: no answer needs this: {line}", index + 1))
        .collect();
    Findings {
        faults,
        scope: count(rows().count(), "exception"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_that_nothing_needs_are_faults() {
        let table = "# comment\n\nschema | a | null | one\nschema | b | null | two\n";
        let all = "schema | b | null | two\nschema | a | null | one\n";
        assert_eq!(compare(table, all).faults, Vec::<String>::new());
        let found = compare(table, "schema | a | null | one\n").faults;
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("txt:4: "), "{found:?}");
    }
}
