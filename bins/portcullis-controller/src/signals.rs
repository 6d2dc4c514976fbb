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

/// Listens for SIGTERM and SIGINT from now on.
pub(crate) fn listen() -> anyhow::Result<Wishes> {
    let open = |kind| signal(kind).context("signals cannot be received");
    let (mut terminate, mut interrupt) = (
        open(SignalKind::terminate())?,
        open(SignalKind::interrupt())?,
    );
    let wishes = Wishes {
        stop: CancellationToken::new(),
        hurry: CancellationToken::new(),
    };
    let told = wishes.clone();
    tokio::spawn(async move {
        either(&mut terminate, &mut interrupt).await;
        tracing::info!("stopping; a second signal ends the process at once");
        told.stop.cancel();
        either(&mut terminate, &mut interrupt).await;
        told.hurry.cancel();
    });
    Ok(wishes)
}

async fn either(first: &mut Signal, second: &mut Signal) {
    tokio::select! {
        _ = first.recv() => {},
        _ = second.recv() => {},
    }
}
