//! A file for certificates and keys that exist already.

use super::answers::{Answers, absolute};
use crate::cli::OwnPkiArgs;
use crate::files;
use crate::home::relative_to;
use crate::pem::{self, CertKeySettings, PemSetting};
use anyhow::{Context as _, bail, ensure};
use portcullis_controller_config::{GenerateOptions, HomeLayout, PemSource, generate};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Paths of certificates and keys that are given, all absolute and of files that fit; `None` if new ones
/// are to be made.
pub(super) fn paths(arguments: &OwnPkiArgs) -> anyhow::Result<Option<HomeLayout>> {
    // The parser requires all of them together.
    let (Some(cert), Some(key), Some(ca), Some(signing_cert), Some(signing_key)) = (
        &arguments.cert,
        &arguments.key,
        &arguments.ca,
        &arguments.signing_cert,
        &arguments.signing_key,
    ) else {
        return Ok(None);
    };
    let paths = HomeLayout {
        server_cert: absolute(arguments.server_cert.as_ref().unwrap_or(cert))?,
        server_key: absolute(arguments.server_key.as_ref().unwrap_or(key))?,
        cert: absolute(cert)?,
        key: absolute(key)?,
        ca: absolute(ca)?,
        signing_cert: absolute(signing_cert)?,
        signing_key: absolute(signing_key)?,
        ..HomeLayout::default()
    };
    require_fit(&paths, arguments)?;
    Ok(Some(paths))
}

/// Reads what the file will name, as a start does.
fn require_fit(paths: &HomeLayout, arguments: &OwnPkiArgs) -> anyhow::Result<()> {
    let (server_cert, server_key) = (
        arguments
            .server_cert
            .as_ref()
            .map_or("--cert", |_| "--server-cert"),
        arguments
            .server_key
            .as_ref()
            .map_or("--key", |_| "--server-key"),
    );
    let file = |path: &PathBuf| PemSource::File(path.clone());
    let [cert, key, server, own_key, ca, signing_cert, signing_key] = [
        &paths.cert,
        &paths.key,
        &paths.server_cert,
        &paths.server_key,
        &paths.ca,
        &paths.signing_cert,
        &paths.signing_key,
    ]
    .map(file);
    let setting = |name: &'static str, source| PemSetting {
        name: name.into(),
        source,
    };
    for (certificate, key) in [
        (setting("--cert", &cert), setting("--key", &key)),
        (setting(server_cert, &server), setting(server_key, &own_key)),
    ] {
        CertKeySettings { certificate, key }.load()?;
    }
    let trusted = setting("--ca", &ca).certificates()?;
    pem::load_authority(
        setting("--signing-cert", &signing_cert),
        setting("--signing-key", &signing_key),
        &trusted,
    )?;
    Ok(())
}

/// Refuses a directory that has a configuration already.
pub(super) fn require_room(directory: &Path) -> anyhow::Result<()> {
    let config = HomeLayout::under(directory).config;
    ensure!(
        fs::symlink_metadata(&config).is_err(),
        "{} exists already; name another directory",
        config.display()
    );
    Ok(())
}

/// Writes the file, which must not exist yet, and returns its path.
pub(super) fn write(answers: &Answers, paths: HomeLayout) -> anyhow::Result<PathBuf> {
    let directory = &answers.directory;
    let config = HomeLayout::under(directory).config;
    let relative = |path: &PathBuf| relative_to(directory, path);
    let interface = answers.interface.to_string();
    let trust_domain = answers.trust_domain.as_ref().map(ToString::to_string);
    let text = generate(&GenerateOptions {
        interface: &interface,
        ctrl_port: answers.ctrl_port,
        trust_domain: trust_domain.as_deref(),
        files: HomeLayout {
            db: relative(&answers.db),
            cert: relative(&paths.cert),
            key: relative(&paths.key),
            server_cert: relative(&paths.server_cert),
            server_key: relative(&paths.server_key),
            ca: relative(&paths.ca),
            signing_cert: relative(&paths.signing_cert),
            signing_key: relative(&paths.signing_key),
            ..paths
        },
        ..GenerateOptions::new(&answers.address, answers.port)
    })?;
    files::create_directory(directory)?;
    let written = NamedTempFile::new_in(directory).and_then(|mut draft| {
        draft.write_all(text.as_bytes())?;
        draft.as_file().sync_all()?;
        draft
            .persist_noclobber(&config)
            .map_err(|error| error.error)
    });
    match written {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!(
                "{} exists already; name another directory",
                config.display()
            )
        },
        written => written.with_context(|| format!("{} cannot be written", config.display()))?,
    };
    Ok(config)
}
