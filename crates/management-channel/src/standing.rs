//! Whether whoever opened a channel may still have it.

use portcullis_app::change_feed::ChangeFeed;
use portcullis_app::fabric::OpenChannel;
use portcullis_app::{App, AppError, sessions};
use portcullis_domain::access::Permit;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Shortest time between two looks at all channels, however much is committed.
const COALESCE: Duration = Duration::from_millis(250);

/// Longest time between two looks at a channel. They count as use of its session.
const INTERVAL: Duration = Duration::from_secs(30);

/// When to try again what could not be judged.
const RETRY: Duration = Duration::from_secs(1);

/// Tells of commits. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct CommitWatch {
    commits: watch::Receiver<()>,
    _running: DropGuard,
}

impl CommitWatch {
    /// Begins to follow the store, in a task of its own.
    pub(crate) fn start(app: &App) -> Self {
        let (sender, commits) = watch::channel(());
        let feed = ChangeFeed::new(app);
        let running = CancellationToken::new();
        let following = running.clone().run_until_cancelled_owned(async move {
            loop {
                feed.committed().await;
                sender.send_replace(());
                sleep(COALESCE).await;
            }
        });
        tokio::spawn(following);
        Self {
            commits,
            _running: running.drop_guard(),
        }
    }

    pub(crate) fn follow(&self, app: &Arc<App>, permit: &Permit<OpenChannel>) -> Standing {
        Standing {
            app: Arc::clone(app),
            permit: permit.clone(),
            commits: self.commits.clone(),
        }
    }
}

/// The standing of one channel.
#[derive(Clone)]
pub(crate) struct Standing {
    app: Arc<App>,
    permit: Permit<OpenChannel>,
    commits: watch::Receiver<()>,
}

impl Standing {
    /// Waits until the channel would not be opened again.
    pub(crate) async fn ended(mut self) {
        loop {
            self.commits.mark_unchanged();
            let wait = match sessions::recheck(&self.app, &self.permit) {
                Ok(None) => INTERVAL,
                Ok(Some(end)) => {
                    let left = end.duration_since(self.app.env().now());
                    Duration::try_from(left).unwrap_or_default().min(INTERVAL)
                },
                Err(AppError::Denied { .. }) => return,
                Err(error) => {
                    tracing::warn!(%error, "the right to a management channel cannot be judged");
                    RETRY
                },
            };
            if let Ok(Err(_)) = timeout(wait, self.commits.changed()).await {
                // Nobody tells of commits any more: the controller stops.
                sleep(wait).await;
            }
        }
    }
}
