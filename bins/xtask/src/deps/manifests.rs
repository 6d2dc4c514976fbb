//! Conventions of the manifests: versions and lints are declared in the workspace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Crates that contain only test code. Clippy's exceptions for tests do not apply to functions that tests
/// share, so these crates configure their own lints, but must keep [`REQUIRED_LINTS`].
const TEST_CRATES: &[&str] = &[
    "crates/simulated-router",
    "crates/simulated-sdk",
    "crates/testkit",
    "tests",
];

/// Lints that every crate must have at the level of the workspace.
const REQUIRED_LINTS: &[[&str; 2]] = &[
    ["rust", "unsafe_code"],
    ["clippy", "all"],
    ["clippy", "pedantic"],
];

const TABLES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Checks the manifests of the workspace and of its members.
pub(super) fn check(workspace: &Table, members: &[(PathBuf, Table)]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut used = BTreeSet::new();
    for (path, manifest) in members {
        for (name, entry) in dependencies(manifest) {
            used.insert(name);
            faults.extend(check_declaration(path, name, entry));
        }
        faults.extend(check_lints(workspace, path, manifest));
    }
    for name in table_at(workspace, &["workspace", "dependencies"])
        .into_iter()
        .flat_map(Table::keys)
    {
        if !used.contains(name.as_str()) {
            faults.push(format!("Cargo.toml declares {name}, which no crate uses"));
        }
    }
    let rustc = table_at(workspace, &["workspace", "lints", "rust"]);
    if rustc.and_then(|lints| lints.get("unsafe_code")) != Some(&Value::from("forbid")) {
        faults.push("Cargo.toml does not forbid unsafe_code".to_owned());
    }
    faults
}

/// Every dependency of a crate, including platform-specific ones.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (&str, &Value)> {
    let platforms = manifest
        .get("target")
        .and_then(Value::as_table)
        .into_iter()
        .flatten();
    std::iter::once(manifest)
        .chain(platforms.filter_map(|(_, platform)| platform.as_table()))
        .flat_map(|place| {
            TABLES
                .iter()
                .filter_map(|name| place.get(*name)?.as_table())
        })
        .flatten()
        .map(|(name, entry)| (name.as_str(), entry))
}

fn check_declaration(path: &Path, name: &str, entry: &Value) -> Option<String> {
    let is_inherited = entry.get("workspace") == Some(&Value::from(true));
    (!is_inherited).then(|| {
        format!(
            "{}: {name} is not taken from [workspace.dependencies]",
            path.display()
        )
    })
}

/// Checks the lints of a crate.
fn check_lints(workspace: &Table, path: &Path, manifest: &Table) -> Option<String> {
    let own = manifest.get("lints").and_then(Value::as_table);
    if own.and_then(|lints| lints.get("workspace")) == Some(&Value::from(true)) {
        return None;
    }
    let may_differ = TEST_CRATES
        .iter()
        .any(|folder| path.parent() == Some(Path::new(folder)));
    let Some(own) = own.filter(|_| may_differ) else {
        return Some(format!(
            "{} does not opt into the lints of the workspace",
            path.display()
        ));
    };
    let common = table_at(workspace, &["workspace", "lints"])?;
    let level =
        |table: &Table, [group, lint]: &[&str; 2]| table_at(table, &[group])?.get(*lint).cloned();
    let [_, weaker] = REQUIRED_LINTS
        .iter()
        .find(|lint| level(own, lint) != level(common, lint))?;
    Some(format!(
        "{} differs from the workspace in the lint {weaker}",
        path.display()
    ))
}

fn table_at<'t>(table: &'t Table, path: &[&str]) -> Option<&'t Table> {
    path.iter()
        .try_fold(table, |table, key| table.get(*key)?.as_table())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: &str = r#"
        [workspace.dependencies]
        serde = "1"
        [workspace.lints.rust]
        unsafe_code = "forbid"
        [workspace.lints.clippy]
        all = "warn"
        pedantic = "warn"
    "#;

    fn faults(workspace: &str, path: &str, member: &str) -> Vec<String> {
        let member = (
            PathBuf::from(path).join("Cargo.toml"),
            member.parse().unwrap(),
        );
        check(&workspace.parse().unwrap(), &[member])
    }

    #[test]
    fn habits_are_held() {
        let good = "[dependencies]\nserde.workspace = true\n[lints]\nworkspace = true";
        assert_eq!(faults(WORKSPACE, "crates/a", good), Vec::<String>::new());
    }

    #[test]
    fn versions_stand_in_one_place() {
        for declaration in [
            "[dependencies]\nserde = '1'",
            "[dependencies]\nserde = { version = '1' }",
            "[dependencies]\nserde = { path = '../serde' }",
            "[dev-dependencies]\nserde = { git = 'https://example.test/serde' }",
            "[target.'cfg(unix)'.build-dependencies]\nserde = '1'",
        ] {
            let member = format!("{declaration}\n[lints]\nworkspace = true");
            let found = faults(WORKSPACE, "crates/a", &member);
            let fault = "crates/a/Cargo.toml: serde is not taken from [workspace.dependencies]";
            assert_eq!(found, [fault], "{declaration}");
        }
    }

    #[test]
    fn unused_entries_are_faults() {
        let found = faults(WORKSPACE, "crates/a", "[lints]\nworkspace = true");
        assert_eq!(found, ["Cargo.toml declares serde, which no crate uses"]);
    }

    #[test]
    fn unsafe_code_is_forbidden() {
        let lenient = WORKSPACE.replace("forbid", "deny");
        let member = "[dependencies]\nserde.workspace = true\n[lints]\nworkspace = true";
        let found = faults(&lenient, "crates/a", member);
        assert_eq!(found, ["Cargo.toml does not forbid unsafe_code"]);
    }

    #[test]
    fn lints_are_inherited_or_repeated() {
        let repeated = |unsafe_code: &str, all: &str| {
            format!(
                "[dependencies]\nserde.workspace = true\n\
                 [lints.rust]\nunsafe_code = '{unsafe_code}'\n\
                 [lints.clippy]\nall = '{all}'\npedantic = 'warn'"
            )
        };
        for (path, member, fault) in [
            ("tests", repeated("forbid", "warn"), None),
            ("crates/testkit", repeated("forbid", "warn"), None),
            (
                "crates/testkit",
                repeated("forbid", "allow"),
                Some("in the lint all"),
            ),
            (
                "crates/testkit",
                repeated("deny", "warn"),
                Some("in the lint unsafe_code"),
            ),
            (
                "crates/a",
                repeated("forbid", "warn"),
                Some("does not opt into"),
            ),
            (
                "tests",
                "[dependencies]\nserde.workspace = true".to_owned(),
                Some("does not opt"),
            ),
        ] {
            let found = faults(WORKSPACE, path, &member);
            match fault {
                None => assert_eq!(found, Vec::<String>::new(), "{path}: {member}"),
                Some(text) => {
                    assert_eq!(found.len(), 1, "{path}: {member}: {found:?}");
                    assert!(found[0].contains(text), "{path}: {member}: {found:?}");
                },
            }
        }
    }
}
