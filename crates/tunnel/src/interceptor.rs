//! What intercepts connections.

use portcullis_tunneler::{InterceptRule, RuleChange};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// What makes the kernel hand over connections. They come back by
/// [`Tunnel::intercepted_stream`](crate::Tunnel::intercepted_stream) and
/// [`Tunnel::intercepted_datagrams`](crate::Tunnel::intercepted_datagrams).
pub trait Interceptor: Send + 'static {
    /// Changes what is intercepted, all at once or not at all.
    ///
    /// # Errors
    ///
    /// If the kernel refuses it. The same is tried again later, with what has changed until then.
    fn apply(
        &mut self,
        change: RuleChange,
    ) -> impl Future<Output = Result<(), InterceptError>> + Send;

    /// Takes back all that it has set up.
    fn stop(self) -> impl Future<Output = ()> + Send;
}

/// Connections cannot be intercepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct InterceptError {
    /// A text for people.
    pub reason: String,
}

/// What the kernel is to intercept, in order. A slow kernel gets the latest rules only.
pub(crate) type Rules = Arc<[InterceptRule]>;

/// How long after the kernel has refused something it is tried again, if nothing changes.
const RETRY: Duration = Duration::from_secs(5);

/// Keeps the kernel at the latest rules until nobody has later ones, and takes them back.
pub(crate) async fn intercept(mut interceptor: impl Interceptor, latest: watch::Receiver<Rules>) {
    keep_applied(&mut interceptor, latest).await;
    interceptor.stop().await;
}

async fn keep_applied(interceptor: &mut impl Interceptor, mut latest: watch::Receiver<Rules>) {
    let mut applied = BTreeSet::new();
    loop {
        let wanted: BTreeSet<_> = latest.borrow_and_update().iter().copied().collect();
        let change = RuleChange {
            removed: applied.difference(&wanted).copied().collect(),
            added: wanted.difference(&applied).copied().collect(),
        };
        if let Err(error) = apply(interceptor, change).await {
            tracing::warn!(%error, "what is intercepted stays as it was: the change has failed");
            tokio::select! {
                () = sleep(RETRY) => {},
                changed = latest.changed() => if changed.is_err() { return },
            }
            continue;
        }
        applied = wanted;
        if latest.changed().await.is_err() {
            return;
        }
    }
}

async fn apply(
    interceptor: &mut impl Interceptor,
    change: RuleChange,
) -> Result<(), InterceptError> {
    if change.removed.is_empty() && change.added.is_empty() {
        return Ok(());
    }
    interceptor.apply(change).await
}
