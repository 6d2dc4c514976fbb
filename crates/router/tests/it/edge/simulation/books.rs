//! What is owed, and what was done about it.

use portcullis_channel::Sequence;
use portcullis_router::edge::{ChannelId, CircuitId, EndId};
use portcullis_xgress::Side;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a reply is owed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owed {
    Dial,
    Bind,
}

#[derive(Debug, Default)]
pub(super) struct Books {
    /// Dials and binds without an answer.
    pub(super) owed: BTreeMap<(ChannelId, i32), Owed>,
    /// Offers without an outcome.
    pub(super) offers: BTreeSet<CircuitId>,
    /// Ends of circuits that exist.
    pub(super) open: BTreeMap<EndId, ChannelId>,
    /// Circuits of dials that a controller has created, and of which nothing was heard since.
    pub(super) created: BTreeSet<String>,
    pub(super) reached: BTreeSet<String>,
    /// What happened.
    pub(super) log: String,
}

impl Books {
    pub(super) fn note(&mut self, text: &str) {
        writeln!(self.log, "{text}").unwrap();
    }

    pub(super) fn reach(&mut self, case: &str) {
        if !self.reached.contains(case) {
            self.reached.insert(case.to_owned());
        }
    }

    /// A reply of the router: it must be owed.
    pub(super) fn replied(&mut self, channel: ChannelId, sequence: Sequence) -> Option<Owed> {
        self.owed.remove(&(channel, sequence.0))
    }

    pub(super) fn opened(&mut self, channel: ChannelId, end: &EndId) {
        let earlier = self.open.insert(end.clone(), channel);
        assert_eq!(earlier, None, "{end:?} is open already\n{}", self.log);
        if end.side == Side::Initiator {
            self.created.remove(end.circuit.as_str());
        }
    }

    pub(super) fn closed(&mut self, channel: ChannelId, end: &EndId) {
        let owner = self.open.remove(end);
        assert_eq!(owner, Some(channel), "{end:?} is closed\n{}", self.log);
    }

    pub(super) fn check_open(&self, channel: ChannelId, end: &EndId) {
        let owner = self.open.get(end);
        assert_eq!(owner, Some(&channel), "{end:?} is not open\n{}", self.log);
    }

    /// Answers to a channel that was lost cannot be sent.
    pub(super) fn forgive(&mut self, channel: ChannelId) {
        self.owed.retain(|(owner, _), _| *owner != channel);
    }

    pub(super) fn check_empty(&self) {
        assert!(self.owed.is_empty(), "{:?}\n{}", self.owed, self.log);
        assert!(self.offers.is_empty(), "{:?}\n{}", self.offers, self.log);
        assert!(self.open.is_empty(), "{:?}\n{}", self.open, self.log);
        assert!(self.created.is_empty(), "{:?}\n{}", self.created, self.log);
    }
}
