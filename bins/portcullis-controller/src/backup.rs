//! Copies of the store: verification, and putting one in the place of the store.

use crate::files::{self, SECRET_MODE};
use crate::store;
use anyhow::{Context as _, bail};
use portcullis_controller_config::StoreLocation;
use portcullis_domain::Env;
use portcullis_domain::change::Change;
use portcullis_domain::io_error::describe_io_error;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::tables::{Finding, inspect};
use portcullis_storage::vault::Vault;
use portcullis_storage_redb::RedbEngine;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Maximum number of findings that are shown.
const MAX_FINDINGS: usize = 100;

/// Checks a copy without changing it, and returns what is wrong in it. With a sealing key, also checks
/// that the key is the one of the copy.
///
/// # Errors
/// If the copy cannot be read at all, or the key does not open it.
pub(crate) fn verify(
    copy: &Path,
    sealing_key: Option<&Path>,
    env: &Env,
) -> anyhow::Result<Vec<Finding>> {
    let engine = open(copy)?;
    if let Some(key) = sealing_key {
        Vault::open(&engine, key, env.entropy.clone()).with_context(|| {
            format!(
                "the sealing key {} does not open the secrets of {}",
                key.display(),
                copy.display()
            )
        })?;
    }
    let snapshot = engine.snapshot()?;
    let mut inspection = inspect(&*snapshot, MAX_FINDINGS, &|| false)
        .with_context(|| format!("the copy {} cannot be read", copy.display()))?;
    inspection.findings.truncate(MAX_FINDINGS);
    Ok(inspection.findings)
}

fn open(copy: &Path) -> anyhow::Result<RedbEngine<Change>> {
    let name = copy.display();
    let found = fs::metadata(copy);
    let found = found.map_err(|error| read_error(copy, &error))?;
    if !found.is_file() || found.len() == 0 {
        bail!(
            "{name} is no copy of a store: name a file that `portcullis database snapshot` has written"
        );
    }
    store::open_unchanged(copy)
}

fn read_error(file: &Path, error: &io::Error) -> anyhow::Error {
    let (name, reason) = (file.display(), describe_io_error(error));
    anyhow::anyhow!("{name} cannot be read: {reason}")
}

/// Puts a verified copy in the place of the store, at once or not at all. Returns where the replaced
/// store is now, if there was one.
///
/// # Errors
/// If a controller uses the store, or if the copy cannot be written. The store is then as it was.
pub(crate) fn put_in_place(
    copy: &Path,
    location: &StoreLocation,
    env: &Env,
) -> anyhow::Result<Option<PathBuf>> {
    let store = location.store_path();
    let _lock = lock(&store)?;
    if is_same_file(copy, &store) {
        bail!("{} is the store itself; name a copy of it", copy.display());
    }
    let draft = write_draft(copy, &store)?;
    let replaced = keep_replaced(&store, env);
    let replaced = replaced.and_then(|replaced| {
        files::rename(&draft, &store)?;
        Ok(replaced)
    });
    if replaced.is_err() {
        files::remove_if_exists(&draft)?;
    }
    replaced
}

/// Locks the store against controllers, if it exists.
fn lock(path: &Path) -> anyhow::Result<Option<File>> {
    let name = path.display();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(read_error(path, &error)),
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "the store {name} is in use by {}; stop the controller first",
                store::describe_lock_holder(path)
            )
        },
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("the store {name} cannot be locked"))
        },
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Writes the content of the copy beside the store.
fn write_draft(copy: &Path, store: &Path) -> anyhow::Result<PathBuf> {
    let draft = files::draft_path(store);
    files::remove_if_exists(&draft)?;
    let writing = || {
        let mut target = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(SECRET_MODE)
            .open(&draft)?;
        let model = if store.exists() {
            store
        } else {
            files::directory_of(store)
        };
        files::inherit_owner(&target, model)?;
        io::copy(&mut File::open(copy)?, &mut target)?;
        target.sync_all()
    };
    if let Err(error) = writing() {
        let _ = fs::remove_file(&draft);
        let (name, reason) = (draft.display(), describe_io_error(&error));
        bail!("{name} cannot be written: {reason}; the store is as it was");
    }
    Ok(draft)
}

/// Gives the store a second name, under which it stays when it is replaced.
fn keep_replaced(store: &Path, env: &Env) -> anyhow::Result<Option<PathBuf>> {
    if !store.exists() {
        return Ok(None);
    }
    let mut name = store.as_os_str().to_owned();
    name.push(env.now().strftime(".replaced-%Y%m%d-%H%M%S").to_string());
    let replaced = PathBuf::from(name);
    fs::hard_link(store, &replaced)
        .with_context(|| format!("the store cannot be kept as {}", replaced.display()))?;
    Ok(Some(replaced))
}
