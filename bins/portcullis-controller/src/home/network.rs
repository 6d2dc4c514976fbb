//! Files of a network that stays: the layout of a home, and everything at once.

use super::pki::{self, PkiSettings};
use super::{Home, HomeSettings};
use crate::directory_draft::DirectoryDraft;
use crate::files::{self, PUBLIC_MODE, SECRET_MODE};
use crate::store;
use anyhow::{Context as _, ensure};
use portcullis_controller_config::{GenerateOptions, HomeLayout, StoreLocation, generate};
use portcullis_domain::Env;
use portcullis_pki::{Sha256Fingerprint, TrustDomain};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A network that is to be created. All paths are absolute.
#[derive(Debug, Clone)]
pub(crate) struct NetworkPlan {
    pub(crate) settings: HomeSettings,
    /// Further names and addresses of the server certificate.
    pub(crate) sans: Vec<String>,
    /// Port for routers.
    pub(crate) ctrl_port: u16,
    pub(crate) trust_domain: Option<TrustDomain>,
    pub(crate) directory: PathBuf,
    /// Directory of certificates and keys.
    pub(crate) pki: PathBuf,
    /// Value of `db`.
    pub(crate) db: PathBuf,
}

/// What was created.
#[derive(Debug, Clone)]
pub(crate) struct NetworkFiles {
    pub(crate) home: Home,
    pub(crate) pki: PathBuf,
    /// The store, if it was created.
    pub(crate) store: Option<StoreLocation>,
    /// Fingerprint of the root CA.
    pub(crate) root: Sha256Fingerprint,
}

/// Creates all files of a network, or none of them.
///
/// `may_finish` is asked once everything is written and before it is put in place.
pub(crate) fn create_network(
    plan: &NetworkPlan,
    env: &Env,
    may_finish: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<NetworkFiles> {
    let layout = HomeLayout::under(&plan.directory);
    let text = plan.config_text()?;
    let certificates = pki::create(plan.pki_settings()?, env)?;
    let draft = DirectoryDraft::begin(&plan.directory)?;
    let home = Home::at(draft.path());
    let pki_draft = if plan.pki == pki_directory(&plan.directory) {
        let inside = pki_directory(draft.path());
        files::create_directory(&inside)?;
        certificates.write_into(&inside)?;
        None
    } else {
        let outside = DirectoryDraft::begin(&plan.pki)?;
        certificates.write_into(outside.path())?;
        Some(outside)
    };
    files::create(
        &home.ca,
        certificates.authorities_pem().as_bytes(),
        PUBLIC_MODE,
    )?;
    files::create(&home.config, text.as_bytes(), SECRET_MODE)?;
    let store = (plan.db == layout.db).then_some(StoreLocation::Database(layout.db));
    if store.is_some() {
        // A network with its own directory has a store from the start, so that a lost one is noticed.
        drop(store::open(&home.store(), false, Arc::clone(&env.entropy))?);
    } else {
        require_room_for_store(&plan.db)?;
    }
    may_finish()?;
    let placed = match pki_draft {
        Some(draft) => Some(draft.put_in_place(OsStr::new(""))?),
        None => None,
    };
    let last = layout.config.file_name().unwrap_or_default();
    if let Err(error) = draft.put_in_place(last) {
        if let Some(placed) = placed {
            placed.remove();
        }
        return Err(error);
    }
    Ok(NetworkFiles {
        home: Home::at(&plan.directory),
        pki: plan.pki.clone(),
        store,
        root: certificates.root.certificate().sha256(),
    })
}

impl NetworkPlan {
    fn pki_settings(&self) -> anyhow::Result<PkiSettings> {
        let host = self.settings.advertised_host.as_str();
        let hosts = std::iter::once(host).chain(self.sans.iter().map(String::as_str));
        Ok(PkiSettings {
            names: pki::server_names(hosts).context("--address and --san")?,
            domain: self.trust_domain.clone(),
            key_type: self.settings.key_type,
        })
    }

    fn config_text(&self) -> anyhow::Result<String> {
        let interface = self.settings.interface.to_string();
        let pki = relative_to(&self.directory, &self.pki);
        let files = HomeLayout::under(Path::new("")).with_pki(&pki);
        Ok(generate(&GenerateOptions {
            interface: &interface,
            ctrl_port: self.ctrl_port,
            files: HomeLayout {
                db: relative_to(&self.directory, &self.db),
                ..files
            },
            ..GenerateOptions::new(&self.settings.advertised_host, self.settings.port)
        })?)
    }
}

/// The directory of certificates and keys in a home.
pub(crate) fn pki_directory(home: &Path) -> PathBuf {
    let key = HomeLayout::under(home).key;
    key.parent().map_or_else(|| home.to_owned(), Path::to_owned)
}

/// A path as a file in `directory` may name it.
pub(crate) fn relative_to(directory: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(directory).unwrap_or(path).to_owned()
}

/// Refuses a place where a store lies, or where none can.
fn require_room_for_store(db: &Path) -> anyhow::Result<()> {
    let location = StoreLocation::Database(db.to_owned());
    for path in [location.store_path(), location.sealing_key_path()] {
        ensure!(
            std::fs::symlink_metadata(&path).is_err(),
            "{} exists already; name another --store, or move it away",
            path.display()
        );
    }
    let folder = files::directory_of(db);
    ensure!(
        folder.is_dir(),
        "the directory {} of the store does not exist; create it, or name another --store",
        folder.display()
    );
    Ok(())
}
