//! Signals of the operator.

use anyhow::Context as _;
use std::future::poll_fn;
use std::task::Poll;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Tokens that shutdown signals cancel.
#[derive(Debug, Clone)]
pub struct ShutdownSignals {
    /// Cancelled by the first signal: shut down gracefully.
    pub stop: CancellationToken,
    /// Cancelled by the second signal: exit immediately.
    pub abort: CancellationToken,
}

/// SIGHUP, which asks a service to reload.
#[derive(Debug)]
pub struct Hangups(Signal);

impl Hangups {
    /// Waits for the next signal. Signals that come meanwhile count as one.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}

/// Listens for SIGTERM, SIGINT and SIGHUP from now on, all of which end the program: a terminal that is
/// closed leaves nothing behind.
pub fn listen() -> anyhow::Result<ShutdownSignals> {
    Ok(shut_down_on(any_end()?, Announcement::Logged))
}

/// As [`listen`], for a command that ends at the first signal and says so itself.
pub fn listen_as_command() -> anyhow::Result<CancellationToken> {
    Ok(shut_down_on(any_end()?, Announcement::None).stop)
}

fn any_end() -> anyhow::Result<Vec<Signal>> {
    Ok(vec![
        open(SignalKind::terminate())?,
        open(SignalKind::interrupt())?,
        open(SignalKind::hangup())?,
    ])
}

/// Whether the log says what a first signal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announcement {
    Logged,
    None,
}

/// Listens for SIGTERM and SIGINT, which end the program, and for SIGHUP, which does not.
pub fn listen_as_service() -> anyhow::Result<(ShutdownSignals, Hangups)> {
    let hangups = Hangups(open(SignalKind::hangup())?);
    let ends = vec![
        open(SignalKind::terminate())?,
        open(SignalKind::interrupt())?,
    ];
    Ok((shut_down_on(ends, Announcement::Logged), hangups))
}

fn open(kind: SignalKind) -> anyhow::Result<Signal> {
    signal(kind).context("signals cannot be received")
}

fn shut_down_on(mut signals: Vec<Signal>, announcement: Announcement) -> ShutdownSignals {
    let shutdown = ShutdownSignals {
        stop: CancellationToken::new(),
        abort: CancellationToken::new(),
    };
    let sender = shutdown.clone();
    tokio::spawn(async move {
        any_signal(&mut signals).await;
        sender.stop.cancel();
        if announcement == Announcement::Logged {
            tracing::info!("stopping; a second signal ends the process at once");
        }
        any_signal(&mut signals).await;
        sender.abort.cancel();
    });
    shutdown
}

async fn any_signal(signals: &mut [Signal]) {
    poll_fn(|context| {
        let is_any = signals
            .iter_mut()
            .any(|signal| signal.poll_recv(context).is_ready());
        if is_any {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}
