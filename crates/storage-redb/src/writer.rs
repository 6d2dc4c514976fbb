//! The writer thread: takes bodies from the queue and commits them in groups.

use super::database::StoreFailure;
use super::meta::State;
use super::options::FatalError;
use super::queue::{Job, Task};
use super::reader::Reader;
use super::shared::Shared;
use super::{Committed, Resolver};
use crate::overlay::{Overlay, OverlayTx, OverlayView};
use portcullis_storage::engine::{CommitError, StoreError};
use portcullis_storage::feed::CommitGroup;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

const MAX_GROUP_BODIES: usize = 256;
/// Written bytes at which a group is closed.
const MAX_GROUP_BYTES: usize = 1024 * 1024;

/// Serves the queue until it is closed and empty.
pub(crate) fn run<C: Send + Sync + 'static>(shared: &Shared<C>) {
    let result = catch_unwind(AssertUnwindSafe(|| shared.serve()));
    match result {
        Ok(Ok(())) => return,
        Ok(Err(Stopped)) => {},
        Err(_) => {
            let what = "its writer panicked".into();
            // The tickets are resolved in any case.
            let _ = catch_unwind(AssertUnwindSafe(|| shared.terminate(&FatalError { what })));
        },
    }
    shared.queue.discard();
}

/// The fatal handler was called and, in a test, returned.
struct Stopped;

/// The result of a body if its group is committed.
type BodyResult = Result<(), CommitError>;

/// A group of executed bodies before its commit.
struct PendingGroup<C> {
    overlay: Overlay,
    changes: Vec<C>,
    results: Vec<(Resolver, BodyResult)>,
}

impl<C> PendingGroup<C> {
    fn is_full(&self) -> bool {
        self.results.len() >= MAX_GROUP_BODIES || self.overlay.bytes() >= MAX_GROUP_BYTES
    }

    /// Runs one body on top of `reader` and the earlier bodies of the group.
    fn run(&mut self, reader: &Reader, job: Job<C>) {
        let Job { mut body, resolver } = job;
        let below = OverlayView {
            below: reader,
            overlay: &self.overlay,
        };
        let mut tx = OverlayTx::new(&below);
        // The body is dropped inside as well: its captures can panic too.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let result = body(&mut tx);
            drop(body);
            result
        }));
        let verdict = match (ran, tx.finish()) {
            (Err(_), _) => Err(CommitError::Panicked),
            (Ok(_), Err(error)) => Err(CommitError::Engine(error)),
            (Ok(Err(abort)), _) => Err(CommitError::Aborted(abort)),
            (Ok(Ok(())), Ok((written, changes))) => {
                self.overlay.merge(written);
                self.changes.extend(changes);
                Ok(())
            },
        };
        self.results.push((resolver, verdict));
    }

    fn fail(self, error: &StoreError) {
        for (resolver, _) in self.results {
            resolver.resolve(Err(CommitError::Engine(error.clone())));
        }
    }
}

impl<C: Send + Sync + 'static> Shared<C> {
    /// Ends the process before any ticket of the current group resolves.
    fn terminate(&self, fatal: &FatalError) -> Stopped {
        (self.fatal)(fatal);
        Stopped
    }

    fn serve(&self) -> Result<(), Stopped> {
        while let Some(turn) = self.queue.wait() {
            match turn {
                Task::Commit(first) => self.run_group(first)?,
                Task::Reopen => match self.reopen_if_stale() {
                    Err(StoreFailure::Fatal(fatal)) => return Err(self.terminate(&fatal)),
                    Ok(()) | Err(StoreFailure::Transient(_)) => {},
                },
            }
        }
        Ok(())
    }

    /// Reopens the store after a failure.
    fn reopen_if_stale(&self) -> Result<(), StoreFailure> {
        if self.store.is_stale() {
            self.view.release();
            self.store.reopen(self.feed.revision())?;
            tracing::warn!("reopened the store after a failure");
        }
        Ok(())
    }

    /// Runs and commits a group that begins with `first`.
    fn run_group(&self, first: Job<C>) -> Result<(), Stopped> {
        let reader = match self
            .reopen_if_stale()
            .and_then(|()| self.store.reader().map_err(StoreFailure::Transient))
        {
            Ok(reader) => reader,
            Err(StoreFailure::Transient(error)) => {
                first.resolver.resolve(Err(CommitError::Engine(error)));
                return Ok(());
            },
            Err(StoreFailure::Fatal(fatal)) => return Err(self.terminate(&fatal)),
        };
        let mut pending = PendingGroup {
            overlay: Overlay::default(),
            changes: Vec::new(),
            results: Vec::new(),
        };
        let mut next = Some(first);
        while let Some(job) = next {
            pending.run(&reader, job);
            next = if pending.is_full() {
                None
            } else {
                self.queue.next()
            };
        }
        // A commit does not free pages that an open reader may need.
        drop(reader);
        self.finish_group(pending)
    }

    /// Commits a group, notifies the observers and resolves the tickets, in this order.
    fn finish_group(&self, mut pending: PendingGroup<C>) -> Result<(), Stopped> {
        let mut revision = self.feed.revision();
        if !pending.overlay.is_empty() || !pending.changes.is_empty() {
            revision += 1;
            // The shared view keeps pages from being freed, too.
            self.view.release();
            let committed = self.commit(revision, &pending.overlay);
            // Before the notifications: from then on every view has to include this group.
            self.view.release();
            if let Err(failure) = committed {
                return self.fail_group(pending, failure);
            }
            let changes = std::mem::take(&mut pending.changes);
            self.notify_observers(&Arc::new(CommitGroup { revision, changes }))?;
        }
        for (resolver, verdict) in pending.results {
            resolver.resolve(verdict.map(|()| Committed { revision }));
        }
        Ok(())
    }

    fn commit(&self, revision: u64, overlay: &Overlay) -> Result<(), StoreFailure> {
        let counters = self.counters.stored();
        let row = State { revision, counters }.row();
        self.store
            .commit(overlay, &[row.map_err(StoreFailure::Transient)?])
    }

    /// Fails a group after a failed commit, once it is certain that none of it was stored.
    fn fail_group(&self, pending: PendingGroup<C>, failure: StoreFailure) -> Result<(), Stopped> {
        let error = match failure {
            StoreFailure::Transient(error) => error,
            StoreFailure::Fatal(fatal) => return Err(self.terminate(&fatal)),
        };
        tracing::error!("a group of writes failed: {error}");
        if let Err(StoreFailure::Fatal(fatal)) = self.reopen_if_stale() {
            return Err(self.terminate(&fatal));
        }
        pending.fail(&error);
        Ok(())
    }

    fn notify_observers(&self, group: &Arc<CommitGroup<C>>) -> Result<(), Stopped> {
        self.feed.push(Arc::clone(group));
        for observer in self.observers() {
            if catch_unwind(AssertUnwindSafe(|| observer.on_commit(group))).is_err() {
                let what = "an observer of its changes panicked".into();
                return Err(self.terminate(&FatalError { what }));
            }
        }
        Ok(())
    }
}
