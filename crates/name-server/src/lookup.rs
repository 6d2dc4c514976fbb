//! One question that upstreams are asked, and the clients that wait for the answer.

use crate::output::{Client, UpstreamQueryId};
use crate::query::{Query, Question};
use crate::upstream::Transport;
use domain::base::iana::Rcode;
use portcullis_channel::Moment;
use std::collections::{BTreeMap, VecDeque};

/// What makes queries the same for upstreams.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LookupKey {
    question: Question,
    recursion_desired: bool,
    checking_disabled: bool,
    authentic_data: bool,
    dnssec_ok: Option<bool>,
    /// TCP if the client uses it: it wants what is too long for UDP.
    transport: Transport,
}

/// A query as its client knows it. The same one once more has been sent again.
pub(crate) type WaiterId = (Client, u16);

#[derive(Debug)]
pub(crate) struct Lookup {
    pub(crate) key: LookupKey,
    pub(crate) waiting: BTreeMap<WaiterId, Query>,
    /// What has no answer yet, from all attempts: one that comes late counts, too.
    pub(crate) asked: Vec<Asked>,
    /// Upstreams that this round has not asked yet.
    pub(crate) untried: VecDeque<usize>,
    /// What the last one said that has no answer.
    pub(crate) failure: Option<Rcode>,
    pub(crate) attempt: u32,
    pub(crate) deadline: Moment,
    /// When the attempt, or all of it, ends.
    pub(crate) timer: Moment,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) query: UpstreamQueryId,
    pub(crate) upstream: usize,
    pub(crate) message_id: u16,
    pub(crate) attempt: u32,
}

impl LookupKey {
    pub(crate) fn new(query: &Query, transport: Transport) -> Self {
        Self {
            question: query.question.clone(),
            recursion_desired: query.header.rd(),
            checking_disabled: query.header.cd(),
            authentic_data: query.header.ad(),
            dnssec_ok: query.edns.map(|edns| edns.dnssec_ok),
            transport,
        }
    }

    pub(crate) const fn question(&self) -> &Question {
        &self.question
    }

    pub(crate) const fn transport(&self) -> Transport {
        self.transport
    }
}

impl Lookup {
    pub(crate) fn has_room(&self, max_over_tcp: usize) -> bool {
        self.key.transport() == Transport::Udp || self.waiting.len() < max_over_tcp
    }

    pub(crate) fn find_asked(&self, query: UpstreamQueryId) -> Option<Asked> {
        self.asked
            .iter()
            .find(|asked| asked.query == query)
            .copied()
    }

    /// Upstreams that the current attempt has asked and that have said nothing.
    pub(crate) fn silent(&self) -> Vec<usize> {
        let asked = self.asked.iter();
        let current = asked.filter(|asked| asked.attempt == self.attempt);
        current.map(|asked| asked.upstream).collect()
    }
}
