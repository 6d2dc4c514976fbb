//! What SIGHUP does to a running controller.

use crate::logging::{self, FilterChange};
use crate::serve::Reloader;
use crate::signals::Hangups;
use crate::{config, output};
use anyhow::{Context as _, bail};
use std::path::{Path, PathBuf};

/// Reloads at each signal: certificates, audit file, files of events, and the filter of the log. All other keys of the
/// configuration take a restart.
pub(super) async fn on_each(mut hangups: Hangups, reloader: Reloader, config: PathBuf) {
    loop {
        hangups.next().await;
        tracing::info!("reloading certificates, audit file, files of events and filter of the log");
        reloader.reload();
        let config = config.clone();
        // Blocking: reads files.
        let filtering = tokio::task::spawn_blocking(move || reload_filter(&config));
        if let Ok(Err(error)) = filtering.await {
            tracing::warn!("the filter of the log is kept: {error:#}");
        }
    }
}

/// Reads the filter of the log from the configuration again.
fn reload_filter(path: &Path) -> anyhow::Result<()> {
    let Some(config) = config::read(&[path])?.outcome.config else {
        bail!(
            "the configuration has mistakes, which `portcullis-controller config check {}` shows",
            output::shell_quoted(&path.display().to_string())
        );
    };
    let change = logging::configure_filter(&config.log.filter).context("log.filter")?;
    match change {
        Some(FilterChange::Changed(filter)) => {
            tracing::info!(filter, "the filter of the log was replaced");
        },
        Some(FilterChange::Unchanged(filter)) => {
            tracing::info!(filter, "the filter of the log is unchanged");
        },
        Some(FilterChange::Fixed(filter)) => {
            tracing::info!(
                filter,
                "the filter of the log is the one of --log or PORTCULLIS_LOG, which is kept"
            );
        },
        None => {},
    }
    Ok(())
}
