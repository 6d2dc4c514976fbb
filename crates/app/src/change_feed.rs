//! Committed changes, for those who follow the store from outside.
//!
//! A follower begins with all records as of one revision, and then gets what each commit has changed, in
//! the order of the commits. It is told of commits and takes them when it likes: the writer never waits
//! for it. Whoever has fallen too far behind begins anew.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::change::Change;
use portcullis_storage::engine::{Engine, Observer};
use portcullis_storage::feed::CommitGroup;
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{ROUTER, Record, SERVICE, TERMINATOR, roots};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

pub use portcullis_storage::feed::TooOldError;

/// One follower of the store.
pub struct ChangeFeed {
    engine: Arc<dyn Engine<Change>>,
    waker: Arc<Waker>,
    /// Revision up to which changes were taken.
    revision: u64,
}

/// Wakes a follower. It lives as long as the store.
#[derive(Default)]
struct Waker {
    committed: Notify,
    /// The last revision that it was told of. The read model is told of commits before.
    observed: AtomicU64,
}

impl Observer<Change> for Waker {
    fn on_commit(&self, group: &Arc<CommitGroup<Change>>) {
        self.observed.store(group.revision, Ordering::Release);
        self.committed.notify_one();
    }
}

impl ChangeFeed {
    /// Follows the store of an application. Nothing was taken yet: see [`ChangeFeed::scan`].
    pub fn new(app: &App) -> Self {
        let waker = Arc::new(Waker::default());
        let engine = Arc::clone(&app.engine);
        engine.observe(Arc::clone(&waker) as _);
        Self {
            revision: 0,
            waker,
            engine,
        }
    }

    /// Revision up to which changes were taken.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Begins anew: visits all records as if each had just been written, owners before what belongs to
    /// them. Damaged records are left out; the check of the store reports them.
    ///
    /// # Errors
    ///
    /// When the store cannot be read; what was visited by then is incomplete.
    pub fn scan(&mut self, visit: &mut dyn FnMut(Change)) -> Result<(), AppError> {
        self.scan_roots(roots(), visit)
    }

    /// Begins anew like [`ChangeFeed::scan`], but visits only routers, services and terminators, of which
    /// there are few in a large store.
    ///
    /// # Errors
    ///
    /// As for [`ChangeFeed::scan`].
    pub fn scan_network(&mut self, visit: &mut dyn FnMut(Change)) -> Result<(), AppError> {
        self.scan_roots([ROUTER, SERVICE, TERMINATOR], visit)
    }

    fn scan_roots(
        &mut self,
        roots: impl IntoIterator<Item = Kind>,
        visit: &mut dyn FnMut(Change),
    ) -> Result<(), AppError> {
        let snapshot = self.engine.snapshot()?;
        for root in roots {
            snapshot.scan(&RecordKey::all(root), &mut |key, frame| {
                let change = Record::from_row(key, frame).and_then(|record| record.change());
                if let Ok(Some(change)) = change {
                    visit(change);
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        self.revision = snapshot.revision()?;
        Ok(())
    }

    /// Waits until there may be something to take.
    pub async fn committed(&self) {
        self.waker.committed.notified().await;
    }

    /// Takes what was committed since, a group for each revision. The read model has all of it.
    ///
    /// # Errors
    ///
    /// [`TooOldError`] when not all of it is there any more. The follower has to [scan](Self::scan) anew.
    pub fn take(&mut self) -> Result<Vec<Arc<CommitGroup<Change>>>, TooOldError> {
        // The store knows of a group a moment before the read model does.
        let observed = self.waker.observed.load(Ordering::Acquire);
        let mut groups = self.engine.feed().since(self.revision)?;
        groups.retain(|group| group.revision <= observed);
        if let Some(last) = groups.last() {
            self.revision = last.revision;
        }
        Ok(groups)
    }
}

impl std::fmt::Debug for ChangeFeed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ChangeFeed")
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use portcullis_domain::identity::{IdentityName, IdentitySpec};
    use portcullis_domain::router::RouterSpec;

    fn identities<'c>(changes: impl IntoIterator<Item = &'c Change>) -> usize {
        let changes = changes.into_iter();
        changes
            .filter(|change| matches!(change, Change::Identity(_)))
            .count()
    }

    #[tokio::test]
    async fn follower_gets_all_records_and_then_each_commit() {
        let fixture = Fixture::start().await;
        let mut feed = ChangeFeed::new(&fixture.app);
        let mut all = Vec::new();
        feed.scan(&mut |change| all.push(change)).unwrap();
        assert_eq!(identities(&all), 1);
        assert_eq!(feed.take().unwrap().len(), 0);

        let admin = fixture.admin().await;
        feed.take().unwrap();
        let scanned = feed.revision();
        let name = IdentityName::new("one").unwrap();
        let spec = IdentitySpec::named(name);
        fixture.add_identity(&admin, spec).await;
        feed.committed().await;
        let groups = feed.take().unwrap();
        let changes = groups.iter().flat_map(|group| &group.changes);
        assert_ne!(identities(changes), 0);
        let revisions: Vec<_> = groups.iter().map(|group| group.revision).collect();
        let expected: Vec<_> = (scanned + 1..=feed.revision()).collect();
        assert_eq!(revisions, expected);
        assert_eq!(feed.take().unwrap().len(), 0);
    }

    #[tokio::test]
    async fn scan_of_the_network_leaves_out_what_there_is_most_of() {
        let fixture = Fixture::start().await;
        let admin = fixture.admin().await;
        let name = IdentityName::new("one").unwrap();
        fixture
            .add_identity(&admin, IdentitySpec::named(name))
            .await;
        let router = RouterSpec::edge_router("r");
        fixture.insert_managed("r", router).await;
        let mut feed = ChangeFeed::new(&fixture.app);
        let mut all = Vec::new();
        feed.scan_network(&mut |change| all.push(change)).unwrap();
        assert!(matches!(all[..], [Change::Router(_)]), "{all:?}");
        assert_eq!(feed.take().unwrap().len(), 0);
    }

    #[tokio::test]
    async fn follower_that_has_fallen_behind_begins_anew() {
        let fixture = Fixture::start().await;
        let mut feed = ChangeFeed::new(&fixture.app);
        feed.scan(&mut |_| {}).unwrap();
        feed.revision += 1;
        assert!(feed.take().is_err());
        feed.scan(&mut |_| {}).unwrap();
        assert_eq!(feed.take().unwrap().len(), 0);
    }
}
