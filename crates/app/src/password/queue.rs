//! Fair queue in front of the hashing threads.
//!
//! Peers are served in turn, so nobody waits behind the backlog of another. A peer may queue half
//! of the capacity; when the queue is full, the heaviest peer loses its newest job to a lighter
//! one. The weight of a peer is its queued jobs plus its attempts of the last seconds, rejected
//! ones included: a crowd of as many peers as there are places cannot keep out someone who tries
//! less often. Trusted peers have a lane of their own and are served every other time, so a crowd
//! of unknown peers cannot keep them out at all.
//!
//! A free thread serves any peer while nobody else waits: a hash takes milliseconds, so the next
//! peer waits for one hash, not for a backlog.

use portcullis_domain::peer::{Peer, PeerUsage, RecentAttempts};
use std::collections::{HashMap, VecDeque};
use std::time::Instant;

/// Lane of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Sessions, and addresses that logged in recently.
    Trusted,
    /// Everybody else.
    Unknown,
}

/// Queued jobs, in two lanes.
pub(super) struct FairQueue<J> {
    trusted: Backlog<J>,
    unknown: Backlog<J>,
    last: Lane,
}

impl<J> FairQueue<J> {
    /// Creates a queue with `capacity` places per lane.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            trusted: Backlog::new(capacity),
            unknown: Backlog::new(capacity),
            last: Lane::Unknown,
        }
    }

    /// Adds a job; returns the job that is rejected for it, if any: this one or another.
    #[must_use = "whoever waits for the job has to be told"]
    pub(super) fn push(&mut self, lane: Lane, peer: Peer, job: J, now: Instant) -> Option<J> {
        self.backlog(lane).push(peer, job, now)
    }

    /// Number of jobs in both lanes.
    pub(super) fn len(&self) -> usize {
        self.trusted.usage.total() + self.unknown.usage.total()
    }

    /// Takes the next job.
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

/// The jobs of one lane: a queue per peer, and the order of turns.
struct Backlog<J> {
    by_peer: HashMap<Peer, VecDeque<J>>,
    /// Each peer with queued jobs, once.
    turns: VecDeque<Peer>,
    usage: PeerUsage,
    attempts: RecentAttempts,
    /// Weights of the peers with queued jobs: jobs plus recent attempts.
    weights: PeerUsage,
    capacity: usize,
}

impl<J> Backlog<J> {
    fn new(capacity: usize) -> Self {
        Self {
            by_peer: HashMap::new(),
            turns: VecDeque::new(),
            usage: PeerUsage::default(),
            attempts: RecentAttempts::default(),
            weights: PeerUsage::default(),
            capacity,
        }
    }

    fn push(&mut self, peer: Peer, job: J, now: Instant) -> Option<J> {
        if self.attempts.record(peer, now) {
            self.update_weights();
        }
        let limit = (self.capacity / 2).max(1);
        let own = self.usage.get(peer);
        let mut displaced = None;
        if own >= limit {
            displaced = Some(job);
        } else if self.usage.total() < self.capacity {
            self.add(peer, job);
        } else {
            match self.weights.heaviest() {
                // A peer that would be no better off than the newcomer keeps its place.
                Some((heaviest, weight)) if weight > own + 1 + self.attempts.count(peer) => {
                    displaced = self.evict_newest(heaviest);
                    self.add(peer, job);
                },
                _ => displaced = Some(job),
            }
        }
        self.update_weight(peer);
        displaced
    }

    /// Takes the newest job of a peer.
    fn evict_newest(&mut self, peer: Peer) -> Option<J> {
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
        self.update_weight(peer);
        Some(job)
    }

    fn update_weight(&mut self, peer: Peer) {
        let weight = match self.usage.get(peer) {
            0 => 0,
            waiting => waiting + self.attempts.count(peer),
        };
        self.weights.release(peer, self.weights.get(peer));
        self.weights.charge(peer, weight);
    }

    fn update_weights(&mut self) {
        let waiting: Vec<Peer> = self.by_peer.keys().copied().collect();
        for peer in waiting {
            self.update_weight(peer);
        }
    }
}

#[cfg(test)]
mod tests;
