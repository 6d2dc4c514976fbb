//! Bytes that circuits carried.

use crate::event::size;
use portcullis_wire::control::metrics::Metrics;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a circuit carried through a router in an interval.
#[derive(Debug, Clone)]
pub struct Usage {
    pub router_id: Arc<str>,
    pub circuit_id: Arc<str>,
    /// Bytes by kind, one of [`USAGE_KINDS`].
    pub bytes: BTreeMap<String, u64>,
    /// Seconds since 1970.
    pub interval_start: i64,
    /// In seconds.
    pub interval_length: u64,
    /// Of the circuit.
    pub tags: Option<BTreeMap<String, String>>,
}

/// Where bytes are counted: at the end that dialed, at the one that was dialed and on links; and whether
/// they were received or sent there.
pub const USAGE_KINDS: [&str; 6] = [
    "egress.rx",
    "egress.tx",
    "fabric.rx",
    "fabric.tx",
    "ingress.rx",
    "ingress.tx",
];

/// What the metrics of a router say of its circuits. A copy, of which another controller makes events, says
/// nothing.
pub fn usage_of(router_id: &Arc<str>, metrics: &Metrics) -> Vec<Usage> {
    if metrics.is_copy {
        return Vec::new();
    }
    let mut usage = Vec::new();
    for counter in &metrics.usage_counters {
        for (circuit, bucket) in &counter.buckets {
            usage.push(Usage {
                router_id: Arc::clone(router_id),
                circuit_id: circuit.as_str().into(),
                bytes: bucket.values.clone(),
                interval_start: counter.start_seconds,
                interval_length: counter.interval_seconds,
                tags: (!bucket.tags.is_empty()).then(|| bucket.tags.clone()),
            });
        }
    }
    usage
}

impl Usage {
    /// Bytes of the tags. Ids and kinds are short, and there are few of them.
    pub(super) fn size(&self) -> usize {
        self.tags.as_ref().map_or(0, size::tags)
    }

    /// The form of version 2, for one kind of bytes.
    pub(crate) fn one_kind(&self, kind: &str, bytes: u64) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            version: u32,
            event_type: String,
            source_id: &'e str,
            circuit_id: &'e str,
            usage: u64,
            interval_start_utc: i64,
            interval_length: u64,
            tags: &'e Option<BTreeMap<String, String>>,
        }
        Wire {
            version: 2,
            event_type: format!("usage.{kind}"),
            source_id: &self.router_id,
            circuit_id: &self.circuit_id,
            usage: bytes,
            interval_start_utc: self.interval_start,
            interval_length: self.interval_length,
            tags: &self.tags,
        }
    }

    /// The form of version 3.
    pub(crate) fn all_kinds(&self) -> impl Serialize + '_ {
        self.kinds(|_| true)
    }

    /// The form of version 3, with the kinds of bytes that are wanted.
    pub(crate) fn kinds(&self, is_wanted: impl Fn(&str) -> bool) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            version: u32,
            source_id: &'e str,
            circuit_id: &'e str,
            usage: BTreeMap<&'e str, u64>,
            interval_start_utc: i64,
            interval_length: u64,
            tags: &'e Option<BTreeMap<String, String>>,
        }
        let bytes = self
            .bytes
            .iter()
            .map(|(kind, bytes)| (kind.as_str(), *bytes));
        Wire {
            version: 3,
            source_id: &self.router_id,
            circuit_id: &self.circuit_id,
            usage: bytes.filter(|(kind, _)| is_wanted(kind)).collect(),
            interval_start_utc: self.interval_start,
            interval_length: self.interval_length,
            tags: &self.tags,
        }
    }
}
