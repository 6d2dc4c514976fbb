//! The name server.

use crate::answer::{self, Known};
use crate::event::{Counters, NameServerEvent};
use crate::lookups::Lookups;
use crate::names::InterceptedNames;
use crate::options::{NameServerOptions, Unanswerable};
use crate::output::{Client, Output, UpstreamQueryId};
use crate::query::Query;
use crate::reading::{self, Rejection};
use crate::report::Report;
use crate::reverse;
use domain::base::Rtype;
use domain::base::iana::{OptRcode, Rcode};
use portcullis_channel::Moment;
use portcullis_domain::entropy::Entropy;
use portcullis_tunnel_config::HostName;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A DNS server for intercepted names; see the [crate].
pub struct NameServer {
    ttl: u32,
    unanswerable: Unanswerable,
    lookups: Lookups,
    report: Report,
}

/// What the table of names says about a question.
enum Verdict {
    Known(Vec<u8>),
    Error(Rcode),
    /// It is about another name.
    Other,
}

/// The longest TTL (RFC 2181, section 8).
const MAX_TTL: u32 = i32::MAX.cast_unsigned();

impl NameServer {
    /// Identifiers of queries, and what else has to be hard to guess, are drawn from `entropy`.
    pub fn new(options: &NameServerOptions, entropy: Arc<dyn Entropy>) -> Self {
        let ttl = u32::try_from(options.ttl.as_secs()).unwrap_or(MAX_TTL);
        Self {
            ttl: ttl.min(MAX_TTL),
            unanswerable: options.unanswerable,
            lookups: Lookups::new(options, entropy),
            report: Report::default(),
        }
    }

    /// Takes a message of a client. It is answered at once if it is about an intercepted name, and otherwise when
    /// an upstream has answered, or if it is no query that can be looked into.
    pub fn handle_query<S: Clone + Ord>(
        &mut self,
        message: &[u8],
        client: Client,
        names: &mut InterceptedNames<S>,
        now: Moment,
    ) {
        self.report.counters.received += 1;
        // Nothing can be sent to port 0.
        let is_reachable = client.address.port() != 0;
        let query = match reading::read(message) {
            Ok(query) if is_reachable => query,
            Err(Rejection::Answered(answer)) if is_reachable => {
                self.report.counters.rejected += 1;
                return self.report.reply(client, answer);
            },
            Ok(_) | Err(_) => {
                self.report.counters.dropped += 1;
                return;
            },
        };
        match self.look_up(&query, names, now) {
            Verdict::Known(answer) => {
                self.report.counters.answered += 1;
                self.report.reply(client, answer);
            },
            Verdict::Error(code) => {
                self.report.counters.without_address += 1;
                self.refuse(client, &query, code);
            },
            Verdict::Other if self.lookups.has_upstreams() => {
                self.lookups.pass_on(client, query, now, &mut self.report);
            },
            Verdict::Other => {
                self.report.counters.unanswerable += 1;
                match self.unanswerable {
                    Unanswerable::Refused => self.refuse(client, &query, Rcode::REFUSED),
                    Unanswerable::ServerFailure => self.refuse(client, &query, Rcode::SERVFAIL),
                    Unanswerable::Silence => {},
                }
            },
        }
    }

    fn look_up<S: Clone + Ord>(
        &mut self,
        query: &Query,
        names: &mut InterceptedNames<S>,
        now: Moment,
    ) -> Verdict {
        let Some(name) = query.host() else {
            return Verdict::Other;
        };
        let remembered_until = now + Duration::from_secs(self.ttl.into());
        match names.resolve(&name, remembered_until) {
            Ok(Some(found)) => {
                if found.is_new {
                    self.report.has_addresses();
                    let address = found.address;
                    self.report
                        .tell([NameServerEvent::AddressAssigned { name, address }]);
                }
                let is_wanted = match query.question.qtype() {
                    Rtype::A => found.address.is_ipv4(),
                    Rtype::AAAA => found.address.is_ipv6(),
                    // One of all records is enough (RFC 8482, section 4.1).
                    other => other == Rtype::ANY,
                };
                let known = Known::Address(found.address);
                self.known(query, if is_wanted { known } else { Known::Nothing })
            },
            Ok(None) => self.look_up_reverse(query, &name, names),
            Err(reason) => {
                self.report.no_address(&name, reason);
                Verdict::Error(Rcode::SERVFAIL)
            },
        }
    }

    /// Looks up the name of an address of the range, about which nobody else knows anything.
    fn look_up_reverse<S: Clone + Ord>(
        &self,
        query: &Query,
        name: &HostName,
        names: &InterceptedNames<S>,
    ) -> Verdict {
        let is_in_range = |address: &IpAddr| names.addresses().range().contains(*address);
        let Some(address) = reverse::address_of(name).filter(is_in_range) else {
            return Verdict::Other;
        };
        let is_wanted = matches!(query.question.qtype(), Rtype::PTR | Rtype::ANY);
        match names.addresses().name_of(address) {
            Some(name) if is_wanted => self.known(query, Known::Name(name)),
            Some(_) => self.known(query, Known::Nothing),
            None => self.known(query, Known::NoName),
        }
    }

    fn known(&self, query: &Query, known: Known<'_>) -> Verdict {
        let recursion = self.lookups.has_upstreams();
        Verdict::Known(answer::known(query, known, self.ttl, recursion))
    }

    fn refuse(&mut self, client: Client, query: &Query, code: Rcode) {
        let code: OptRcode = code.into();
        let answer = answer::error(query.header, Some(&query.question), code, query.edns);
        self.report.reply(client, answer);
    }

    /// Takes what came back for a query, from the socket that it was sent from. What is no answer to it counts
    /// for nothing (RFC 5452, section 9.1), nor does what comes too late.
    pub fn handle_answer(
        &mut self,
        query: UpstreamQueryId,
        from: SocketAddr,
        message: &[u8],
        now: Moment,
    ) {
        self.lookups
            .handle_answer(query, from, message, now, &mut self.report);
    }

    /// Nothing will come back for a query: the upstream refuses connections, cannot be reached, or has closed the
    /// connection.
    pub fn handle_unreachable(&mut self, query: UpstreamQueryId, now: Moment) {
        self.lookups
            .handle_unreachable(query, now, &mut self.report);
    }

    pub fn handle_timeout(&mut self, now: Moment) {
        self.lookups.handle_timeout(now, &mut self.report);
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.lookups.poll_timeout()
    }

    /// What is to be done. To be called after each other call, until there is nothing.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.report.outputs.pop_front()
    }

    pub fn poll_event(&mut self) -> Option<NameServerEvent> {
        self.report.poll_event()
    }

    pub const fn counters(&self) -> Counters {
        self.report.counters
    }

    /// Questions that upstreams are being asked.
    pub fn lookups(&self) -> usize {
        self.lookups.len()
    }

    /// Queries that wait for upstreams.
    pub fn waiting(&self) -> usize {
        self.lookups.waiting()
    }
}

impl std::fmt::Debug for NameServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("NameServer")
            .field("lookups", &self.lookups())
            .field("waiting", &self.waiting())
            .field("counters", &self.counters())
            .finish_non_exhaustive()
    }
}
