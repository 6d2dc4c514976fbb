//! A running router.

use std::path::PathBuf;
use std::sync::Arc;

use portcullis_router_config::model::RouterConfig;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::RouterClock;
use crate::identity::{IdentityError, IdentityFiles, IdentityWatcher, Reload};

/// What a program says about itself to controllers and other routers.
#[derive(Debug, Clone, Copy)]
pub struct BuildInfo {
    /// Of the release.
    pub version: &'static str,
    /// Abbreviated commit.
    pub revision: &'static str,
    /// Time of the commit.
    pub date: &'static str,
}

/// What a router is started with.
#[derive(Debug)]
pub struct RouterOptions {
    pub config: RouterConfig,
    /// Path of the configuration; default paths lie beside it.
    pub config_file: PathBuf,
    /// Where the addresses that controllers tell are kept; they win over those of the configuration.
    pub endpoints_file: PathBuf,
    pub identity: IdentityFiles,
    pub build: BuildInfo,
    pub clock: RouterClock,
    /// Asks for a shutdown.
    pub stop: CancellationToken,
}

/// A router cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// A router that runs.
#[derive(Debug)]
pub struct Router {
    id: Arc<str>,
    reload: Reload,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Router {
    /// Starts a router. It goes on until its token is cancelled.
    pub fn start(options: RouterOptions) -> Result<Self, StartError> {
        let (watcher, _tls, id) = IdentityWatcher::begin(options.identity)?;
        let (reload, tasks) = (Reload::default(), TaskTracker::new());
        tasks.spawn(watcher.run(reload.clone(), options.stop.clone()));
        tasks.close();
        Ok(Self {
            id: id.into(),
            reload,
            stop: options.stop,
            tasks,
        })
    }

    /// Its id: the common name of its certificate.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Asks for its certificates to be read again.
    pub fn reload(&self) -> Reload {
        self.reload.clone()
    }

    /// Waits until it has stopped.
    pub async fn wait(self) {
        self.stop.cancelled().await;
        self.tasks.wait().await;
    }
}
