//! All questions that upstreams are asked.

use crate::answer;
use crate::health::Upstreams;
use crate::lookup::{Asked, Lookup, LookupKey};
use crate::options::NameServerOptions;
use crate::output::{Client, Output, UpstreamQueryId};
use crate::query::Query;
use crate::relay::{self, Verdict};
use crate::report::Report;
use crate::upstream::Upstream;
use domain::base::iana::Rcode;
use portcullis_channel::Moment;
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_domain::peer::{Peer, PeerUsage};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct LookupId(u64);

pub(crate) struct Lookups {
    timeout: Duration,
    attempt_timeout: Duration,
    max_lookups: usize,
    max_waiting: usize,
    max_waiting_of_client: usize,
    entropy: Arc<dyn Entropy>,
    upstreams: Upstreams,
    lookups: HashMap<LookupId, Lookup>,
    by_key: HashMap<LookupKey, LookupId>,
    by_query: HashMap<UpstreamQueryId, LookupId>,
    timers: BTreeSet<(Moment, LookupId)>,
    waiting: PeerUsage,
    next_number: u64,
}

/// How a lookup ends.
#[derive(Debug, Clone, Copy)]
enum Outcome<'m> {
    Answer(&'m [u8]),
    Error(Rcode),
}

/// Attempts are not made faster than that, whatever the options say.
const LEAST_ATTEMPT: Duration = Duration::from_millis(100);

impl Lookups {
    pub(crate) fn new(options: &NameServerOptions, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            timeout: options.timeout,
            attempt_timeout: options.attempt_timeout.max(LEAST_ATTEMPT),
            max_lookups: options.max_lookups,
            max_waiting: options.max_waiting,
            max_waiting_of_client: options.max_waiting_of_client,
            entropy,
            upstreams: Upstreams::new(&options.upstreams, options.order),
            lookups: HashMap::new(),
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
        self.lookups.len()
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
        let has_place = self.lookups.len() < self.max_lookups;
        let lookup = current.and_then(|id| self.lookups.get_mut(&id));
        let waiting = lookup.as_ref().map(|lookup| &lookup.waiting);
        if waiting.is_some_and(|waiting| waiting.contains_key(&waiter)) {
            report.counters.repeated += 1;
            return;
        }
        let peer = peer(client);
        let has_room = self.waiting.total() < self.max_waiting
            && self.waiting.get(peer) < self.max_waiting_of_client
            && (lookup.is_some() || has_place);
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
        let deadline = now + self.timeout;
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
        self.lookups.insert(id, lookup);
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
        let question = self.lookups.get(&id).map(|lookup| lookup.key.question());
        let question = question.filter(|_| is_from);
        match question.and_then(|question| relay::judge(message, asked.message_id, question)) {
            None => report.counters.forged += 1,
            Some(Verdict::Answer) => {
                report.tell(self.upstreams.answered(asked.upstream));
                self.finish(id, Outcome::Answer(message), report);
            },
            Some(Verdict::Failure(code)) => {
                report.tell(self.upstreams.failed(asked.upstream));
                if let Some(lookup) = self.lookups.get_mut(&id) {
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
            let Some(lookup) = self.lookups.get(&id) else {
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

    /// Asks those upstreams whose turn it is.
    fn attempt(&mut self, id: LookupId, now: Moment, report: &mut Report) {
        match self.try_attempt(id, now) {
            Ok(asks) => {
                report.has_randomness();
                report.outputs.extend(asks);
            },
            Err(EntropyError) => {
                report.no_randomness();
                self.finish(id, Outcome::Error(Rcode::SERVFAIL), report);
            },
        }
    }

    fn try_attempt(&mut self, id: LookupId, now: Moment) -> Result<Vec<Output>, EntropyError> {
        let Some(lookup) = self.lookups.get_mut(&id) else {
            return Ok(Vec::new());
        };
        if lookup.untried.is_empty() {
            lookup.untried = self.upstreams.order(&*self.entropy)?;
        }
        lookup.attempt += 1;
        let mut asks = Vec::new();
        while asks.len() < self.upstreams.at_a_time()
            && let Some(index) = lookup.untried.pop_front()
        {
            let message_id = u16::from_be_bytes(entropy::bytes(&*self.entropy)?);
            let query = lookup.waiting.values().next();
            let message = query.and_then(|query| answer::ask(query, message_id));
            let (Some(message), Some(upstream)) = (message, self.upstreams.get(index)) else {
                continue;
            };
            self.next_number += 1;
            let query = UpstreamQueryId(self.next_number);
            lookup.asked.push(Asked {
                query,
                upstream: index,
                message_id,
                attempt: lookup.attempt,
            });
            self.by_query.insert(query, id);
            asks.push(Output::Ask {
                query,
                upstream: Upstream {
                    transport: upstream.transport.max(lookup.key.transport()),
                    ..upstream
                },
                message,
            });
        }
        self.timers.remove(&(lookup.timer, id));
        lookup.timer = lookup.deadline.min(now + self.attempt_timeout);
        self.timers.insert((lookup.timer, id));
        Ok(asks)
    }

    /// Waits no longer for this query. The next upstreams are asked; if there are none, and nothing else can come
    /// any more, that is the end.
    fn give_up(&mut self, id: LookupId, query: UpstreamQueryId, now: Moment, report: &mut Report) {
        let Some(lookup) = self.lookups.get_mut(&id) else {
            return;
        };
        lookup.asked.retain(|asked| asked.query != query);
        self.by_query.remove(&query);
        report.outputs.push_back(Output::Forget(query));
        if !lookup.untried.is_empty() {
            self.attempt(id, now, report);
        } else if lookup.asked.is_empty() {
            self.finish_without_answer(id, report);
        }
    }

    fn finish_without_answer(&mut self, id: LookupId, report: &mut Report) {
        let Some(lookup) = self.lookups.get(&id) else {
            return;
        };
        if lookup.failure.is_none() {
            let waiting = u64::try_from(lookup.waiting.len()).unwrap_or(u64::MAX);
            report.counters.timed_out += waiting;
        }
        let code = lookup.failure.unwrap_or(Rcode::SERVFAIL);
        self.finish(id, Outcome::Error(code), report);
    }

    fn finish(&mut self, id: LookupId, outcome: Outcome<'_>, report: &mut Report) {
        let Some(lookup) = self.lookups.remove(&id) else {
            return;
        };
        self.by_key.remove(&lookup.key);
        self.timers.remove(&(lookup.timer, id));
        for asked in &lookup.asked {
            self.by_query.remove(&asked.query);
            report.outputs.push_back(Output::Forget(asked.query));
        }
        for ((client, _), query) in &lookup.waiting {
            self.waiting.release(peer(*client), 1);
            match outcome {
                Outcome::Answer(message) => {
                    let reply = relay::for_client(message, query, client.transport);
                    report.reply(*client, reply);
                },
                Outcome::Error(code) => refuse(*client, query, code, report),
            }
        }
        if self.waiting.total() <= self.max_waiting / 2
            && self.lookups.len() <= self.max_lookups / 2
        {
            report.has_room();
        }
    }

    fn find(&self, query: UpstreamQueryId) -> Option<(LookupId, Asked)> {
        let id = *self.by_query.get(&query)?;
        let asked = self.lookups.get(&id)?.find_asked(query)?;
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
