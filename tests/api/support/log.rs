//! What the controllers of a test write into the log.

use std::cell::RefCell;
use std::io;
use std::sync::OnceLock;
use tracing_subscriber::filter::LevelFilter;

thread_local! {
    static LINES: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Writes into the log of the thread on which it is used, if somebody reads that.
struct OfThisThread;

impl io::Write for OfThisThread {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.with_borrow_mut(|lines| {
            if let Some(lines) = lines {
                lines.extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log of one thread: all that a controller writes which is asked by a test on one thread, apart
/// from its store.
pub(crate) struct Log(());

impl Log {
    /// Begins to read, at the level `debug`.
    pub(crate) fn read() -> Self {
        static SUBSCRIBED: OnceLock<()> = OnceLock::new();
        SUBSCRIBED.get_or_init(|| {
            // For the whole process: what a log is good for is decided once per place that writes.
            tracing_subscriber::fmt()
                .json()
                .with_max_level(LevelFilter::DEBUG)
                .with_writer(|| OfThisThread)
                .init();
        });
        LINES.set(Some(Vec::new()));
        Self(())
    }

    /// What was written since it was asked last.
    pub(crate) fn take(&self) -> String {
        let Self(()) = self;
        let bytes = LINES.replace(Some(Vec::new())).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        LINES.set(None);
    }
}
