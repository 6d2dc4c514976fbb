//! Following the files of an identity while the router runs.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::time::Duration;

use portcullis_pki::Certificate;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{IdentityError, IdentityFiles, LoadedIdentity};
use crate::tls::Tls;
use portcullis_domain::error_sources::with_sources;

/// How often the files are looked at.
const INTERVAL: Duration = Duration::from_secs(5);

/// What tells one state of a file from another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    size: u64,
    inode: u64,
}

/// The states of all files; `None` for one that is not there.
type Stamps = Vec<Option<Stamp>>;

/// Asks for the files to be read at once, whether or not they seem to have changed.
#[derive(Debug, Clone, Default)]
pub struct Reload(Arc<Notify>);

impl Reload {
    /// Asks for it. The log tells the outcome.
    pub fn request(&self) {
        self.0.notify_one();
    }
}

/// Replaces the certificates in use when their files change. Connections stay.
#[derive(Debug)]
pub struct IdentityWatcher {
    files: IdentityFiles,
    tls: Arc<Tls>,
    router_id: String,
    served: Stamps,
    /// The last files that could not be used, and whether the log says so.
    refused: Option<(Stamps, bool)>,
}

impl IdentityWatcher {
    /// Reads the files for the first time. Returns TLS with what they contain, and the router's id.
    pub fn begin(files: IdentityFiles) -> Result<(Self, Arc<Tls>, String), IdentityError> {
        let served = stamps(&files);
        let LoadedIdentity {
            router_id,
            credentials,
        } = files.load()?;
        let tls = Arc::new(Tls::new(credentials)?);
        let watcher = Self {
            files,
            tls: Arc::clone(&tls),
            router_id: router_id.clone(),
            served,
            refused: None,
        };
        Ok((watcher, tls, router_id))
    }

    /// Follows the files until `stop`.
    pub async fn run(mut self, reload: Reload, stop: CancellationToken) {
        loop {
            let asked = tokio::select! {
                () = stop.cancelled() => return,
                () = reload.0.notified() => true,
                () = tokio::time::sleep(INTERVAL) => false,
            };
            // Blocking: reads files.
            let polled = tokio::task::spawn_blocking(move || {
                if asked {
                    self.reload();
                } else {
                    self.poll();
                }
                self
            });
            match polled.await {
                Ok(watcher) => self = watcher,
                Err(_panicked) => return,
            }
        }
    }

    /// Looks at the files once, and uses them if they have changed and fit together. Files that are being
    /// written one after the other do not at first: that is told when they have stayed so.
    fn poll(&mut self) {
        let found = stamps(&self.files);
        if found == self.served {
            self.refused = None;
            return;
        }
        if let Some((refused, is_told)) = &self.refused
            && *refused == found
            && *is_told
        {
            return;
        }
        match self.replace() {
            Ok(()) => self.take(found),
            Err(error) => {
                let stays = self
                    .refused
                    .as_ref()
                    .is_some_and(|(last, _)| *last == found);
                if stays {
                    tell_kept(&error);
                }
                self.refused = Some((found, stays));
            },
        }
    }

    /// As [`Self::poll`], for an operator who wants to know.
    fn reload(&mut self) {
        let found = stamps(&self.files);
        if found == self.served {
            tracing::info!("the certificates of the router are unchanged");
            return;
        }
        match self.replace() {
            Ok(()) => self.take(found),
            Err(error) => {
                tell_kept(&error);
                self.refused = Some((found, true));
            },
        }
    }

    fn replace(&self) -> Result<(), IdentityError> {
        let LoadedIdentity {
            router_id,
            credentials,
        } = self.files.load()?;
        if router_id != self.router_id {
            return Err(IdentityError::OtherRouter {
                certificate: self.files.describe(),
                other: router_id,
            });
        }
        Ok(self.tls.replace(credentials)?)
    }

    fn take(&mut self, found: Stamps) {
        self.served = found;
        self.refused = None;
        let chain = self.tls.client_chain();
        let leaf = chain
            .first()
            .map(|leaf| Certificate::from_der(leaf.to_vec()));
        let expires = leaf.and_then(Result::ok).map(|leaf| leaf.not_after());
        tracing::info!(
            expires = expires.map(|time| time.to_string()),
            "the certificates of the router were replaced by those of its files"
        );
    }
}

fn tell_kept(error: &IdentityError) {
    let text = with_sources(error);
    tracing::warn!("the certificates of before are kept: {text}");
}

fn stamps(files: &IdentityFiles) -> Stamps {
    let paths = files.values().filter_map(|value| value.file());
    let stamp = |path| {
        let found = fs::metadata(path).ok()?;
        Some(Stamp {
            modified: (found.mtime(), found.mtime_nsec()),
            size: found.size(),
            inode: found.ino(),
        })
    };
    paths.map(stamp).collect()
}

#[cfg(test)]
mod tests;
