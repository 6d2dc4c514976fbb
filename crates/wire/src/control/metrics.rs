//! What routers measure.

use crate::protobuf::message;
use crate::timestamp::Timestamp;
use std::collections::BTreeMap;

message! {
    /// Metrics of a router, once a minute.
    pub struct Metrics {
        /// A UUID.
        pub event_id: String = 1,
        /// Id of the router. The one that the channel belongs to counts.
        pub source_id: String = 2,
        pub time: Option<Timestamp> = 3,
        pub tags: BTreeMap<String, String> = 4,
        pub integers: BTreeMap<String, i64> = 5,
        pub floats: BTreeMap<String, f64> = 6,
        pub meters: BTreeMap<String, Meter> = 7,
        /// Such as `link.<id>.latency`, in nanoseconds.
        pub histograms: BTreeMap<String, Histogram> = 8,
        pub interval_counters: BTreeMap<String, IntervalCounter> = 9,
        pub timers: BTreeMap<String, Timer> = 10,
        pub usage_counters: Vec<UsageCounter> = 11,
        /// Another controller makes events of it.
        pub is_copy: bool = 12,
    }

    /// Events, and how many there are per second: exponentially weighted over minutes, and on average.
    pub struct Meter {
        pub count: i64 = 1,
        pub rate_1_minute: f64 = 2,
        pub rate_5_minutes: f64 = 3,
        pub rate_15_minutes: f64 = 4,
        pub mean_rate: f64 = 5,
    }

    pub struct Histogram {
        pub count: i64 = 1,
        pub max: i64 = 2,
        pub mean: f64 = 3,
        pub min: i64 = 4,
        pub standard_deviation: f64 = 5,
        pub variance: f64 = 6,
        pub p50: f64 = 7,
        pub p75: f64 = 8,
        pub p95: f64 = 9,
        pub p99: f64 = 10,
        pub p999: f64 = 11,
        pub p9999: f64 = 12,
    }

    /// A histogram of nanoseconds, and a meter.
    pub struct Timer {
        pub count: i64 = 1,
        pub max: i64 = 2,
        pub mean: f64 = 3,
        pub min: i64 = 4,
        pub standard_deviation: f64 = 5,
        pub variance: f64 = 6,
        pub p50: f64 = 7,
        pub p75: f64 = 8,
        pub p95: f64 = 9,
        pub p99: f64 = 10,
        pub p999: f64 = 11,
        pub p9999: f64 = 12,
        pub rate_1_minute: f64 = 13,
        pub rate_5_minutes: f64 = 14,
        pub rate_15_minutes: f64 = 15,
        pub mean_rate: f64 = 16,
    }

    pub struct IntervalCounter {
        pub interval_seconds: u64 = 1,
        pub buckets: Vec<IntervalBucket> = 2,
    }

    pub struct IntervalBucket {
        /// Seconds since 1970.
        pub start_seconds: i64 = 1,
        pub values: BTreeMap<String, u64> = 3,
    }

    /// Traffic within an interval.
    pub struct UsageCounter {
        /// Seconds since 1970.
        pub start_seconds: i64 = 1,
        pub interval_seconds: u64 = 2,
        /// By circuit.
        pub buckets: BTreeMap<String, UsageBucket> = 3,
    }

    pub struct UsageBucket {
        /// Bytes by kind.
        pub values: BTreeMap<String, u64> = 1,
        /// Of the circuit.
        pub tags: BTreeMap<String, String> = 2,
    }
}
