//! Shutdown signals.

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Tokens that shutdown signals cancel.
#[derive(Debug, Clone)]
pub(crate) struct ShutdownSignals {
    /// Cancelled by the first signal: shut down gracefully.
    pub(crate) stop: CancellationToken,
    /// Cancelled by the second signal: exit immediately.
    pub(crate) abort: CancellationToken,
}

/// Listens for SIGTERM, SIGINT and SIGHUP from now on.
pub(crate) fn listen() -> anyhow::Result<ShutdownSignals> {
    let open = |kind| signal(kind).context("signals cannot be received");
    let mut signals = [
        open(SignalKind::terminate())?,
        open(SignalKind::interrupt())?,
        open(SignalKind::hangup())?,
    ];
    let shutdown = ShutdownSignals {
        stop: CancellationToken::new(),
        abort: CancellationToken::new(),
    };
    let sender = shutdown.clone();
    tokio::spawn(async move {
        any_signal(&mut signals).await;
        sender.stop.cancel();
        tracing::info!("stopping; a second signal ends the process at once");
        any_signal(&mut signals).await;
        sender.abort.cancel();
    });
    Ok(shutdown)
}

async fn any_signal([terminate, interrupt, hangup]: &mut [Signal; 3]) {
    tokio::select! {
        _ = terminate.recv() => {},
        _ = interrupt.recv() => {},
        _ = hangup.recv() => {},
    }
}
