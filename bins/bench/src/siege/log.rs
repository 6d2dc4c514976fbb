//! Whoever reads the controller's log: keeps up, but for a while now and then.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStderr;
use tokio::time::{Instant, sleep_until};

/// How the controller begins its line about a panic.
const FAULT: &[u8] = b"internal error: ";
/// Bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// What was read so far.
#[derive(Debug, Default)]
struct Read {
    bytes: AtomicU64,
    faults: AtomicU64,
    /// Nothing is read before.
    stalled_until: Mutex<Option<Instant>>,
}

/// The reader.
#[derive(Debug, Clone)]
pub(super) struct Log(Arc<Read>);

impl Log {
    /// Reads it until it ends.
    pub(super) fn follow(pipe: ChildStderr) -> Self {
        let read = Arc::new(Read::default());
        tokio::spawn(follow(pipe, Arc::clone(&read)));
        Self(read)
    }

    /// Reads nothing for so long.
    pub(super) fn stall(&self, time: Duration) {
        let mut until = self.0.stalled_until.lock();
        *until = Some(Instant::now() + time);
    }

    /// Bytes that were read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Panics that it told of.
    pub(super) fn faults(&self) -> u64 {
        self.0.faults.load(Ordering::Relaxed)
    }
}

async fn follow(mut pipe: ChildStderr, read: Arc<Read>) {
    // The end of what was read before, in which a message may have begun.
    let mut text = Vec::with_capacity(PIECE + FAULT.len());
    loop {
        let until = *read.stalled_until.lock();
        if let Some(until) = until {
            sleep_until(until).await;
        }
        let kept = text.len().saturating_sub(FAULT.len() - 1);
        text.drain(..kept);
        let before = text.len();
        match pipe.read_buf(&mut text).await {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                read.bytes
                    .fetch_add(u64::try_from(count).unwrap_or_default(), Ordering::Relaxed);
                read.faults
                    .fetch_add(faults(&text, before), Ordering::Relaxed);
            },
        }
    }
}

/// How many messages about panics end behind the first `before` bytes.
fn faults(text: &[u8], before: usize) -> u64 {
    let found = text
        .windows(FAULT.len())
        .enumerate()
        .filter(|(at, window)| at + FAULT.len() > before && *window == FAULT);
    u64::try_from(found.count()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_in_two_pieces_is_found_once() {
        let text = b"xx internal error: y";
        let end = 19;
        for before in 0..text.len() {
            assert_eq!(faults(text, before), u64::from(before < end), "{before}");
        }
    }
}
