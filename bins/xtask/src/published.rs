//! Check for unused exceptions from the published API descriptions.
//!
//! The tests validate responses against the descriptions if these are beside the repository, and record
//! the exceptions that they used. Unused exceptions must be removed from the table.

use crate::findings::{Findings, count};
use crate::workspace;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const EXCEPTIONS_FILE: &str = "crates/testkit/src/published/exceptions.txt";

/// Environment variable with the path of the file that the tests write.
pub(crate) const USED_EXCEPTIONS_VARIABLE: &str = "PORTCULLIS_PUBLISHED_USED";

/// Path of the file that the tests of this run write.
pub(crate) fn used_exceptions_file() -> PathBuf {
    let name = format!("portcullis-published-{}", std::process::id());
    std::env::temp_dir().join(name)
}

/// Compares the table with the file of the tests and removes the file.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let file = used_exceptions_file();
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
    Ok(compare(&workspace::read(root, EXCEPTIONS_FILE)?, &used))
}

fn compare(table: &str, used: &str) -> Findings {
    let used: BTreeSet<_> = used.lines().collect();
    let rows = || {
        let lines = table.lines().enumerate();
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    };
    let faults = rows()
        .filter(|(_, line)| !used.contains(line))
        .map(|(index, line)| {
            format!(
                "{EXCEPTIONS_FILE}:{}: no response needs this exception: {line}",
                index + 1
            )
        })
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
