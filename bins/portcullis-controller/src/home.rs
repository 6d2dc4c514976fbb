//! Home folder of a controller: certificates, keys, store, and a configuration file for them.

mod contents;
mod network;
pub(crate) mod pki;

use crate::files::{self, PUBLIC_MODE, SECRET_MODE};
use crate::store;
use anyhow::{Context as _, bail, ensure};
use pki::PkiSettings;
use portcullis_controller_config::{
    ControllerConfig, ExternalReferences, GenerateOptions, HomeLayout, PemSource, StoreLocation,
    generate,
};
use portcullis_domain::Env;
use portcullis_pki::KeyType;
use portcullis_yaml::SourceId;
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

pub(crate) use network::{NetworkFiles, NetworkPlan, create_network, pki_directory, relative_to};

/// Settings of a new home.
#[derive(Debug, Clone)]
pub struct HomeSettings {
    /// Host name or IP address that is advertised to clients.
    pub advertised_host: String,
    /// Address to listen on.
    pub interface: IpAddr,
    /// Port of the APIs.
    pub port: u16,
    /// Type of all keys.
    pub key_type: KeyType,
}

/// Paths of a home.
#[derive(Debug, Clone)]
pub struct Home {
    pub folder: PathBuf,
    pub config: PathBuf,
    /// CA bundle for clients, in PEM.
    pub ca: PathBuf,
    /// File with the generated password of the administrator.
    pub password: PathBuf,
    /// File for the audit trail of a controller on a terminal.
    pub audit: PathBuf,
}

/// What an interrupted start left of the certificates.
const INCOMPLETE_PKI: &str = "pki.incomplete";

impl Home {
    /// The home in `folder`, which need not exist yet.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            config: HomeLayout::under(folder).config,
            ca: folder.join("ca.pem"),
            password: folder.join("admin-password"),
            audit: folder.join("audit.jsonl"),
        }
    }

    /// Whether the home is complete.
    pub fn is_ready(&self) -> bool {
        self.config.exists()
    }

    /// Whether `config` uses the server certificate of this home, which the controller may then renew
    /// before it expires.
    pub fn owns_server_certificate_of(&self, config: &ControllerConfig) -> bool {
        let layout = HomeLayout::under(&self.folder);
        config.identity.server_cert == PemSource::File(layout.server_cert)
            && config.identity.server_key == PemSource::File(layout.server_key)
    }

    /// Whether `config` uses the store of this home.
    pub(crate) fn keeps_store_of(&self, config: &ControllerConfig) -> bool {
        config.store == self.store()
    }

    fn store(&self) -> StoreLocation {
        StoreLocation::Database(HomeLayout::under(&self.folder).db)
    }

    /// Whether any file of a store exists.
    fn has_store(&self) -> bool {
        let store = self.store();
        store.store_path().exists() || store.sealing_key_path().exists()
    }

    /// Refuses a home whose own configuration has its store elsewhere: a copied home would use the store of
    /// the original. Overlay files may change the store on purpose.
    pub(crate) fn check_store_location(&self, named: &ExternalReferences) -> anyhow::Result<()> {
        let Some(store) = named
            .store
            .as_ref()
            .filter(|it| it.place.source == SourceId(0))
        else {
            return Ok(());
        };
        let path = store.location.store_path();
        let is_inside = path.starts_with(&self.folder)
            && !path.components().any(|part| part == Component::ParentDir);
        ensure!(
            is_inside,
            "the store of {} would be {}, outside of the home: the home was copied or moved, and its \
             configuration still names the old directory; write `relativePaths: file` and `db: ctrl.db` \
             there, and the other paths likewise (or serve it unchanged with `run`)",
            self.config.display(),
            path.display(),
        );
        Ok(())
    }
}

/// Creates a home in `folder`, which must not contain one yet.
///
/// The configuration file is created last and atomically, after the store: it marks the home as
/// complete, and a complete home without a store has lost it. Keys are readable by their owner only.
///
/// # Errors
/// If something cannot be created, or if parts of a home already exist.
pub fn create(folder: &Path, settings: &HomeSettings, env: &Env) -> anyhow::Result<Home> {
    files::create_directory(folder)?;
    let folder = folder
        .canonicalize()
        .with_context(|| format!("the directory {} does not exist", folder.display()))?;
    let home = Home::at(&folder);
    let pki_folder = pki_directory(&folder);
    if pki_folder.exists() && !home.is_ready() && !home.has_store() && !home.password.exists() {
        // Interrupted before the keys were used: a password is created after the store. They may be somebody
        // else's, so they are kept.
        let aside = folder.join(INCOMPLETE_PKI);
        if !aside.exists() {
            files::rename(&pki_folder, &aside)?;
        }
    }
    if pki_folder.exists() || home.is_ready() || home.has_store() {
        bail!(
            "{} contains an incomplete network: restore {}, or choose another directory",
            folder.display(),
            home.config.display(),
        );
    }
    let draft = files::draft_path(&pki_folder);
    files::recreate_directory(&draft)
        .with_context(|| format!("the home {} cannot be written", folder.display()))?;

    let names = pki::server_names([&*settings.advertised_host]).context("--ctrl-address")?;
    let pki = PkiSettings {
        names,
        domain: None,
        key_type: settings.key_type,
    };
    let pki = pki::create(pki, env)?;
    let interface = settings.interface.to_string();
    let text = generate(&GenerateOptions {
        interface: &interface,
        // One port for everything.
        ctrl_port: settings.port,
        fetch_keys_from_loopback: true,
        ..GenerateOptions::new(&settings.advertised_host, settings.port)
    })?;
    pki.write_into(&draft)?;
    files::replace(&home.ca, pki.authorities_pem().as_bytes(), PUBLIC_MODE)?;
    files::rename(&draft, &pki_folder)?;
    let config = files::write_draft(&home.config, text.as_bytes(), SECRET_MODE)?;
    store::open(&home.store(), false, Arc::clone(&env.entropy))?;
    files::rename(&config, &home.config)?;
    Ok(home)
}

/// Refuses a directory that holds something else than a home or parts of one.
///
/// # Errors
/// A message that names what is in the way.
pub(crate) fn refuse_foreign(folder: &Path) -> anyhow::Result<()> {
    contents::refuse_foreign(folder)
}

/// Completes an interrupted [`create`] in `folder`, if everything was created but not moved into place.
pub(crate) fn finish_interrupted(folder: &Path) -> anyhow::Result<()> {
    let home = Home::at(folder);
    let draft = files::draft_path(&home.config);
    // The draft was written before the store.
    if !home.is_ready() && draft.exists() && home.store().store_path().exists() {
        files::rename(&draft, &home.config)?;
    }
    Ok(())
}
