//! How upstreams are asked, and how that ends.

use super::{LookupId, Lookups, peer, refuse};
use crate::answer;
use crate::lookup::Asked;
use crate::output::{Output, UpstreamQueryId};
use crate::relay;
use crate::report::Report;
use crate::upstream::Upstream;
use domain::base::iana::Rcode;
use portcullis_channel::Moment;
use portcullis_domain::entropy::{self, EntropyError};
use std::time::Duration;

/// How a lookup ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'m> {
    Answer(&'m [u8]),
    Error(Rcode),
}

/// Attempts are not made faster than that, whatever the options say.
const LEAST_ATTEMPT: Duration = Duration::from_millis(100);

impl Lookups {
    /// Asks those upstreams whose turn it is.
    pub(super) fn attempt(&mut self, id: LookupId, now: Moment, report: &mut Report) {
        if self.try_attempt(id, now, report).is_ok() {
            report.has_randomness();
        } else {
            report.no_randomness();
            self.finish(id, Outcome::Error(Rcode::SERVFAIL), report);
        }
    }

    fn try_attempt(
        &mut self,
        id: LookupId,
        now: Moment,
        report: &mut Report,
    ) -> Result<(), EntropyError> {
        let Some(lookup) = self.all.get_mut(&id) else {
            return Ok(());
        };
        if lookup.untried.is_empty() {
            lookup.untried = self.upstreams.order(&*self.entropy)?;
        }
        lookup.attempt += 1;
        let count = self.upstreams.at_a_time().min(lookup.untried.len());
        for index in lookup.untried.drain(..count) {
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
            let transport = upstream.transport.max(lookup.key.transport());
            report.outputs.push_back(Output::Ask {
                query,
                upstream: Upstream {
                    transport,
                    ..upstream
                },
                message,
            });
        }
        self.timers.remove(&(lookup.timer, id));
        let attempt_timeout = self.options.attempt_timeout.max(LEAST_ATTEMPT);
        lookup.timer = lookup.deadline.min(now + attempt_timeout);
        self.timers.insert((lookup.timer, id));
        Ok(())
    }

    /// Waits no longer for this query. The next upstreams are asked; if there are none, and nothing else can come
    /// any more, that is the end.
    pub(super) fn give_up(
        &mut self,
        id: LookupId,
        query: UpstreamQueryId,
        now: Moment,
        report: &mut Report,
    ) {
        let Some(lookup) = self.all.get_mut(&id) else {
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

    pub(super) fn finish_without_answer(&mut self, id: LookupId, report: &mut Report) {
        let Some(lookup) = self.all.get(&id) else {
            return;
        };
        if lookup.failure.is_none() {
            let waiting = u64::try_from(lookup.waiting.len()).unwrap_or(u64::MAX);
            report.counters.timed_out += waiting;
        }
        let code = lookup.failure.unwrap_or(Rcode::SERVFAIL);
        self.finish(id, Outcome::Error(code), report);
    }

    pub(super) fn finish(&mut self, id: LookupId, outcome: Outcome<'_>, report: &mut Report) {
        let Some(lookup) = self.all.remove(&id) else {
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
        if self.waiting.total() <= self.options.max_waiting / 2
            && self.all.len() <= self.options.max_lookups / 2
        {
            report.has_room();
        }
    }
}
