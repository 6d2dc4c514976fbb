//! The queue in front of the hashing threads, shared out among peers.
//!
//! Peers take turns, so that nobody waits behind the backlog of somebody else. A peer may queue half
//! of what fits; when all of it is taken, the heaviest peer loses its newest job to a lighter one.
//! What weighs are the jobs that wait and the attempts of the last seconds, also those that were turned
//! away: a crowd with as many peers as there are places keeps out nobody who comes less often. Trusted
//! peers queue in a lane of their own and are served every other time: a crowd of strangers cannot
//! keep them out at all.
//!
//! No peer is refused a free thread while nobody else wants it: a hash takes milliseconds, so whoever
//! comes next waits for one hash, not for a backlog.

use portcullis_domain::peer::{Peer, PeerUsage, RecentAttempts};
use std::collections::{HashMap, VecDeque};
use std::time::Instant;

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
    pub(super) fn push(&mut self, lane: Lane, peer: Peer, job: J, now: Instant) -> Option<J> {
        self.backlog(lane).push(peer, job, now)
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
    attempts: RecentAttempts,
    /// Of peers that have a job waiting: how many, and their recent attempts.
    weights: PeerUsage,
    room: usize,
}

impl<J> Backlog<J> {
    fn new(room: usize) -> Self {
        Self {
            by_peer: HashMap::new(),
            turns: VecDeque::new(),
            usage: PeerUsage::default(),
            attempts: RecentAttempts::default(),
            weights: PeerUsage::default(),
            room,
        }
    }

    fn push(&mut self, peer: Peer, job: J, now: Instant) -> Option<J> {
        if self.attempts.note(peer, now) {
            self.weigh_all();
        }
        let share = (self.room / 2).max(1);
        let own = self.usage.of(peer);
        let mut displaced = None;
        if own >= share {
            displaced = Some(job);
        } else if self.usage.total() < self.room {
            self.add(peer, job);
        } else {
            match self.weights.heaviest() {
                // One who would be no better off than the newcomer keeps its place.
                Some((heaviest, weight)) if weight > own + 1 + self.attempts.of(peer) => {
                    displaced = self.displace(heaviest);
                    self.add(peer, job);
                },
                _ => displaced = Some(job),
            }
        }
        self.weigh(peer);
        displaced
    }

    /// Takes the newest job of a peer.
    fn displace(&mut self, peer: Peer) -> Option<J> {
        let job = self.take(peer, VecDeque::pop_back);
        if !self.by_peer.contains_key(&peer) {
            self.turns.retain(|&waiting| waiting != peer);
        }
        job
    }

    fn add(&mut self, peer: Peer, job: J) {
        let waiting = self.by_peer.entry(peer).or_default();
        if waiting.is_empty() {
            self.turns.push_back(peer);
        }
        waiting.push_back(job);
        self.usage.charge(peer, 1);
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
        self.weigh(peer);
        Some(job)
    }

    fn weigh(&mut self, peer: Peer) {
        let weight = match self.usage.of(peer) {
            0 => 0,
            waiting => waiting + self.attempts.of(peer),
        };
        self.weights.release(peer, self.weights.of(peer));
        self.weights.charge(peer, weight);
    }

    fn weigh_all(&mut self) {
        let waiting: Vec<Peer> = self.by_peer.keys().copied().collect();
        for peer in waiting {
            self.weigh(peer);
        }
    }
}

#[cfg(test)]
mod tests;
