//! Bounded queue between the log and its output stream.
//!
//! The reader of the log may be slow, stuck or gone. Logging never waits for it: lines go into a bounded
//! buffer, a dedicated thread writes them, and lines that do not fit are counted.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// Maximum bytes of lines that wait to be written.
const CAPACITY: usize = 4 * 1024 * 1024;
/// Capacity to which a larger buffer is shrunk after it was written.
const RETAINED_CAPACITY: usize = 256 * 1024;

/// Bounded buffer of lines with one writer thread.
#[derive(Debug, Default)]
pub(super) struct LogQueue {
    state: Mutex<QueueState>,
    filled: Condvar,
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    pending: Vec<u8>,
    is_writing: bool,
    /// Lines dropped since the last report in the log.
    dropped: u64,
}

impl LogQueue {
    /// Starts the thread that writes to `stream`.
    pub(super) fn start(stream: impl Write + Send + 'static) -> io::Result<Arc<Self>> {
        let queue = Arc::new(Self::default());
        let writer = Arc::clone(&queue);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || writer.write_out(stream))?;
        Ok(queue)
    }

    /// Number of dropped lines that were not reported in the log yet.
    pub(super) fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    /// Waits until everything is written, for at most `bound`.
    pub(super) fn flush(&self, bound: Duration) {
        let is_busy = |state: &mut QueueState| state.is_writing || !state.pending.is_empty();
        // Lines that are not written by then are lost.
        let _ = self.emptied.wait_timeout_while(self.lock(), bound, is_busy);
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, line: &[u8]) {
        let mut state = self.lock();
        if state.pending.len() + line.len() > CAPACITY {
            state.dropped += 1;
            return;
        }
        let was_empty = state.pending.is_empty();
        state.pending.extend_from_slice(line);
        drop(state);
        if was_empty {
            self.filled.notify_one();
        }
    }

    fn write_out(&self, mut stream: impl Write) {
        let mut batch = Vec::new();
        loop {
            self.take_batch(&mut batch);
            let written = stream.write_all(&batch).and_then(|()| stream.flush());
            let lost = written.map_or_else(|_gone| lines_in(&batch), |()| 0);
            batch.clear();
            batch.shrink_to(RETAINED_CAPACITY);
            if let Some(dropped) = self.finish_batch(lost) {
                tracing::warn!(
                    dropped,
                    "lines of the log were dropped because its reader did not take them; see that \
                     standard error is read fast enough, or log less with --log"
                );
            }
        }
    }

    /// Waits for lines and swaps them with the empty `batch`.
    fn take_batch(&self, batch: &mut Vec<u8>) {
        let idle = |state: &mut QueueState| state.pending.is_empty();
        let mut state = self
            .filled
            .wait_while(self.lock(), idle)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut state.pending, batch);
        state.is_writing = true;
    }

    /// Completes a batch, of which `lost` lines were lost. Returns the number of dropped lines to report,
    /// once the stream accepts lines and there is room for the report.
    fn finish_batch(&self, lost: u64) -> Option<u64> {
        let mut state = self.lock();
        state.is_writing = false;
        state.dropped += lost;
        let can_report = state.dropped > 0 && lost == 0 && state.pending.len() < CAPACITY / 2;
        let reported = can_report.then(|| std::mem::take(&mut state.dropped));
        drop(state);
        self.emptied.notify_all();
        reported
    }
}

fn lines_in(batch: &[u8]) -> u64 {
    let breaks = batch.split(|&byte| byte == b'\n').count().saturating_sub(1);
    u64::try_from(breaks).unwrap_or(u64::MAX)
}

/// Creates writers that put events into the queue.
#[derive(Debug, Clone)]
pub(super) struct QueueWriter(pub(super) Arc<LogQueue>);

impl<'w> MakeWriter<'w> for QueueWriter {
    type Writer = &'w LogQueue;

    fn make_writer(&'w self) -> Self::Writer {
        &self.0
    }
}

impl Write for &LogQueue {
    /// Takes one event, which is a whole line.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.push(event);
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Long enough for a machine that does much else.
    const TIMEOUT: Duration = Duration::from_mins(1);

    /// A stream that takes nothing until it is told to, and then tells what it was given.
    struct StuckStream {
        release: Receiver<()>,
        taken: Sender<Vec<u8>>,
    }

    impl Write for StuckStream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // A released stream stays so.
            let _ = self.release.recv();
            self.taken.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn stuck_reader_holds_nobody_up_and_drops_are_counted() {
        let (release, released) = channel();
        let (taken, has_taken) = channel();
        let stream = StuckStream {
            release: released,
            taken,
        };
        let queue = LogQueue::start(stream).unwrap();
        let line = [vec![b'x'; 1023], vec![b'\n']].concat();
        let fitting = CAPACITY / line.len();
        // The thread may have taken one batch out of the queue, but no more.
        for _ in 0..3 * fitting {
            (&*queue).write_all(&line).unwrap();
        }
        let dropped = queue.dropped();
        let kept = 3 * fitting as u64 - dropped;
        assert!(kept >= fitting as u64 && dropped >= fitting as u64);
        queue.flush(Duration::ZERO);
        drop(release);
        queue.flush(TIMEOUT);
        let written: usize = has_taken.try_iter().map(|batch| batch.len()).sum();
        assert_eq!(written as u64, kept * line.len() as u64);
        assert_eq!(queue.dropped(), 0, "it was told");
    }

    /// A stream that nobody reads any more.
    struct ClosedStream;

    impl Write for ClosedStream {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_to_nobody_count_as_dropped() {
        let queue = LogQueue::start(ClosedStream).unwrap();
        (&*queue).write_all(b"one\ntwo\n").unwrap();
        queue.flush(TIMEOUT);
        assert_eq!(queue.dropped(), 2);
    }
}
