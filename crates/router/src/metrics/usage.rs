//! What circuits carry.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::metrics::{UsageBucket, UsageCounter};

use crate::time::since;

/// Circuits of an interval whose usage is reported; what is beyond is not.
const MAX_CIRCUITS: usize = 100_000;

/// Where bytes of a circuit pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// From the program that dialed.
    IngressReceived,
    IngressSent,
    /// From the service that was dialed.
    EgressReceived,
    EgressSent,
    /// From a link.
    FabricReceived,
    FabricSent,
}

/// Counts the bytes of a circuit; kept as long as it lasts.
#[derive(Debug)]
pub struct CircuitUsage {
    tags: BTreeMap<String, String>,
    bytes: [AtomicU64; Traffic::ALL.len()],
}

/// What the circuits of a router carry, by intervals.
#[derive(Debug)]
pub struct Usage {
    age: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    circuits: BTreeMap<String, Arc<CircuitUsage>>,
    start: Timestamp,
    /// Intervals that are too young to be reported.
    waiting: VecDeque<(Timestamp, UsageCounter)>,
}

impl Traffic {
    const ALL: [Self; 6] = [
        Self::IngressReceived,
        Self::IngressSent,
        Self::EgressReceived,
        Self::EgressSent,
        Self::FabricReceived,
        Self::FabricSent,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::IngressReceived => "ingress.rx",
            Self::IngressSent => "ingress.tx",
            Self::EgressReceived => "egress.rx",
            Self::EgressSent => "egress.tx",
            Self::FabricReceived => "fabric.rx",
            Self::FabricSent => "fabric.tx",
        }
    }
}

impl CircuitUsage {
    pub fn count(&self, traffic: Traffic, bytes: u64) {
        if let Some(counter) = self.bytes.get(traffic as usize) {
            counter.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// What was counted since the last time.
    fn take(&self) -> Option<UsageBucket> {
        let taken = self
            .bytes
            .iter()
            .zip(Traffic::ALL)
            .filter_map(|(bytes, traffic)| {
                let bytes = bytes.swap(0, Ordering::Relaxed);
                (bytes > 0).then(|| (traffic.name().to_owned(), bytes))
            });
        let values: BTreeMap<_, _> = taken.collect();
        (!values.is_empty()).then(|| UsageBucket {
            values,
            tags: self.tags.clone(),
        })
    }
}

impl Usage {
    /// Reports intervals of circuits that last when they have this age.
    pub fn new(age: Duration, now: Timestamp) -> Self {
        Self {
            age,
            state: Mutex::new(State {
                circuits: BTreeMap::new(),
                start: now,
                waiting: VecDeque::new(),
            }),
        }
    }

    /// Begins to count for a circuit, with tags for those who read the events.
    pub fn circuit(&self, id: &str, tags: BTreeMap<String, String>) -> Arc<CircuitUsage> {
        let mut state = self.state.lock();
        if let Some(known) = state.circuits.get(id) {
            return Arc::clone(known);
        }
        let usage = Arc::new(CircuitUsage {
            tags,
            bytes: [const { AtomicU64::new(0) }; Traffic::ALL.len()],
        });
        if state.circuits.len() < MAX_CIRCUITS {
            state.circuits.insert(id.to_owned(), Arc::clone(&usage));
        }
        usage
    }

    /// Ends the interval, and returns what is to be reported: intervals that are old enough, and circuits that
    /// have ended.
    pub fn end_interval(&self, now: Timestamp) -> Vec<UsageCounter> {
        let mut state = self.state.lock();
        let start = mem::replace(&mut state.start, now);
        let mut lasting = counter(start, now);
        let mut ended = counter(start, now);
        state.circuits.retain(|id, usage| {
            let lasts = Arc::strong_count(usage) > 1;
            let counter = if lasts { &mut lasting } else { &mut ended };
            counter
                .buckets
                .extend(usage.take().map(|taken| (id.clone(), taken)));
            lasts
        });
        if !lasting.buckets.is_empty() {
            state.waiting.push_back((start, lasting));
        }
        let mut reported = Vec::new();
        while let Some((start, counter)) = state.waiting.pop_front() {
            if since(start, now) < self.age {
                state.waiting.push_front((start, counter));
                break;
            }
            reported.push(counter);
        }
        reported.extend((!ended.buckets.is_empty()).then_some(ended));
        reported
    }
}

fn counter(start: Timestamp, end: Timestamp) -> UsageCounter {
    UsageCounter {
        start_seconds: start.as_second(),
        interval_seconds: since(start, end).as_secs().max(1),
        buckets: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// Start of each counter, with its circuits and their bytes.
    fn told(counters: &[UsageCounter]) -> Vec<(i64, Vec<(&str, u64)>)> {
        let sum = |bucket: &UsageBucket| bucket.values.values().sum::<u64>();
        counters
            .iter()
            .map(|counter| {
                let buckets = counter.buckets.iter();
                let buckets = buckets.map(|(id, bucket)| (id.as_str(), sum(bucket)));
                (counter.start_seconds, buckets.collect())
            })
            .collect()
    }

    #[test]
    fn intervals_wait_for_their_age_and_ended_circuits_do_not() {
        let usage = Usage::new(Duration::from_secs(80), at(0));
        let tags = BTreeMap::from([("service".to_owned(), "web".to_owned())]);
        let lasting = usage.circuit("lasting", tags.clone());
        let short = usage.circuit("short", BTreeMap::new());
        lasting.count(Traffic::IngressReceived, 10);
        lasting.count(Traffic::EgressSent, 5);
        short.count(Traffic::FabricSent, 1);
        drop(short);
        assert_eq!(told(&usage.end_interval(at(60))), [(0, vec![("short", 1)])]);
        lasting.count(Traffic::IngressReceived, 100);
        let reported = usage.end_interval(at(120));
        assert_eq!(told(&reported), [(0, vec![("lasting", 15)])]);
        let bucket = &reported[0].buckets["lasting"];
        assert_eq!(bucket.tags, tags);
        assert_eq!(bucket.values["ingress.rx"], 10);
        assert_eq!(bucket.values["egress.tx"], 5);
        assert_eq!(reported[0].interval_seconds, 60);
        drop(lasting);
        assert_eq!(
            told(&usage.end_interval(at(180))),
            [(60, vec![("lasting", 100)])]
        );
        assert!(usage.end_interval(at(240)).is_empty());
    }

    #[test]
    fn silent_circuits_are_not_reported() {
        let usage = Usage::new(Duration::ZERO, at(0));
        let _silent = usage.circuit("silent", BTreeMap::new());
        assert!(usage.end_interval(at(60)).is_empty());
    }
}
