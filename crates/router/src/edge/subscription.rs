//! The subscription of an SDK to its services and its posture: what it is sent, in which order.
//!
//! | Rule | Kept by |
//! |---|---|
//! | the first message has everything, with the previous index −1 | [`Subscription::snapshot`] |
//! | indexes rise, and each message names the one before | messages that are not newer are dropped |
//! | changes that overtake the snapshot follow it | they are kept until then |
//! | the sequence of postures rises by one, from 1 | it is numbered when it is sent |

use portcullis_wire::edge::{PostureStateChange, ServiceChangeSet};

/// Most changes that wait for a snapshot. Beyond it, they are dropped and another snapshot is asked for.
const MAX_WAITING: usize = 64;
/// The previous index of a message with everything.
const NOTHING: i64 = -1;

/// The subscription of a channel.
#[derive(Debug, Default)]
pub(super) struct Subscription {
    state: State,
    /// Number of the last posture that was sent.
    posture: u64,
}

#[derive(Debug, Default)]
enum State {
    /// The SDK has not subscribed.
    #[default]
    Off,
    /// The snapshot is being made. Changes of the meantime are kept.
    Waiting {
        changes: Vec<ServiceChangeSet>,
        has_overflown: bool,
    },
    /// Everything up to this index was sent.
    Current { index: i64 },
}

impl Subscription {
    /// Returns whether the SDK had subscribed.
    pub(super) fn end(&mut self) -> bool {
        !matches!(std::mem::take(&mut self.state), State::Off)
    }

    /// Begins anew. Whether a snapshot is to be made: it is not if one is being made already.
    pub(super) fn begin(&mut self) -> bool {
        let is_waiting = matches!(
            self.state,
            State::Waiting {
                has_overflown: false,
                ..
            }
        );
        if !is_waiting {
            self.state = State::Waiting {
                changes: Vec::new(),
                has_overflown: false,
            };
        }
        !is_waiting
    }

    /// What is to be sent of a snapshot with the changes that it lacks; `None` if another is needed.
    pub(super) fn snapshot(&mut self, snapshot: ServiceChangeSet) -> Option<Vec<ServiceChangeSet>> {
        let State::Waiting {
            changes,
            has_overflown,
        } = &mut self.state
        else {
            return Some(Vec::new());
        };
        if *has_overflown {
            return None;
        }
        let changes = std::mem::take(changes);
        self.state = State::Current {
            index: snapshot.index,
        };
        let mut all = vec![ServiceChangeSet {
            previous_index: NOTHING,
            ..snapshot
        }];
        all.extend(changes.into_iter().filter_map(|one| self.changes(one)));
        Some(all)
    }

    /// What is to be sent of changes.
    pub(super) fn changes(&mut self, set: ServiceChangeSet) -> Option<ServiceChangeSet> {
        match &mut self.state {
            State::Waiting {
                changes,
                has_overflown,
            } => {
                if changes.len() < MAX_WAITING {
                    changes.push(set);
                } else {
                    changes.clear();
                    *has_overflown = true;
                }
                None
            },
            State::Current { index } if set.index > *index => {
                let previous_index = std::mem::replace(index, set.index);
                Some(ServiceChangeSet {
                    previous_index,
                    ..set
                })
            },
            State::Off | State::Current { .. } => None,
        }
    }

    /// What is to be sent of a state of posture.
    pub(super) fn posture(&mut self, posture: PostureStateChange) -> Option<PostureStateChange> {
        let State::Current { .. } = self.state else {
            return None;
        };
        self.posture += 1;
        Some(PostureStateChange {
            sequence: self.posture,
            ..posture
        })
    }
}
