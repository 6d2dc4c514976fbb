//! Feed of the latest committed groups.

use crate::sync::lock;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Changes that were committed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitGroup<C> {
    /// Revision of the store after this group; incremented by one per group.
    pub revision: u64,
    /// Changes recorded by the bodies, in commit order.
    pub changes: Vec<C>,
}

/// The requested groups are no longer in the feed: the follower has to start from a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the changes after revision {since} are not available; the store is at revision {revision}"
)]
pub struct TooOldError {
    /// The requested revision.
    pub since: u64,
    /// The revision of the store.
    pub revision: u64,
}

/// The latest groups, up to a number of changes.
///
/// A follower that is behind by many small groups costs no more memory than one that is behind by a few
/// large ones.
#[derive(Debug)]
pub struct Feed<C> {
    capacity: usize,
    ring: Mutex<Ring<C>>,
}

#[derive(Debug)]
struct Ring<C> {
    revision: u64,
    groups: VecDeque<Arc<CommitGroup<C>>>,
    /// Changes in all groups, as [`weight`] counts them.
    changes: usize,
}

impl<C> Feed<C> {
    /// An empty feed of a store at `revision` with room for `capacity` changes. A group counts for at
    /// least one; the latest one is kept, however large it is.
    pub fn new(revision: u64, capacity: usize) -> Self {
        let groups = VecDeque::new();
        Self {
            capacity,
            ring: Mutex::new(Ring {
                revision,
                groups,
                changes: 0,
            }),
        }
    }

    /// The revision of the latest group.
    pub fn revision(&self) -> u64 {
        lock(&self.ring).revision
    }

    /// The groups after `revision`, oldest first.
    ///
    /// # Errors
    ///
    /// [`TooOldError`] when not all of them are available, or for a future revision.
    pub fn since(&self, revision: u64) -> Result<Vec<Arc<CommitGroup<C>>>, TooOldError> {
        let ring = lock(&self.ring);
        let wanted = ring.revision.checked_sub(revision);
        match wanted.and_then(|wanted| usize::try_from(wanted).ok()) {
            Some(wanted) if wanted <= ring.groups.len() => {
                let skipped = ring.groups.len() - wanted;
                Ok(ring.groups.iter().skip(skipped).cloned().collect())
            },
            _ => Err(TooOldError {
                since: revision,
                revision: ring.revision,
            }),
        }
    }

    /// Appends the next group; only for the engine of the feed.
    pub fn push(&self, group: Arc<CommitGroup<C>>) {
        let mut ring = lock(&self.ring);
        ring.revision = group.revision;
        ring.changes += weight(&group);
        ring.groups.push_back(group);
        while ring.changes > self.capacity && ring.groups.len() > 1 {
            if let Some(oldest) = ring.groups.pop_front() {
                ring.changes -= weight(&oldest);
            }
        }
    }
}

fn weight<C>(group: &CommitGroup<C>) -> usize {
    group.changes.len().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revisions(groups: &[Arc<CommitGroup<u8>>]) -> Vec<u64> {
        groups.iter().map(|group| group.revision).collect()
    }

    #[test]
    fn large_groups_push_out_more_than_small_ones() {
        let feed = Feed::new(0, 4);
        let push = |revision, count| {
            let changes = vec![0; count];
            feed.push(Arc::new(CommitGroup { revision, changes }));
        };
        for revision in 1..=4 {
            push(revision, 1);
        }
        assert_eq!(revisions(&feed.since(0).unwrap()), [1, 2, 3, 4]);
        push(5, 3);
        assert!(feed.since(2).is_err());
        assert_eq!(revisions(&feed.since(3).unwrap()), [4, 5]);
        push(6, 100);
        assert_eq!(revisions(&feed.since(5).unwrap()), [6]);
        push(7, 0);
        assert_eq!(revisions(&feed.since(6).unwrap()), [7]);
        assert!(feed.since(5).is_err());
    }

    #[test]
    fn since_gives_all_that_follows_or_refuses() {
        let feed = Feed::new(10, 3);
        assert_eq!(feed.since(10), Ok(Vec::new()));
        assert!(feed.since(9).is_err());
        for revision in 11..=15 {
            let changes = vec![0];
            feed.push(Arc::new(CommitGroup { revision, changes }));
        }
        assert_eq!(feed.revision(), 15);
        assert_eq!(revisions(&feed.since(12).unwrap()), [13, 14, 15]);
        assert_eq!(revisions(&feed.since(14).unwrap()), [15]);
        assert_eq!(revisions(&feed.since(15).unwrap()), [0_u64; 0]);
        for since in [0, 11, 16] {
            let revision = 15;
            assert_eq!(feed.since(since), Err(TooOldError { since, revision }));
        }
    }
}
