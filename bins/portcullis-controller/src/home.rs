//! A folder with everything that a controller of its own needs: certificates, keys and a
//! configuration file that names them.

pub(crate) mod pki;

use crate::files::{self, PUBLIC, SECRET};
use crate::store;
use anyhow::{Context as _, bail, ensure};
use portcullis_controller_config::{
    ControllerConfig, Generated, HomeLayout, Material, NamedThings, StoreLocation, generate,
};
use portcullis_domain::Env;
use portcullis_pki::{KeyType, certificates_to_pem};
use portcullis_yaml::SourceId;
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// What a new home is made with.
#[derive(Debug, Clone)]
pub struct HomeSettings {
    /// Host name or IP address that clients are told.
    pub advertised_host: String,
    /// Where to listen.
    pub interface: IpAddr,
    /// Port of the APIs.
    pub port: u16,
    /// Kind of all keys.
    pub key_type: KeyType,
}

/// A home that is ready.
#[derive(Debug, Clone)]
pub struct Home {
    /// The folder.
    pub folder: PathBuf,
    /// The configuration file.
    pub config: PathBuf,
    /// The certificates that clients are to trust, in PEM.
    pub ca: PathBuf,
    /// Where a generated password of the administrator is kept.
    pub password: PathBuf,
}

impl Home {
    /// The home in `folder`, made or not.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            config: HomeLayout::under(folder).config,
            ca: folder.join("ca.pem"),
            password: folder.join("admin-password"),
        }
    }

    /// Whether it is ready.
    pub fn is_ready(&self) -> bool {
        self.config.exists()
    }

    /// Whether `config` serves the certificate that was made with this home, which may then be
    /// made anew before it expires.
    pub fn owns_leaf_of(&self, config: &ControllerConfig) -> bool {
        let layout = HomeLayout::under(&self.folder);
        config.identity.server_cert == Material::File(layout.server_cert)
            && config.identity.server_key == Material::File(layout.server_key)
    }

    /// Whether `config` keeps its data where it was made with this home.
    pub(crate) fn keeps_store_of(&self, config: &ControllerConfig) -> bool {
        config.store == self.store()
    }

    fn store(&self) -> StoreLocation {
        StoreLocation::Database(HomeLayout::under(&self.folder).db)
    }

    /// Whether anything of a store is there.
    fn has_store(&self) -> bool {
        let store = self.store();
        store.store_path().exists() || store.sealing_key_path().exists()
    }

    /// Refuses a home whose own file keeps the data elsewhere: that of a copy would be served from
    /// the original. What a file says that is laid over it is the wish of whoever does so.
    pub(crate) fn check_place(&self, named: &NamedThings) -> anyhow::Result<()> {
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
             configuration still names the old folder; write `relativePaths: file` and `db: ctrl.db` \
             there, and the other paths likewise (or serve it unchanged with `run`)",
            self.config.display(),
            path.display(),
        );
        Ok(())
    }
}

/// Makes a home in `folder`, which must not hold one yet.
///
/// The configuration file comes last and whole, after the store: a home is ready, or it is not one,
/// and a home that is ready without a store has lost it. Keys are readable by their owner only.
///
/// # Errors
///
/// When something cannot be made or written, or when there are parts of a home already.
pub fn prepare(folder: &Path, settings: &HomeSettings, env: &Env) -> anyhow::Result<Home> {
    files::make_directory(folder)?;
    let folder = folder
        .canonicalize()
        .with_context(|| format!("the folder {} does not exist", folder.display()))?;
    let home = Home::at(&folder);
    let layout = HomeLayout::under(&folder);
    let pki_folder = layout
        .key
        .parent()
        .map_or_else(|| folder.clone(), Path::to_owned);
    if pki_folder.exists() && !home.is_ready() && !home.has_store() && !home.password.exists() {
        // Cut short before anything was done with it: a password is made after the store. It may be somebody's, so it is kept.
        let aside = folder.join("pki.incomplete");
        if !aside.exists() {
            files::rename(&pki_folder, &aside)?;
        }
    }
    if pki_folder.exists() || home.is_ready() || home.has_store() {
        bail!(
            "{} contains an incomplete network: restore {}, or choose another folder",
            folder.display(),
            home.config.display(),
        );
    }
    let draft = files::draft(&pki_folder);
    files::begin_directory(&draft)
        .with_context(|| format!("the home {} cannot be written", folder.display()))?;

    let pki = pki::make(settings, env)?;
    let interface = settings.interface.to_string();
    let text = generate(&Generated {
        interface: &interface,
        fetch_keys_from_loopback: true,
        ..Generated::new(&settings.advertised_host, settings.port)
    })?;
    write(&pki, &layout, &draft)?;
    let authorities = certificates_to_pem([pki.root.certificate(), pki.signing.certificate()]);
    files::replace(&home.ca, authorities.as_bytes(), PUBLIC)?;
    files::rename(&draft, &pki_folder)?;
    let config = files::write_draft(&home.config, text.as_bytes(), SECRET)?;
    store::open(&home.store(), false, Arc::clone(&env.entropy))?;
    files::rename(&config, &home.config)?;
    Ok(home)
}

/// Ends what [`prepare`] has begun in `folder`, if it was cut short when all was made but not in
/// place.
pub(crate) fn finish(folder: &Path) -> anyhow::Result<()> {
    let home = Home::at(folder);
    let draft = files::draft(&home.config);
    // The draft was on the disk before the store was begun.
    if !home.is_ready() && draft.exists() && home.store().store_path().exists() {
        files::rename(&draft, &home.config)?;
    }
    Ok(())
}

/// Writes all certificates and keys into `folder`.
fn write(pki: &pki::Pki, layout: &HomeLayout, folder: &Path) -> anyhow::Result<()> {
    let authorities = certificates_to_pem([pki.root.certificate(), pki.signing.certificate()]);
    let public = [
        (Path::new("root.cert"), pki.root.certificate().to_pem()),
        (&layout.signing_cert, pki.signing.certificate().to_pem()),
        (&layout.ca, authorities),
        (&layout.server_cert, pki.signing.chain_pem(&pki.server)),
        (&layout.cert, pki.signing.chain_pem(&pki.client)),
    ];
    let secret = [
        (&layout.root_key, pki.root.key()),
        (&layout.signing_key, pki.signing.key()),
        (&layout.server_key, &pki.server_key),
        (&layout.key, &pki.client_key),
    ];
    let place = |path: &Path| {
        path.file_name()
            .map(|name| folder.join(name))
            .context("a file name")
    };
    for (path, text) in public {
        files::create(&place(path)?, text.as_bytes(), PUBLIC)?;
    }
    for (path, key) in secret {
        files::create(&place(path)?, key.to_pkcs8_pem()?.as_bytes(), SECRET)?;
    }
    Ok(())
}
