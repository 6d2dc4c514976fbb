//! Web console of a quickstart network.

use anyhow::{Context as _, ensure};
use portcullis_controller_config::{ApiKind, ControllerConfig, SpaOptions, WebApi};
use std::path::{Path, PathBuf};

/// Path segment under which the console expects to be served.
const SEGMENT: &str = "zac";
const INDEX_FILE: &str = "index.html";

/// Finds the directory of a console.
///
/// # Errors
/// If it does not exist or has no index file.
pub(super) fn find(folder: &Path) -> anyhow::Result<PathBuf> {
    let shown = folder.display();
    let found = folder
        .canonicalize()
        .with_context(|| format!("the directory {shown} of --console cannot be opened"))?;
    ensure!(
        found.join(INDEX_FILE).is_file(),
        "the directory {shown} of --console has no {INDEX_FILE}; name the one with the built files"
    );
    Ok(found)
}

/// Serves the console in `folder` wherever clients are served, in place of one that the configuration has
/// there.
pub(super) fn serve(config: &mut ControllerConfig, folder: &Path) {
    for listener in &mut config.web {
        if !listener.hosts(ApiKind::EdgeClient) {
            continue;
        }
        let is_other = |api: &WebApi| !matches!(api, WebApi::Spa(it) if it.path == SEGMENT);
        listener.apis.retain(is_other);
        listener.apis.push(WebApi::Spa(SpaOptions {
            path: SEGMENT.to_owned(),
            location: folder.to_string_lossy().into_owned(),
            index_file: INDEX_FILE.to_owned(),
            has_root_assets: false,
        }));
    }
}

/// The URL of a console that is served at `address`.
pub(super) fn url(address: &str) -> String {
    format!("{address}/{SEGMENT}/")
}
