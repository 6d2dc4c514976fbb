//! What the registry wants of the crates that are published: a description, places to be found under, and
//! the files that have to be in the package.

use crate::workspace;
use std::path::Path;
use toml::{Table, Value};

/// Members of `[package]` that the workspace declares for all.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license"];

/// Members of `[package]` that each crate has for itself.
const OWN: &[&str] = &["description", "keywords", "categories"];

/// Files beside the source. The license is a link to that of the repository, which cargo follows.
const FILES: &[&str] = &["LICENSE", "README.md"];

/// Checks the manifest at `path` if its crate is published.
pub(super) fn check(root: &Path, path: &Path, manifest: &Table) -> Vec<String> {
    let Some(package) = manifest.get("package").and_then(Value::as_table) else {
        return Vec::new();
    };
    if package.get("publish") != Some(&Value::from(true)) {
        return Vec::new();
    }
    let folder = path.parent().unwrap_or(path);
    check_members(package)
        .chain(check_files(root, folder, package))
        .map(|fault| format!("{} {fault}", path.display()))
        .collect()
}

fn check_members(package: &Table) -> impl Iterator<Item = String> {
    let is_inherited = |name: &str| {
        let member = package.get(name).and_then(Value::as_table);
        member.and_then(|member| member.get("workspace")) == Some(&Value::from(true))
    };
    let is_given = |name: &str| match package.get(name) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    };
    let foreign = INHERITED
        .iter()
        .filter(move |name| !is_inherited(name))
        .map(|name| format!("does not take `{name}` from the workspace"));
    let missing = OWN
        .iter()
        .filter(move |name| !is_given(name))
        .map(|name| format!("has no `{name}`, which the registry shows"));
    foreign.chain(missing)
}

fn check_files(root: &Path, folder: &Path, package: &Table) -> impl Iterator<Item = String> {
    let is_packed = |name: &str| {
        let pattern = Value::from(format!("/{name}"));
        let include = package.get("include").and_then(Value::as_array);
        include.is_none_or(|patterns| patterns.contains(&pattern))
    };
    let unpacked = FILES
        .iter()
        .filter(move |name| !is_packed(name))
        .map(|name| format!("does not include {name}"));
    let missing = FILES
        .iter()
        .filter(move |name| !root.join(folder).join(name).is_file())
        .map(|name| format!("has no {name} beside it"));
    let common = workspace::read(root, "LICENSE").ok();
    let has_other_license = workspace::read(root, folder.join("LICENSE"))
        .is_ok_and(|own| common.is_some_and(|common| common != own));
    let other_license =
        has_other_license.then(|| "has a LICENSE other than that of the repository".to_owned());
    unpacked.chain(missing).chain(other_license)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        [package]
        publish = true
        version.workspace = true
        edition.workspace = true
        rust-version.workspace = true
        license.workspace = true
        description = "A crate"
        keywords = ["a"]
        categories = ["b"]
        include = ["/src", "/LICENSE", "/README.md"]
    "#;

    /// The repository itself, of which a crate has all files.
    fn faults(manifest: &str) -> Vec<String> {
        let root = workspace::root().expect("the workspace is there");
        let manifest = manifest.parse().expect("it is TOML");
        check(&root, Path::new("crates/domain/Cargo.toml"), &manifest)
    }

    #[test]
    fn complete_manifests_and_those_that_stay_at_home_are_fine() {
        assert_eq!(faults(GOOD), Vec::<String>::new());
        assert_eq!(faults("[package]\npublish = false"), Vec::<String>::new());
        assert_eq!(
            faults("[package]\npublish.workspace = true"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn each_lack_is_told() {
        for (from, to, fault) in [
            (
                "license.workspace = true",
                "license = 'MIT'",
                "does not take `license` from the workspace",
            ),
            (
                "description = \"A crate\"",
                "",
                "has no `description`, which the registry shows",
            ),
            (
                "[\"a\"]",
                "[]",
                "has no `keywords`, which the registry shows",
            ),
            ("\"/LICENSE\", ", "", "does not include LICENSE"),
        ] {
            let found = faults(&GOOD.replace(from, to));
            assert_eq!(found, [format!("crates/domain/Cargo.toml {fault}")]);
        }
    }

    #[test]
    fn files_have_to_be_there() {
        let root = workspace::root().expect("the workspace is there");
        let manifest = GOOD.parse().expect("it is TOML");
        let path = Path::new("crates/storage/Cargo.toml");
        let found = check(&root, path, &manifest);
        let expected = ["LICENSE", "README.md"]
            .map(|name| format!("crates/storage/Cargo.toml has no {name} beside it"));
        assert_eq!(found, expected);
    }
}
