//! What use cases and the audit writer share.

mod event;
mod refusal_queue;
mod writer_progress;

pub use event::AuditEvent;
pub(crate) use refusal_queue::RefusalQueue;
pub(crate) use writer_progress::WriterProgress;

use parking_lot::{Mutex, MutexGuard};
use portcullis_storage::tables::WrittenCursor;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;

#[derive(Default)]
pub(crate) struct AuditTrail {
    written: Mutex<WrittenCursor>,
    writer: OnceLock<Thread>,
    /// Whether the writer has to be woken; it stays awake for a while afterwards.
    is_sleeping: AtomicBool,
    /// Whether the writer is to reopen its destination.
    is_reopening: AtomicBool,
    refusals: Mutex<RefusalQueue>,
    progress: Mutex<WriterProgress>,
}

impl AuditTrail {
    /// How far the store's events are known to be written.
    pub(crate) fn written(&self) -> WrittenCursor {
        *self.written.lock()
    }

    pub(crate) fn set_written(&self, mark: WrittenCursor) {
        *self.written.lock() = mark;
    }

    /// Registers the writer's thread for wake-ups.
    pub(crate) fn register_writer(&self, writer: Thread) {
        // There is one writer; tests start more of them, which poll.
        let _ = self.writer.set(writer);
    }

    /// Wakes the writer. Waking a thread costs about as much as a small request, so it is done once
    /// for all events until the writer looks.
    pub(crate) fn wake(&self) {
        if self.is_sleeping.swap(false, Ordering::AcqRel)
            && let Some(writer) = self.writer.get()
        {
            writer.unpark();
        }
    }

    /// Requests a wake-up for the next event. The writer looks for events afterwards, or it would
    /// miss those in between.
    pub(crate) fn mark_sleeping(&self) {
        self.is_sleeping.swap(true, Ordering::AcqRel);
    }

    /// Asks the writer to reopen its destination.
    pub(crate) fn request_reopening(&self) {
        self.is_reopening.store(true, Ordering::Release);
        self.wake();
    }

    /// Whether the writer was asked to reopen its destination since the last call.
    pub(crate) fn take_reopening(&self) -> bool {
        self.is_reopening.swap(false, Ordering::AcqRel)
    }

    /// Refusals that wait for the writer.
    pub(crate) fn refusals(&self) -> MutexGuard<'_, RefusalQueue> {
        self.refusals.lock()
    }

    /// Progress of the writer.
    pub(crate) fn progress(&self) -> MutexGuard<'_, WriterProgress> {
        self.progress.lock()
    }
}
