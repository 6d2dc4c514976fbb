//! Follows the store: what is committed reaches the network and the sessions of routers at once.

use crate::enforcement::News;
use crate::plane::Plane;
use crate::records::Records;
use portcullis_app::change_feed::ChangeFeed;
use portcullis_app::routers;
use portcullis_app::sessions::for_routers::{self, SessionNews};
use portcullis_domain::change::Change;
use portcullis_domain::ids::RouterId;
use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// When a store that could not be read is read again.
const RETRY: Duration = Duration::from_secs(1);

/// Keeps the network as the store has it.
pub(crate) struct Follower {
    plane: Arc<Plane>,
    feed: ChangeFeed,
    records: Records,
    /// Whether all records were read.
    has_begun: bool,
    /// Routers of which the store has not told whether they may stay.
    unchecked: BTreeSet<RouterId>,
}

impl Follower {
    pub(crate) fn new(plane: Arc<Plane>) -> Self {
        Self {
            feed: ChangeFeed::new(&plane.app),
            plane,
            records: Records::default(),
            has_begun: false,
            unchecked: BTreeSet::new(),
        }
    }

    /// Follows what is committed after [`begin`](Self::begin), until it is dropped.
    pub(crate) async fn run(mut self) {
        // It goes on while there are commits, however many.
        let mut retries = interval(RETRY);
        retries.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.feed.committed() => self.take(),
                _ = retries.tick(), if self.is_behind() => self.catch_up(),
            }
        }
    }

    /// Whether there is something that the store has not told.
    fn is_behind(&self) -> bool {
        !self.has_begun || !self.unchecked.is_empty()
    }

    fn catch_up(&mut self) {
        if !self.has_begun {
            self.begin_again();
        }
        for router in mem::take(&mut self.unchecked) {
            self.recheck(router);
        }
    }

    /// Follows what was committed.
    fn take(&mut self) {
        match self.feed.take() {
            Ok(groups) => {
                for group in groups {
                    self.follow(&group.changes);
                    self.tell_of_sessions(group.revision, &group.changes);
                    let committed = News::Committed(group.changes.clone());
                    self.plane.enforcement.tell(committed);
                }
            },
            Err(too_old) => {
                tracing::warn!(%too_old, "routers are looked up anew");
                self.begin_again();
            },
        }
    }

    /// Begins anew. What was missed may concern everything.
    fn begin_again(&mut self) {
        self.begin();
        let (plane, everything) = (&self.plane, vec![SessionNews::Everything]);
        let revision = self.feed.revision();
        plane.client_sessions.publish(plane, revision, everything);
        plane.enforcement.tell(News::Everything);
    }

    /// Takes all records of the network over. Those that are known and not there any more are gone.
    pub(crate) fn begin(&mut self) {
        let mut all = Vec::new();
        let scanned = self.feed.scan_network(&mut |change| all.push(change));
        self.has_begun = scanned.is_ok();
        if let Err(error) = scanned {
            tracing::error!(%error, "the records of routers cannot be read");
            return;
        }
        let gone = self.records.missing_from(&all);
        self.follow(&gone);
        self.follow(&all);
    }

    fn follow(&mut self, changes: &[Change]) {
        let routers = self.records.follow(changes, &self.plane.network);
        for router in routers {
            self.recheck(router);
        }
    }

    fn tell_of_sessions(&self, revision: u64, changes: &[Change]) {
        let plane = &self.plane;
        // Who connects later gets everything then.
        if plane.sessions.is_empty() {
            return;
        }
        let news = for_routers::news(&plane.app, changes).unwrap_or_else(|error| {
            tracing::warn!(%error, "routers are told of all sessions anew");
            vec![SessionNews::Everything]
        });
        plane.client_sessions.publish(plane, revision, news);
    }

    /// Puts a router off that may not be connected any more; of one that is gone, all others are told.
    fn recheck(&mut self, id: RouterId) {
        let plane = &self.plane;
        if plane
            .network
            .read(|fabric| fabric.network().find_router(&id).is_none())
        {
            plane.sessions.forget(&id);
            plane.recent_reports.forget(&id);
            plane.sessions.tell_of(&id);
        }
        let Some(session) = plane.sessions.get(&id) else {
            return;
        };
        match routers::recheck(&plane.app, &session.router) {
            Ok(()) => {},
            Err(refusal) if refusal.is_temporary() => {
                tracing::warn!(router = %id, %refusal, "whether a router may stay is not known yet");
                self.unchecked.insert(id);
            },
            Err(refusal) => {
                tracing::info!(router = %id, %refusal, "a router is put off");
                session.close();
            },
        }
    }
}
