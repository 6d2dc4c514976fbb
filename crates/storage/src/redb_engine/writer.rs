//! The writer: takes bodies from the queue and commits them in groups.

use super::database::Failure;
use super::meta::State;
use super::options::Fatal;
use super::queue::{Job, Turn};
use super::reader::Reader;
use super::shared::Shared;
use super::ticket::{Committed, Resolver};
use crate::engine::{CommitError, StoreError};
use crate::feed::Group;
use crate::overlay::{Layered, Overlay, OverlayTx};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The most bodies of a group.
const GROUP_BODIES: usize = 256;
/// The bytes written from which on a group takes no further body.
const GROUP_BYTES: usize = 1024 * 1024;

/// Serves the queue until it is closed and empty.
pub(super) fn run<C: Send + Sync + 'static>(shared: &Shared<C>) {
    let served = catch_unwind(AssertUnwindSafe(|| shared.serve()));
    match served {
        Ok(Ok(())) => return,
        Ok(Err(Ended)) => {},
        Err(_) => {
            let what = "its writer panicked".into();
            // Whoever waits for a ticket is told in any case.
            let _ = catch_unwind(AssertUnwindSafe(|| shared.end(&Fatal { what })));
        },
    }
    shared.queue.abandon();
}

/// The process was told to end and, in a test, goes on.
struct Ended;

/// What a body's ticket says if its group is committed.
type Verdict = Result<(), CommitError>;

/// Bodies that have run and wait for their commit.
struct Pending<C> {
    overlay: Overlay,
    changes: Vec<C>,
    verdicts: Vec<(Resolver, Verdict)>,
}

impl<C> Pending<C> {
    fn is_full(&self) -> bool {
        self.verdicts.len() >= GROUP_BODIES || self.overlay.bytes() >= GROUP_BYTES
    }

    /// Runs one body over the rows of `reader` and the bodies before it.
    fn run(&mut self, reader: &Reader, job: Job<C>) {
        let Job { mut body, resolver } = job;
        let below = Layered {
            below: reader,
            overlay: &self.overlay,
        };
        let mut tx = OverlayTx::new(&below);
        // The body is dropped inside as well: what it captured can panic too.
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
                self.overlay.fold(written);
                self.changes.extend(changes);
                Ok(())
            },
        };
        self.verdicts.push((resolver, verdict));
    }

    fn fail(self, error: &StoreError) {
        for (resolver, _) in self.verdicts {
            resolver.resolve(Err(CommitError::Engine(error.clone())));
        }
    }
}

impl<C: Send + Sync + 'static> Shared<C> {
    /// Ends the process, before any ticket of the group at hand gives an answer.
    fn end(&self, fatal: &Fatal) -> Ended {
        (self.fatal)(fatal);
        Ended
    }

    fn serve(&self) -> Result<(), Ended> {
        while let Some(turn) = self.queue.wait() {
            match turn {
                Turn::Group(first) => self.group(first)?,
                Turn::Tend => match self.tend() {
                    Err(Failure::Fatal(fatal)) => return Err(self.end(&fatal)),
                    Ok(()) | Err(Failure::Passing(_)) => {},
                },
            }
        }
        Ok(())
    }

    /// Opens the store anew if something has failed since the last time.
    fn tend(&self) -> Result<(), Failure> {
        if self.store.is_stale() {
            self.view.let_go();
            self.store.reopen(self.feed.revision())?;
            tracing::warn!("the store has been opened anew after a failure");
        }
        Ok(())
    }

    /// Runs and commits `first` and what is queued behind it.
    fn group(&self, first: Job<C>) -> Result<(), Ended> {
        let reader = match self
            .tend()
            .and_then(|()| self.store.reader().map_err(Failure::Passing))
        {
            Ok(reader) => reader,
            Err(Failure::Passing(error)) => {
                first.resolver.resolve(Err(CommitError::Engine(error)));
                return Ok(());
            },
            Err(Failure::Fatal(fatal)) => return Err(self.end(&fatal)),
        };
        let mut pending = Pending {
            overlay: Overlay::default(),
            changes: Vec::new(),
            verdicts: Vec::new(),
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
        // Pages that a reader could still need are not given back by a commit.
        drop(reader);
        self.settle(pending)
    }

    /// Commits a group, tells the observers and answers the tickets, in this order.
    fn settle(&self, mut pending: Pending<C>) -> Result<(), Ended> {
        let mut revision = self.feed.revision();
        if !pending.overlay.is_empty() || !pending.changes.is_empty() {
            revision += 1;
            // As the reader was: a view, too, keeps pages.
            self.view.let_go();
            let committed = self.commit(revision, &pending.overlay);
            // Before anybody is told: from then on nobody sees the store without this group.
            self.view.let_go();
            if let Err(failure) = committed {
                return self.give_up(pending, failure);
            }
            let changes = std::mem::take(&mut pending.changes);
            self.announce(&Arc::new(Group { revision, changes }))?;
        }
        for (resolver, verdict) in pending.verdicts {
            resolver.resolve(verdict.map(|()| Committed { revision }));
        }
        Ok(())
    }

    fn commit(&self, revision: u64, overlay: &Overlay) -> Result<(), Failure> {
        let counters = self.counters.stored();
        let row = State { revision, counters }.row();
        self.store
            .commit(overlay, &[row.map_err(Failure::Passing)?])
    }

    /// Fails a group whose commit failed, once it is certain that nothing of it is there.
    fn give_up(&self, pending: Pending<C>, failure: Failure) -> Result<(), Ended> {
        let error = match failure {
            Failure::Passing(error) => error,
            Failure::Fatal(fatal) => return Err(self.end(&fatal)),
        };
        tracing::error!("a group of writes failed: {error}");
        if let Err(Failure::Fatal(fatal)) = self.tend() {
            return Err(self.end(&fatal));
        }
        pending.fail(&error);
        Ok(())
    }

    fn announce(&self, group: &Arc<Group<C>>) -> Result<(), Ended> {
        self.feed.push(Arc::clone(group));
        for observer in self.observers() {
            if catch_unwind(AssertUnwindSafe(|| observer.committed(group))).is_err() {
                let what = "an observer of its changes panicked".into();
                return Err(self.end(&Fatal { what }));
            }
        }
        Ok(())
    }
}
