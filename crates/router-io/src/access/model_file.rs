//! The data model in a file, so that a router that starts without its controllers knows whom to let in.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use portcullis_router::access::{FileError, Replica};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::Rights;
use portcullis_domain::error_sources::with_sources;

/// The file of `edge.db`.
#[derive(Debug, Clone)]
pub struct ModelFile {
    path: PathBuf,
    /// Shortest pause between two writes.
    interval: Duration,
}

impl ModelFile {
    /// `interval` is `edge.dbSaveIntervalSeconds`.
    pub const fn new(path: PathBuf, interval: Duration) -> Self {
        Self { path, interval }
    }

    /// The model of the last run; an empty one if there is none that can be used. `run` makes this run unlike
    /// others.
    pub(crate) fn read(&self, run: &str) -> Replica {
        let path = self.path.display();
        let error = match fs::read(&self.path) {
            Ok(bytes) => match Replica::from_file(run, &bytes) {
                Ok(replica) => return replica,
                Err(error) => error,
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Replica::new(run),
            Err(error) => {
                tracing::warn!(%path, %error, "the file of the data model cannot be read; the controllers send it anew");
                return Replica::new(run);
            },
        };
        if error == FileError::Foreign {
            tracing::info!(%path, "the file of the data model is not this router's; it is replaced once the controllers have sent the model");
        } else {
            tracing::warn!(%path, %error, "the file of the data model cannot be used; the controllers send it anew");
        }
        Replica::new(run)
    }

    /// Writes the file whenever the model has moved on, and not too often.
    pub(crate) async fn keep(&self, rights: Arc<Rights>) {
        let mut written = rights.position();
        loop {
            rights.moved.notified().await;
            let position = rights.position();
            if position != written && self.write(&rights).await {
                written = position;
            }
            sleep(self.interval).await;
        }
    }

    /// Writes the file, if there is a model. Returns whether it was written.
    pub(crate) async fn write(&self, rights: &Arc<Rights>) -> bool {
        let (path, rights) = (self.path.clone(), Arc::clone(rights));
        let writing = spawn_blocking(move || {
            // A copy, so that nobody waits until it is encoded.
            let replica = rights.control.read().replica().clone();
            if !replica.has_model() {
                return Ok(());
            }
            let encoded = replica.to_file().map_err(io::Error::other)?;
            portcullis_files::replace(&path, &encoded, portcullis_files::SECRET_MODE)
                .map_err(io::Error::other)
        });
        match writing.await.map_err(io::Error::other).flatten() {
            Ok(()) => true,
            Err(error) => {
                let error = with_sources(&error);
                tracing::warn!(path = %self.path.display(), error, "the data model cannot be kept in its file");
                false
            },
        }
    }
}
