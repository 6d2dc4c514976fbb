//! `metrics`, `trace`, `profile`, and what is reported of connections and interfaces.

use crate::table::key::{Form, Group, HOUR, Key, Kind, MS, SECOND};
use crate::table::original::{Original, Read, Shown, Wrong};

const CRASH: Original = Original::new(Read::Duration, Wrong::Crash);
const REFUSE: Original = Original::new(Read::Duration, Wrong::Refuse);
const INTEGER: Original = Original::new(Read::Integer, Wrong::Refuse);
const TRUTH: Original = Original::new(Read::Truth, Wrong::Ignore);

/// The section `metrics`, in the order in which OpenZiti reads it.
pub(crate) const METRICS: Group = &[
    Key::interval(
        "reportInterval",
        "How often measurements are sent to the controllers.",
    )
    .default("1m")
    .original(CRASH)
    .example("1m"),
    Key::duration(
        "intervalAgeThreshold",
        "How old a set of measurements must be before it is sent.",
    )
    .default("80s")
    .original(CRASH.default("0s"))
    .example("80s"),
    Key::count(
        "messageQueueSize",
        0,
        1 << 20,
        "How many messages with measurements may wait.",
    )
    .default("10")
    .original(INTEGER)
    .example("10"),
    Key::count(
        "eventQueueSize",
        0,
        1 << 20,
        "How many single measurements may wait.",
    )
    .default("256")
    .original(INTEGER)
    .example("256"),
    Key::new(
        "enableDataDelayMetric",
        Kind::Bool,
        "Measures how long data waits in the router.",
    )
    .default("false")
    .original(TRUTH)
    .example("false"),
];

/// The section `trace`.
pub(crate) const TRACE: Group = &[Key::new(
    "path",
    Kind::Text(Form::Filled),
    "File that gets every message of the router in readable form. While it is set, enrolling with \
     OpenZiti fails.",
)
.required()
.example("/tmp/router.trace")];

/// The section `profile`.
pub(crate) const PROFILE: Group = &[
    Key::new(
        "memory",
        Kind::Map(&[PROFILE_MEMORY]),
        "Profile of the memory.",
    ),
    Key::new(
        "cpu",
        Kind::Map(&[PROFILE_CPU]),
        "Profile of the time spent.",
    ),
];

/// Profile of the memory.
pub(crate) const PROFILE_MEMORY: Group = &[
    Key::new("path", Kind::Text(Form::Filled), "File that gets it.")
        .required()
        .original(Original::new(Read::Text, Wrong::Crash).default("\"\""))
        .example("/tmp/router.memory"),
    Key::milliseconds("intervalMs", "How often it is written.")
        .within(1, i64::MAX / MS)
        .default("15000")
        .original(
            Original::new(Read::Integer, Wrong::Crash)
                .shown(Shown::Milliseconds)
                .named("interval"),
        )
        .example("15000"),
];

const PROFILE_CPU: Group = &[
    Key::new("path", Kind::Text(Form::Filled), "File that gets it.")
        .required()
        .example("/tmp/router.cpu"),
];

/// The section `connectEvents`.
pub(crate) const CONNECT_EVENTS: Group = &[
    Key::new(
        "enabled",
        Kind::Bool,
        "Whether controllers are told who connects.",
    )
    .default("true")
    .original(TRUTH)
    .example("true"),
    Key::duration(
        "batchInterval",
        "How long events are gathered before they are sent.",
    )
    .within(250 * MS, HOUR / 6)
    .default("3s")
    .original(Original::new(Read::Duration, Wrong::Ignore))
    .example("3s"),
    Key::duration("fullSyncInterval", "How often the whole state is sent.")
        .within(SECOND, 24 * HOUR)
        .default("5m")
        .original(Original::new(Read::Duration, Wrong::Ignore))
        .example("5m"),
    Key::count(
        "maxQueuedEvents",
        0,
        10_000_000,
        "How many events may wait.",
    )
    .default("100000")
    .original(Original::new(Read::Integer, Wrong::Ignore))
    .example("100000"),
];

/// The section `interfaceDiscovery`.
pub(crate) const INTERFACE_DISCOVERY: Group = &[
    Key::new(
        "disabled",
        Kind::Bool,
        "Whether the network interfaces are kept from the controllers.",
    )
    .default("false")
    .original(TRUTH)
    .example("false"),
    Key::interval("checkInterval", "How often the interfaces are looked at.")
        .default("1m")
        .original(REFUSE)
        .example("1m"),
    Key::interval(
        "minReportInterval",
        "How often they are reported without a change.",
    )
    .default("24h")
    .original(REFUSE)
    .example("24h"),
];
