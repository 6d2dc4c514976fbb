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

/// Names and values; few.
type Tags = Box<[(Box<str>, Box<str>)]>;

/// Counts the bytes of a circuit; kept as long as it lasts.
#[derive(Debug, Default)]
pub struct CircuitUsage {
    /// For those who read the events of usage.
    tags: Mutex<Tags>,
    bytes: [AtomicU64; Traffic::ALL.len()],
}

/// What the circuits of a router carry, by intervals.
#[derive(Debug)]
pub struct Usage {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    circuits: BTreeMap<String, Arc<CircuitUsage>>,
    start: Timestamp,
    /// Intervals that are too young to be reported.
    waiting: VecDeque<Interval>,
}

/// What was carried in some time: at ends, with the tags of circuits, and by links, without, as OpenZiti's
/// routers report it.
#[derive(Debug)]
struct Interval {
    start: Timestamp,
    at_ends: UsageCounter,
    by_links: UsageCounter,
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

    const fn is_at_end(self) -> bool {
        !matches!(self, Self::FabricReceived | Self::FabricSent)
    }
}

impl CircuitUsage {
    pub fn count(&self, traffic: Traffic, bytes: usize) {
        if let Some(counter) = self.bytes.get(traffic as usize) {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            counter.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Takes over what a controller says of the circuit; each says it in full.
    pub fn tag(&self, tags: &BTreeMap<String, String>) {
        let tags = tags.iter();
        *self.tags.lock() = tags
            .map(|(name, value)| (name.as_str().into(), value.as_str().into()))
            .collect();
    }

    /// What the controller says of the circuit, such as whose it is.
    pub fn tags(&self) -> BTreeMap<String, String> {
        let tags = self.tags.lock();
        let tags = tags.iter();
        tags.map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }

    /// What was counted since the last time, at ends and by links.
    fn take(&self) -> [Option<UsageBucket>; 2] {
        let mut taken = [BTreeMap::new(), BTreeMap::new()];
        let [at_ends, by_links] = &mut taken;
        for (bytes, traffic) in self.bytes.iter().zip(Traffic::ALL) {
            let bytes = bytes.swap(0, Ordering::Relaxed);
            let values = if traffic.is_at_end() {
                &mut *at_ends
            } else {
                &mut *by_links
            };
            if bytes > 0 {
                values.insert(traffic.name().to_owned(), bytes);
            }
        }
        let [at_ends, by_links] = taken.map(|values| {
            (!values.is_empty()).then(|| UsageBucket {
                values,
                tags: BTreeMap::new(),
            })
        });
        let tagged = |bucket| UsageBucket {
            tags: self.tags(),
            ..bucket
        };
        [at_ends.map(tagged), by_links]
    }
}

impl Usage {
    pub const fn new(now: Timestamp) -> Self {
        Self {
            state: Mutex::new(State {
                circuits: BTreeMap::new(),
                start: now,
                waiting: VecDeque::new(),
            }),
        }
    }

    /// Counts for a circuit, as long as somebody has the handle.
    pub fn circuit(&self, id: &str) -> Arc<CircuitUsage> {
        let mut state = self.state.lock();
        if let Some(known) = state.circuits.get(id) {
            return Arc::clone(known);
        }
        let usage = Arc::new(CircuitUsage::default());
        if state.circuits.len() < MAX_CIRCUITS {
            state.circuits.insert(id.to_owned(), Arc::clone(&usage));
        }
        usage
    }

    /// Ends the interval, and returns what is to be reported: intervals of this age, and circuits that have
    /// ended.
    pub fn end_interval(&self, age: Duration, now: Timestamp) -> Vec<UsageCounter> {
        let mut state = self.state.lock();
        let start = mem::replace(&mut state.start, now);
        let mut lasting = Interval::new(start, now);
        let mut ended = Interval::new(start, now);
        state.circuits.retain(|id, usage| {
            let lasts = Arc::strong_count(usage) > 1;
            let interval = if lasts { &mut lasting } else { &mut ended };
            interval.add(id, usage.take());
            lasts
        });
        state.waiting.push_back(lasting);
        let mut reported = Vec::new();
        while let Some(interval) = state.waiting.pop_front() {
            if since(interval.start, now) < age {
                state.waiting.push_front(interval);
                break;
            }
            reported.push(interval);
        }
        reported.push(ended);
        let counters = reported.into_iter().flat_map(Interval::into_counters);
        counters
            .filter(|counter| !counter.buckets.is_empty())
            .collect()
    }
}

impl Interval {
    fn new(start: Timestamp, end: Timestamp) -> Self {
        let counter = || UsageCounter {
            start_seconds: start.as_second(),
            interval_seconds: since(start, end).as_secs().max(1),
            buckets: BTreeMap::new(),
        };
        Self {
            start,
            at_ends: counter(),
            by_links: counter(),
        }
    }

    fn add(&mut self, circuit: &str, taken: [Option<UsageBucket>; 2]) {
        let counters = [&mut self.at_ends, &mut self.by_links];
        for (counter, bucket) in counters.into_iter().zip(taken) {
            let bucket = bucket.map(|bucket| (circuit.to_owned(), bucket));
            counter.buckets.extend(bucket);
        }
    }

    fn into_counters(self) -> [UsageCounter; 2] {
        [self.at_ends, self.by_links]
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
        const AGE: Duration = Duration::from_secs(80);
        let usage = Usage::new(at(0));
        let tags = BTreeMap::from([("service".to_owned(), "web".to_owned())]);
        let lasting = usage.circuit("lasting");
        lasting.tag(&tags);
        let short = usage.circuit("short");
        lasting.count(Traffic::IngressReceived, 10);
        lasting.count(Traffic::EgressSent, 5);
        short.count(Traffic::FabricSent, 1);
        drop(short);
        assert_eq!(
            told(&usage.end_interval(AGE, at(60))),
            [(0, vec![("short", 1)])]
        );
        lasting.count(Traffic::IngressReceived, 100);
        let reported = usage.end_interval(AGE, at(120));
        assert_eq!(told(&reported), [(0, vec![("lasting", 15)])]);
        let bucket = &reported[0].buckets["lasting"];
        assert_eq!(bucket.tags, tags);
        assert_eq!(bucket.values["ingress.rx"], 10);
        assert_eq!(bucket.values["egress.tx"], 5);
        assert_eq!(reported[0].interval_seconds, 60);
        drop(lasting);
        assert_eq!(
            told(&usage.end_interval(AGE, at(180))),
            [(60, vec![("lasting", 100)])]
        );
        assert!(usage.end_interval(AGE, at(240)).is_empty());
    }

    #[test]
    fn links_and_ends_are_counted_apart_and_links_without_tags() {
        let usage = Usage::new(at(0));
        let circuit = usage.circuit("c");
        circuit.tag(&BTreeMap::from([(
            "hostId".to_owned(),
            "before".to_owned(),
        )]));
        circuit.tag(&BTreeMap::from([("hostId".to_owned(), "h".to_owned())]));
        for traffic in Traffic::ALL {
            circuit.count(traffic, 1 << (traffic as usize));
        }
        let reported = usage.end_interval(Duration::ZERO, at(60));
        let told = reported.iter().map(|counter| {
            let UsageBucket { values, tags } = &counter.buckets["c"];
            format!("{values:?} {tags:?}")
        });
        insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
        {"egress.rx": 4, "egress.tx": 8, "ingress.rx": 1, "ingress.tx": 2} {"hostId": "h"}
        {"fabric.rx": 16, "fabric.tx": 32} {}
        "#);
    }

    #[test]
    fn silent_circuits_are_not_reported() {
        let usage = Usage::new(at(0));
        let _silent = usage.circuit("silent");
        assert!(usage.end_interval(Duration::ZERO, at(60)).is_empty());
    }
}
