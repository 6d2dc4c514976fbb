//! All metrics at one time.

use std::collections::BTreeMap;

use crate::histogram::{Distribution, Unit};
use crate::meter::Rates;
use crate::name::MetricName;

/// What a metric tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricValue {
    Gauge(i64),
    Meter {
        count: u64,
        rates: Rates,
    },
    Histogram {
        unit: Unit,
        distribution: Distribution,
    },
    Timer {
        /// In nanoseconds.
        distribution: Distribution,
        rates: Rates,
    },
}

/// The metrics at one time, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    values: BTreeMap<MetricName, MetricValue>,
}

impl Snapshot {
    /// Adds a value, or replaces it.
    pub fn set(&mut self, name: MetricName, value: MetricValue) {
        self.values.insert(name, value);
    }

    /// Adds a value that is what it is now, such as the length of a queue.
    pub fn set_gauge(&mut self, name: MetricName, value: impl TryInto<i64>) {
        let value = value.try_into().unwrap_or(i64::MAX);
        self.set(name, MetricValue::Gauge(value));
    }

    pub fn get(&self, name: &MetricName) -> Option<&MetricValue> {
        self.values.get(name)
    }

    /// In the order of their names: families stand together.
    pub fn iter(&self) -> impl Iterator<Item = (&MetricName, &MetricValue)> {
        self.values.iter()
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
