//! Links of two connections, which routers before 1.6.6 dial, until both are there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_pki::Fingerprint;
use portcullis_router::links::{Link, LinkKey};
use portcullis_transport::{ChannelHandle, Inbox};
use portcullis_wire::link::SplitLinkPart;

use crate::links::open_link::LinkChannels;

/// How long one half waits for the other.
pub(super) const PAIRING: Duration = Duration::from_secs(30);

/// Halves of one router that may wait, for the answer of a controller and for the other half. As many again may come
/// for those that wait already.
const MAX_WAITING: usize = 16;

/// Which link a half belongs to: only the router that has dialed it can add the other one, and under no
/// other name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PairKey {
    pub(super) leaf: Fingerprint,
    pub(super) key: LinkKey,
    pub(super) link: Link,
    /// The same for both halves.
    pub(super) connection: String,
}

/// A connection that is half of a link.
pub(super) struct Half {
    pub(super) part: SplitLinkPart,
    pub(super) channel: ChannelHandle,
    pub(super) inbox: Inbox,
    /// Until it is no longer alone.
    pub(super) _place: HalfPlace,
}

/// Halves that wait.
#[derive(Default)]
pub(super) struct Halves {
    waiting: Mutex<BTreeMap<PairKey, Half>>,
    /// Places that the halves of a router have taken, by its certificate.
    taken: Arc<Mutex<BTreeMap<Fingerprint, usize>>>,
}

/// The place of a half that waits, given back when it is dropped.
pub(super) struct HalfPlace {
    leaf: Fingerprint,
    taken: Arc<Mutex<BTreeMap<Fingerprint, usize>>>,
}

impl Drop for HalfPlace {
    fn drop(&mut self) {
        let mut taken = self.taken.lock();
        if let Some(count) = taken.get_mut(&self.leaf) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.leaf);
            }
        }
    }
}

/// What has become of a half.
pub(super) enum Paired {
    Waiting,
    Complete(LinkChannels, Vec<Inbox>),
    /// It is not wanted, and closed.
    Refused,
}

impl Halves {
    /// A place for one more half of a router, unless too many of them wait.
    pub(super) fn place(&self, key: &PairKey) -> Option<HalfPlace> {
        let completes = self.waiting.lock().contains_key(key);
        let most = if completes {
            2 * MAX_WAITING
        } else {
            MAX_WAITING
        };
        let leaf = key.leaf;
        let mut taken = self.taken.lock();
        let count = taken.entry(leaf).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(HalfPlace {
            leaf,
            taken: Arc::clone(&self.taken),
        })
    }

    /// Adds a half, or pairs it with the one that waits.
    pub(super) fn add(&self, key: PairKey, half: Half) -> Paired {
        let mut waiting = self.waiting.lock();
        let Some(first) = waiting.remove(&key) else {
            waiting.insert(key, half);
            return Paired::Waiting;
        };
        drop(waiting);
        let (data, acknowledgments) = match (first.part, half.part) {
            (SplitLinkPart::Payloads, SplitLinkPart::Acknowledgements) => (first, half),
            (SplitLinkPart::Acknowledgements, SplitLinkPart::Payloads) => (half, first),
            _ => return Paired::Refused,
        };
        let channels = LinkChannels {
            data: data.channel,
            acknowledgments: Some(acknowledgments.channel),
        };
        Paired::Complete(channels, vec![data.inbox, acknowledgments.inbox])
    }

    /// Closes a half that is still alone.
    pub(super) fn give_up(&self, key: &PairKey, channel: &ChannelHandle) {
        let mut waiting = self.waiting.lock();
        if waiting
            .get(key)
            .is_some_and(|half| half.channel.id() == channel.id())
        {
            waiting.remove(key);
        }
    }
}
