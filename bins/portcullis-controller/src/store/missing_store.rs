//! Detection of lost stores.
//!
//! A new store has no identities, no administrator and none of the revocations of the old one. Replacing
//! a lost store with a new one would turn the loss into permission.

use anyhow::bail;
use portcullis_controller_config::StoreLocation;
use std::fs;
use std::path::Path;

/// Refuses a missing store where there must have been one, because of `must_exist` or of files that it
/// left behind.
pub(super) fn check(location: &StoreLocation, must_exist: bool) -> anyhow::Result<()> {
    let (store, key) = (location.store_path(), location.sealing_key_path());
    let Some(what) = missing_reason(&store, &key, must_exist) else {
        return Ok(());
    };
    let leftovers: Vec<_> = [&store, &key]
        .into_iter()
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .map(|path| path.display().to_string())
        .collect();
    let mut steps = Vec::new();
    if !leftovers.is_empty() {
        steps.push(format!("move {} away", leftovers.join(" and ")));
    }
    if must_exist {
        steps.push("create a new store with `portcullis-controller init`".to_owned());
    }
    bail!(
        "the store {} {what}; restore a backup (or, to start over on purpose, {})",
        store.display(),
        steps.join(" and "),
    );
}

/// The reason why a new store must not be created, if any. Other problems are found when it is opened.
fn missing_reason(store: &Path, key: &Path, must_exist: bool) -> Option<String> {
    match fs::metadata(store) {
        // The engine creates stores atomically, so an empty file is not a new one.
        Ok(found) => (found.len() == 0).then(|| "is empty: its content is lost".to_owned()),
        Err(_) if fs::symlink_metadata(store).is_ok() => {
            Some("is a broken symbolic link".to_owned())
        },
        Err(_) if key.exists() => Some(format!(
            "is missing, although there was one: its sealing key {} is there",
            key.display()
        )),
        Err(_) => {
            must_exist.then(|| "is missing, although it was made with this network".to_owned())
        },
    }
}
