//! The queue in front of the hashing threads, shared out among peers.
//!
//! Peers take turns, so that nobody waits behind the backlog of somebody else. A peer may queue half
//! of what fits; when all of it is taken, the peer with the longest backlog loses its newest job to
//! a peer with a shorter one. Trusted peers queue in a lane of their own and are served every other
//! time: a crowd of strangers, however many addresses it has, cannot keep them out.
//!
//! No peer is refused a free thread while nobody else wants it: a hash takes milliseconds, so whoever
//! comes next waits for one hash, not for a backlog.

use portcullis_domain::peer::{Peer, PeerUsage};
use std::collections::{HashMap, VecDeque};

/// Which lane a job waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Sessions, and addresses that have logged in lately.
    Trusted,
    /// Everybody else.
    Unknown,
}

/// Jobs that wait, in two lanes.
pub(super) struct FairQueue<J> {
    trusted: Backlog<J>,
    unknown: Backlog<J>,
    last: Lane,
}

impl<J> FairQueue<J> {
    /// A queue with so many places in each lane.
    pub(super) fn new(room: usize) -> Self {
        Self {
            trusted: Backlog::new(room),
            unknown: Backlog::new(room),
            last: Lane::Unknown,
        }
    }

    /// Adds a job; answers the one that is turned away, if one has to be: this or another.
    #[must_use = "whoever waits for the job has to be told"]
    pub(super) fn push(&mut self, lane: Lane, peer: Peer, job: J) -> Option<J> {
        self.backlog(lane).push(peer, job)
    }

    /// Takes out the job whose turn it is.
    pub(super) fn pop(&mut self) -> Option<J> {
        let (first, second) = match self.last {
            Lane::Trusted => (Lane::Unknown, Lane::Trusted),
            Lane::Unknown => (Lane::Trusted, Lane::Unknown),
        };
        for lane in [first, second] {
            if let Some(job) = self.backlog(lane).pop() {
                self.last = lane;
                return Some(job);
            }
        }
        None
    }

    fn backlog(&mut self, lane: Lane) -> &mut Backlog<J> {
        match lane {
            Lane::Trusted => &mut self.trusted,
            Lane::Unknown => &mut self.unknown,
        }
    }
}

/// The jobs of one lane: a queue for each peer, and the order in which peers take turns.
struct Backlog<J> {
    by_peer: HashMap<Peer, VecDeque<J>>,
    /// Each peer that has a job waiting, once.
    turns: VecDeque<Peer>,
    usage: PeerUsage,
    room: usize,
}

impl<J> Backlog<J> {
    fn new(room: usize) -> Self {
        Self {
            by_peer: HashMap::new(),
            turns: VecDeque::new(),
            usage: PeerUsage::default(),
            room,
        }
    }

    fn push(&mut self, peer: Peer, job: J) -> Option<J> {
        let share = (self.room / 2).max(1);
        let own = self.usage.of(peer);
        if own >= share {
            return Some(job);
        }
        let mut displaced = None;
        if self.usage.total() >= self.room {
            match self.usage.heaviest() {
                // One who would be no better off than the newcomer keeps its place.
                Some((heaviest, amount)) if amount > own + 1 => {
                    displaced = self.take(heaviest, VecDeque::pop_back);
                },
                _ => return Some(job),
            }
        }
        let waiting = self.by_peer.entry(peer).or_default();
        if waiting.is_empty() {
            self.turns.push_back(peer);
        }
        waiting.push_back(job);
        self.usage.charge(peer, 1);
        displaced
    }

    fn pop(&mut self) -> Option<J> {
        let peer = self.turns.pop_front()?;
        let job = self.take(peer, VecDeque::pop_front);
        if self.by_peer.contains_key(&peer) {
            self.turns.push_back(peer);
        }
        job
    }

    fn take(&mut self, peer: Peer, end: fn(&mut VecDeque<J>) -> Option<J>) -> Option<J> {
        let waiting = self.by_peer.get_mut(&peer)?;
        let job = end(waiting)?;
        if waiting.is_empty() {
            self.by_peer.remove(&peer);
        }
        self.usage.release(peer, 1);
        Some(job)
    }
}

#[cfg(test)]
mod tests;
