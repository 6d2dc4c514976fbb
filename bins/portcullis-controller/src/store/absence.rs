//! Stores that were there before and are not there any more.
//!
//! A new store has no identities, no administrator and none of the revocations of the old one.
//! Making one in the place of a lost one would turn the loss into permission.

use anyhow::bail;
use portcullis_controller_config::StoreLocation;
use std::fs;
use std::path::Path;

/// Refuses to go on without a store where there must have been one: `was_made` says so, or what it
/// has left behind does.
pub(super) fn check(location: &StoreLocation, was_made: bool) -> anyhow::Result<()> {
    let (store, key) = (location.store_path(), location.sealing_key_path());
    let Some(what) = what_is_wrong(&store, &key, was_made) else {
        return Ok(());
    };
    let remains: Vec<_> = [&store, &key]
        .into_iter()
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .map(|path| path.display().to_string())
        .collect();
    let mut anew = Vec::new();
    if !remains.is_empty() {
        anew.push(format!("move {} away", remains.join(" and ")));
    }
    if was_made {
        anew.push("create a new store with `portcullis-controller init`".to_owned());
    }
    bail!(
        "the store {} {what}; restore a backup (or, to start over on purpose, {})",
        store.display(),
        anew.join(" and "),
    );
}

/// Says why a store cannot just be made, if it cannot. What else may be wrong is found when it is
/// opened.
fn what_is_wrong(store: &Path, key: &Path, was_made: bool) -> Option<String> {
    match fs::metadata(store) {
        // The engine puts a store in place whole.
        Ok(found) => (found.len() == 0).then(|| "is empty: its content is lost".to_owned()),
        Err(_) if fs::symlink_metadata(store).is_ok() => {
            Some("is a link to something that cannot be found".to_owned())
        },
        Err(_) if key.exists() => Some(format!(
            "is missing, although there was one: its sealing key {} is there",
            key.display()
        )),
        Err(_) => was_made.then(|| "is missing, although it was made with this network".to_owned()),
    }
}
