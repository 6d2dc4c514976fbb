//! Snapshots of the public API of the crates that others embed.
//!
//! `crates/NAME/public-api.txt` has a line for each item that users of a crate can name, with its
//! signature, so that a change of it is seen in a review. It is made from the source: what macros make
//! stands there as their calls, and types as they are written.

mod crate_source;
mod listing;
mod text;

use crate::findings::{Findings, count};
use anyhow::Context as _;
use crate_source::CrateSource;
use std::collections::BTreeSet;
use std::path::Path;

/// Crates for others, by their directories.
const CRATES: &[&str] = &[
    "client",
    "domain",
    "filter",
    "router-config",
    "system",
    "totp",
    "yaml",
];

/// Environment variable that has the files written anew.
const BLESS_VARIABLE: &str = "PORTCULLIS_BLESS";

/// Most differences of a crate to print.
const MAX_DIFFERENCES: usize = 20;

/// Compares the files with the source, or writes them.
pub(crate) fn check(root: &Path) -> anyhow::Result<Findings> {
    let is_blessing = std::env::var_os(BLESS_VARIABLE).is_some();
    let mut faults = Vec::new();
    for name in CRATES {
        let directory = root.join("crates").join(name);
        let listed = list(&directory).with_context(|| format!("crates/{name} cannot be listed"))?;
        let file = directory.join("public-api.txt");
        if is_blessing {
            std::fs::write(&file, listed)
                .with_context(|| format!("{} cannot be written", file.display()))?;
        } else {
            let known = std::fs::read_to_string(&file).unwrap_or_default();
            faults.extend(differences(name, &known, &listed));
        }
    }
    Ok(Findings {
        faults,
        scope: format!("the public API of {}", count(CRATES.len(), "crate")),
    })
}

fn list(directory: &Path) -> anyhow::Result<String> {
    let source = CrateSource::load(&directory.join("src"))?;
    let lines = listing::list(&source);
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

fn differences(name: &str, known: &str, listed: &str) -> Vec<String> {
    let (before, after): (BTreeSet<_>, BTreeSet<_>) =
        (known.lines().collect(), listed.lines().collect());
    let gone = before.difference(&after).map(|line| format!("- {line}"));
    let new = after.difference(&before).map(|line| format!("+ {line}"));
    let mut lines: Vec<String> = gone.chain(new).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let more = lines.len().saturating_sub(MAX_DIFFERENCES);
    lines.truncate(MAX_DIFFERENCES);
    if more > 0 {
        lines.push(format!("and {}", count(more, "more difference")));
    }
    vec![format!(
        "crates/{name}/public-api.txt is not what the source has; if that is meant, run \
         `{BLESS_VARIABLE}=1 cargo xtask public-api`\n{}",
        lines.join("\n")
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn the_snapshots_are_what_the_source_has() {
        let root = workspace::root().expect("the workspace is there");
        let findings = check(&root).expect("the source can be read");
        assert!(findings.faults.is_empty(), "{}", findings.faults.join("\n"));
    }

    #[test]
    fn what_is_gone_and_what_is_new_is_told() {
        let told = differences("a", "fn a::b()\nfn a::c()\n", "fn a::b(x: u8)\nfn a::c()\n");
        assert_eq!(told.len(), 1);
        assert!(
            told[0].ends_with("\n- fn a::b()\n+ fn a::b(x: u8)"),
            "{told:?}"
        );
        assert!(differences("a", "fn a::b()\n", "fn a::b()\n").is_empty());
    }
}
