//! Contents of a directory that is to become a home.

use super::Home;
use crate::files;
use anyhow::{Context as _, bail};
use portcullis_controller_config::HomeLayout;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Names that are listed at most.
const MAX_LISTED: usize = 5;

/// What file systems put at their top by themselves.
const LOST_AND_FOUND: &str = "lost+found";

/// Refuses a directory that holds something else than a home, or parts of one that an interrupted start
/// left: keys would lie among files that are shared or published.
pub(super) fn refuse_foreign(folder: &Path) -> anyhow::Result<()> {
    let foreign = foreign_entries(folder)
        .with_context(|| format!("the directory {} cannot be read", folder.display()))?;
    if foreign.is_empty() || Home::at(folder).is_ready() {
        return Ok(());
    }
    let listed: Vec<_> = foreign
        .iter()
        .take(MAX_LISTED)
        .map(String::as_str)
        .collect();
    let more = match foreign.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    bail!(
        "the directory {} is no home of a network and not empty: it contains {}{more}; name a new or \
         empty directory, such as {}",
        folder.display(),
        listed.join(", "),
        folder.join("portcullis").display(),
    );
}

/// Names of entries that no start of a home makes, sorted.
fn foreign_entries(folder: &Path) -> io::Result<Vec<String>> {
    let known = known_paths(folder);
    let mut foreign = Vec::new();
    for entry in entries(folder)? {
        let is_lost_and_found = entry.file_name().is_some_and(|name| name == LOST_AND_FOUND);
        if is_lost_and_found || is_pki(&entry, folder) || known.contains(&entry) {
            continue;
        }
        foreign.extend(
            entry
                .file_name()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    foreign.sort_unstable();
    Ok(foreign)
}

/// Whether `entry` is the directory of the keys, finished or not, with nothing else in it.
fn is_pki(entry: &Path, folder: &Path) -> bool {
    let finished = super::pki_directory(folder);
    let all = [
        files::draft_path(&finished),
        folder.join(super::INCOMPLETE_PKI),
        finished.clone(),
    ];
    let layout = HomeLayout::under(folder);
    let own = [
        &layout.cert,
        &layout.key,
        &layout.server_cert,
        &layout.server_key,
        &layout.ca,
        &layout.signing_cert,
        &layout.signing_key,
        &layout.root_key,
        &finished.join("root.cert"),
    ]
    .map(|path| path.file_name().map(ToOwned::to_owned));
    let is_own = |path: &PathBuf| own.contains(&path.file_name().map(ToOwned::to_owned));
    all.iter().any(|known| known == entry)
        && entries(entry).is_ok_and(|inside| inside.iter().all(is_own))
}

/// Files that a start makes, and their drafts.
fn known_paths(folder: &Path) -> Vec<PathBuf> {
    let home = Home::at(folder);
    let store = home.store();
    let files = [
        store.store_path(),
        store.sealing_key_path(),
        home.config,
        home.ca,
        home.password,
        home.audit,
    ];
    let drafts = files.iter().map(|file| files::draft_path(file));
    let drafts: Vec<_> = drafts.collect();
    files.into_iter().chain(drafts).collect()
}

/// Entries of a directory; none if there is no directory.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => found.map(|entry| Ok(entry?.path())).collect(),
        Err(error) => match error.kind() {
            // Making it says what is wrong with its path.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(Vec::new()),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_start_leaves_is_taken_for_a_part_of_a_home() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert!(refuse_foreign(&path.join("missing")).is_ok());
        for name in ["pki", "pki.new", "lost+found"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        for name in [
            "pki/root.key",
            "ca.pem",
            "admin-password",
            "ctrl.db.portcullis",
        ] {
            fs::write(path.join(name), "").unwrap();
        }
        assert!(refuse_foreign(path).is_ok());
        for name in ["pki/other.key", "README.md", ".git"] {
            fs::write(path.join(name), "").unwrap();
        }
        let said = refuse_foreign(path).unwrap_err().to_string();
        assert!(
            said.contains("it contains .git, README.md, pki; name a new"),
            "{said}"
        );
        fs::write(path.join("controller.yml"), "").unwrap();
        assert!(refuse_foreign(path).is_ok(), "notes beside a home");
    }
}
