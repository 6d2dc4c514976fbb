//! Section `network`: how dials, circuits and links are handled.

use std::ops::RangeInclusive;
use std::time::Duration;

use portcullis_key_table::Unit;
use portcullis_yaml::{Diagnostics, Field, Section};

use crate::durations::read_within;
use crate::fractions::millionths;
use crate::keys::{Key, KeyGroup, ValueType, duration_within};

/// Section `network`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkConfig {
    /// How often a dial is tried, at least once.
    pub dial_attempts: u32,
    /// How long routers may take to set up a circuit.
    pub route_timeout: Duration,
    /// Time between two searches for better paths of circuits.
    pub cycle: Duration,
    pub smart: SmartReroutingConfig,
    /// Minimum cost of a router on a path.
    pub min_router_cost: u16,
    /// Latency of a link, in both directions, until it is measured.
    pub initial_link_latency: Duration,
    /// How long the connection of a router is safe from being replaced by another one.
    pub router_connect_churn_limit: Duration,
    /// Time between two reports of the controller's own metrics and of how dials have ended.
    pub metrics_report_interval: Duration,
    /// Age from which on it is reported how the dials of a minute have ended.
    pub interval_age_threshold: Duration,
}

/// Section `network.smart`: which circuits are moved to better paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmartReroutingConfig {
    /// Part of all circuits that is moved in one cycle, in millionths; at least one circuit.
    pub per_million: u32,
    /// Maximum number of circuits that are moved in one cycle.
    pub cap: u16,
    /// By how much a path has to become cheaper.
    pub min_cost_delta: u32,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            dial_attempts: 2,
            route_timeout: Duration::from_secs(10),
            cycle: Duration::from_mins(1),
            smart: SmartReroutingConfig::default(),
            min_router_cost: 10,
            initial_link_latency: Duration::from_secs(65),
            router_connect_churn_limit: Duration::from_mins(1),
            metrics_report_interval: Duration::from_mins(1),
            interval_age_threshold: Duration::from_secs(80),
        }
    }
}

impl Default for SmartReroutingConfig {
    fn default() -> Self {
        Self {
            per_million: 20_000,
            cap: 4,
            min_cost_delta: 15,
        }
    }
}

const ATTEMPTS_RANGE: RangeInclusive<u32> = 0..=100;
const ROUTE_SECONDS_RANGE: RangeInclusive<u16> = 1..=600;
const CYCLE_SECONDS_RANGE: RangeInclusive<u32> = 1..=86_400;
const FRACTION_RANGE: RangeInclusive<f64> = 0.0..=1.0;
const CAP_RANGE: RangeInclusive<u16> = 0..=1000;
const DELTA_RANGE: RangeInclusive<u32> = 0..=u32::MAX;
const COST_RANGE: RangeInclusive<u16> = 0..=u16::MAX;
const LATENCY_RANGE: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_hours(1);
const CHURN_RANGE: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_hours(24);

const REPORT_RANGE: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(24);
const AGE_RANGE: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_hours(24);

pub(crate) const KEYS: KeyGroup = &[
    Key::count(
        "createCircuitRetries",
        *ATTEMPTS_RANGE.start() as i64,
        *ATTEMPTS_RANGE.end() as i64,
        "How often a dial is tried, if routers or hosts fail, each time with another terminator if there is one; \
         0 counts as 1.",
    )
    .default("2")
    .example("3"),
    seconds(
        "routeTimeoutSeconds",
        (*ROUTE_SECONDS_RANGE.start() as i64, *ROUTE_SECONDS_RANGE.end() as i64),
        "How long the routers of a path may take to set up a circuit, and the host to answer. Routers are told.",
    )
    .default("10")
    .example("30"),
    seconds(
        "cycleSeconds",
        (*CYCLE_SECONDS_RANGE.start() as i64, *CYCLE_SECONDS_RANGE.end() as i64),
        "How often circuits are moved to paths that have become cheaper, as `smart` says.",
    )
    .default("60")
    .example("30"),
    Key::new(
        "smart",
        ValueType::Map(&[SMART_KEYS]),
        "Which circuits are moved to paths that have become cheaper: those that cost most come first.",
    ),
    Key::count(
        "minRouterCost",
        *COST_RANGE.start() as i64,
        *COST_RANGE.end() as i64,
        "What entering a router costs on a path, unless its own cost is higher. The more it is, the more paths over \
         few routers are preferred.",
    )
    .default("10")
    .example("20"),
    duration_within(
        "initialLinkLatency",
        &LATENCY_RANGE,
        "Latency that a link is taken to have, at each of its ends, until its routers have measured it.",
    )
    .default("65s")
    .example("1s"),
    duration_within(
        "routerConnectChurnLimit",
        &CHURN_RANGE,
        "How long a connected router is safe from being replaced by another one with the same certificate; \
         younger connections are kept and others refused.",
    )
    .default("1m")
    .example("10s"),
    duration_within(
        "metricsReportInterval",
        &REPORT_RANGE,
        "How often the controller's own metrics become events, and with them how dials have ended.",
    )
    .default("1m")
    .example("30s"),
    duration_within(
        "intervalAgeThreshold",
        &AGE_RANGE,
        "How long after its start it is told how the dials of a minute have ended; until then some of them may be on \
         their way here. Less than a minute counts as a minute.",
    )
    .default("80s")
    .example("2m"),
    Key::dead(
        "pendingLinkTimeoutSeconds",
        "routers report links when they are up, so none is pending; OpenZiti does not use the key either",
    ),
    Key::dead(
        "routerMessaging",
        "each router has a queue of its own, with fixed limits",
    ),
    Key::dead(
        "enableLegacyLinkMgmt",
        "routers always manage their links themselves",
    ),
];

const SMART_KEYS: KeyGroup = &[
    Key::new(
        "rerouteFraction",
        ValueType::Number {
            min: *FRACTION_RANGE.start(),
            max: *FRACTION_RANGE.end(),
        },
        "Which part of all circuits may be moved in one cycle; in any case, one circuit.",
    )
    .default("0.02")
    .example("0.1"),
    Key::count(
        "rerouteCap",
        *CAP_RANGE.start() as i64,
        *CAP_RANGE.end() as i64,
        "How many circuits are moved in one cycle, at most; 0 leaves them on their paths as long as those work.",
    )
    .default("4")
    .example("10"),
    Key::count(
        "minCostDelta",
        *DELTA_RANGE.start() as i64,
        *DELTA_RANGE.end() as i64,
        "By how much the path of a circuit has to become cheaper.",
    )
    .default("15")
    .example("50"),
];

const HINTS: &[(&str, &str)] = &[
    ("rerouteFraction", "it belongs to `network.smart`"),
    ("rerouteCap", "it belongs to `network.smart`"),
    ("minCostDelta", "it belongs to `network.smart`"),
];

const fn seconds(name: &'static str, (min, max): (i64, i64), doc: &'static str) -> Key {
    let unit = Unit::Seconds;
    Key::new(name, ValueType::Integer { min, max, unit }, doc)
}

pub(crate) fn read(root: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<NetworkConfig> {
    let default = NetworkConfig::default();
    let Some(field) = root.get_non_null("network") else {
        return Some(default);
    };
    let section = field.section(diagnostics)?;
    section.check_keys_with_hints(KEYS, HINTS, diagnostics);
    let attempts = value(
        &section,
        "createCircuitRetries",
        default.dial_attempts,
        |field| {
            let written = field.integer(ATTEMPTS_RANGE, diagnostics)?;
            Some(written.max(1))
        },
    );
    let route_timeout = value(
        &section,
        "routeTimeoutSeconds",
        default.route_timeout,
        |field| {
            let seconds = field.integer(ROUTE_SECONDS_RANGE, diagnostics)?;
            Some(Duration::from_secs(seconds.into()))
        },
    );
    let cycle = value(&section, "cycleSeconds", default.cycle, |field| {
        let seconds = field.integer(CYCLE_SECONDS_RANGE, diagnostics)?;
        Some(Duration::from_secs(seconds.into()))
    });
    let smart = value(&section, "smart", default.smart, |field| {
        read_smart(&field.section(diagnostics)?, diagnostics)
    });
    let cost = value(
        &section,
        "minRouterCost",
        default.min_router_cost,
        |field| field.integer(COST_RANGE, diagnostics),
    );
    let latency = value(
        &section,
        "initialLinkLatency",
        default.initial_link_latency,
        |field| read_within(field, &LATENCY_RANGE, diagnostics),
    );
    let churn = value(
        &section,
        "routerConnectChurnLimit",
        default.router_connect_churn_limit,
        |field| read_within(field, &CHURN_RANGE, diagnostics),
    );
    let report = value(
        &section,
        "metricsReportInterval",
        default.metrics_report_interval,
        |field| read_within(field, &REPORT_RANGE, diagnostics),
    );
    let age = value(
        &section,
        "intervalAgeThreshold",
        default.interval_age_threshold,
        |field| read_within(field, &AGE_RANGE, diagnostics),
    );
    Some(NetworkConfig {
        dial_attempts: attempts?,
        route_timeout: route_timeout?,
        cycle: cycle?,
        smart: smart?,
        min_router_cost: cost?,
        initial_link_latency: latency?,
        router_connect_churn_limit: churn?,
        metrics_report_interval: report?,
        interval_age_threshold: age?,
    })
}

fn read_smart(
    section: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<SmartReroutingConfig> {
    let default = SmartReroutingConfig::default();
    section.check_keys(SMART_KEYS, diagnostics);
    let per_million = value(section, "rerouteFraction", default.per_million, |field| {
        field.number(FRACTION_RANGE, diagnostics).map(millionths)
    });
    let cap = value(section, "rerouteCap", default.cap, |field| {
        field.integer(CAP_RANGE, diagnostics)
    });
    let delta = value(section, "minCostDelta", default.min_cost_delta, |field| {
        field.integer(DELTA_RANGE, diagnostics)
    });
    Some(SmartReroutingConfig {
        per_million: per_million?,
        cap: cap?,
        min_cost_delta: delta?,
    })
}

/// Reads the value of a key that may be absent.
fn value<T>(
    section: &Section<'_>,
    name: &str,
    default: T,
    read: impl FnOnce(&Field<'_>) -> Option<T>,
) -> Option<T> {
    match section.get_non_null(name) {
        Some(field) => read(&field),
        None => Some(default),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read_to_the_millionth() {
        for (fraction, expected) in [(0.0, 0), (0.02, 20_000), (0.000_001, 1), (1.0, 1_000_000)] {
            assert_eq!(millionths(fraction), expected);
        }
    }
}
