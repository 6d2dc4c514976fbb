//! Being told to stop.

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The wishes of whoever started the process.
#[derive(Debug, Clone)]
pub(crate) struct Wishes {
    /// Cancelled by the first signal: end in order.
    pub(crate) stop: CancellationToken,
    /// Cancelled by the second: end at once.
    pub(crate) hurry: CancellationToken,
}

/// Listens for SIGTERM, SIGINT and SIGHUP from now on.
pub(crate) fn listen() -> anyhow::Result<Wishes> {
    let open = |kind| signal(kind).context("signals cannot be received");
    let mut signals = [
        open(SignalKind::terminate())?,
        open(SignalKind::interrupt())?,
        open(SignalKind::hangup())?,
    ];
    let wishes = Wishes {
        stop: CancellationToken::new(),
        hurry: CancellationToken::new(),
    };
    let told = wishes.clone();
    tokio::spawn(async move {
        any(&mut signals).await;
        told.stop.cancel();
        tracing::info!("stopping; a second signal ends the process at once");
        any(&mut signals).await;
        told.hurry.cancel();
    });
    Ok(wishes)
}

async fn any([terminate, interrupt, hangup]: &mut [Signal; 3]) {
    tokio::select! {
        _ = terminate.recv() => {},
        _ = interrupt.recv() => {},
        _ = hangup.recv() => {},
    }
}
