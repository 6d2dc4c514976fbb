//! All questions that upstreams are asked.

mod attempts;

use self::attempts::Outcome;
use crate::answer;
use crate::health::Upstreams;
use crate::lookup::{Asked, Lookup, LookupKey};
use crate::options::NameServerOptions;
use crate::output::{Client, UpstreamQueryId};
use crate::query::Query;
use crate::relay::{self, Verdict};
use crate::report::Report;
use domain::base::iana::Rcode;
use portcullis_channel::Moment;
use portcullis_domain::entropy::Entropy;
use portcullis_domain::peer::{Peer, PeerUsage};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct LookupId(u64);

pub(crate) struct Lookups {
    options: NameServerOptions,
    entropy: Arc<dyn Entropy>,
    upstreams: Upstreams,
    all: HashMap<LookupId, Lookup>,
    by_key: HashMap<LookupKey, LookupId>,
    by_query: HashMap<UpstreamQueryId, LookupId>,
    timers: BTreeSet<(Moment, LookupId)>,
    waiting: PeerUsage,
    next_number: u64,
}

/// Clients over TCP that wait for the same answer: each gets a copy, which may be 64 KiB long.
const MAX_WAITING_OVER_TCP: usize = 64;

impl Lookups {
    pub(crate) fn new(options: &NameServerOptions, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            options: options.clone(),
            entropy,
            upstreams: Upstreams::new(&options.upstreams, options.order),
            all: HashMap::new(),
            by_key: HashMap::new(),
            by_query: HashMap::new(),
            timers: BTreeSet::new(),
            waiting: PeerUsage::default(),
            next_number: 0,
        }
    }

    pub(crate) const fn has_upstreams(&self) -> bool {
        !self.upstreams.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.total()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Moment> {
        self.timers.first().map(|(timer, _)| *timer)
    }

    /// Has upstreams asked what a client asks, unless they are being asked already: several identical queries
    /// at a time would make it easier to guess one of them (RFC 5452, section 5).
    pub(crate) fn pass_on(
        &mut self,
        client: Client,
        query: Query,
        now: Moment,
        report: &mut Report,
    ) {
        let key = LookupKey::new(&query, client.transport);
        let waiter = (client, query.header.id());
        let current = self.by_key.get(&key).copied();
        let has_place = self.all.len() < self.options.max_lookups;
        let lookup = current.and_then(|id| self.all.get_mut(&id));
        let waiting = lookup.as_ref().map(|lookup| &lookup.waiting);
        if waiting.is_some_and(|waiting| waiting.contains_key(&waiter)) {
            report.counters.repeated += 1;
            return;
        }
        let peer = peer(client);
        let has_room = self.waiting.total() < self.options.max_waiting
            && self.waiting.get(peer) < self.options.max_waiting_of_client
            && lookup
                .as_ref()
                .map_or(has_place, |lookup| lookup.has_room(MAX_WAITING_OVER_TCP));
        if !has_room {
            report.counters.refused_full += 1;
            report.full();
            return refuse(client, &query, Rcode::SERVFAIL, report);
        }
        report.counters.passed_on += 1;
        self.waiting.charge(peer, 1);
        if let Some(lookup) = lookup {
            report.counters.joined += 1;
            lookup.waiting.insert(waiter, query);
            return;
        }
        let id = LookupId(self.next());
        let deadline = now + self.options.timeout;
        let lookup = Lookup {
            key: key.clone(),
            waiting: BTreeMap::from([(waiter, query)]),
            asked: Vec::new(),
            untried: VecDeque::new(),
            failure: None,
            attempt: 0,
            deadline,
            timer: deadline,
        };
        self.timers.insert((deadline, id));
        self.all.insert(id, lookup);
        self.by_key.insert(key, id);
        self.attempt(id, now, report);
    }

    /// Takes what came as the answer of an upstream.
    pub(crate) fn handle_answer(
        &mut self,
        query: UpstreamQueryId,
        from: SocketAddr,
        message: &[u8],
        now: Moment,
        report: &mut Report,
    ) {
        let Some((id, asked)) = self.find(query) else {
            return;
        };
        let upstream = self.upstreams.get(asked.upstream);
        let is_from = upstream.is_some_and(|upstream| is_same(upstream.address, from));
        let question = self.all.get(&id).map(|lookup| lookup.key.question());
        let question = question.filter(|_| is_from);
        match question.and_then(|question| relay::judge(message, asked.message_id, question)) {
            None => report.counters.forged += 1,
            Some(Verdict::Answer) => {
                report.tell(self.upstreams.answered(asked.upstream));
                self.finish(id, Outcome::Answer(message), report);
            },
            Some(Verdict::Failure(code)) => {
                report.tell(self.upstreams.failed(asked.upstream));
                if let Some(lookup) = self.all.get_mut(&id) {
                    lookup.failure = Some(code);
                }
                self.give_up(id, query, now, report);
            },
        }
    }

    /// Nothing will come back for a query.
    pub(crate) fn handle_unreachable(
        &mut self,
        query: UpstreamQueryId,
        now: Moment,
        report: &mut Report,
    ) {
        if let Some((id, asked)) = self.find(query) {
            report.tell(self.upstreams.was_silent(asked.upstream));
            self.give_up(id, query, now, report);
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Moment, report: &mut Report) {
        while let Some((timer, id)) = self.timers.first().copied()
            && timer <= now
        {
            self.timers.remove(&(timer, id));
            let Some(lookup) = self.all.get(&id) else {
                continue;
            };
            for upstream in lookup.silent() {
                report.tell(self.upstreams.was_silent(upstream));
            }
            if lookup.deadline <= now {
                self.finish_without_answer(id, report);
            } else {
                self.attempt(id, now, report);
            }
        }
    }

    fn find(&self, query: UpstreamQueryId) -> Option<(LookupId, Asked)> {
        let id = *self.by_query.get(&query)?;
        let asked = self.all.get(&id)?.find_asked(query)?;
        Some((id, asked))
    }

    const fn next(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }
}

fn refuse(client: Client, query: &Query, code: Rcode, report: &mut Report) {
    let message = answer::error(query.header, Some(&query.question), code.into(), query.edns);
    report.reply(client, message);
}

fn peer(client: Client) -> Peer {
    Peer::Address(client.address.ip().to_canonical())
}

fn is_same(one: SocketAddr, other: SocketAddr) -> bool {
    one.ip().to_canonical() == other.ip().to_canonical() && one.port() == other.port()
}
