//! Sections `metrics`, `trace`, `profile`, `connectEvents` and `interfaceDiscovery`.

use crate::table::key::{HOUR, Key, KeyGroup, MILLISECOND, SECOND, StringFormat, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, OutOfBounds, ReadMode, Representation};

const CRASH: OpenZitiRule = OpenZitiRule::new(ReadMode::Duration, OnMistake::Crash);
const REFUSE: OpenZitiRule = OpenZitiRule::new(ReadMode::Duration, OnMistake::Refuse);
const INTEGER: OpenZitiRule = OpenZitiRule::new(ReadMode::Integer, OnMistake::Refuse);
const CLAMPED: OpenZitiRule =
    OpenZitiRule::new(ReadMode::Duration, OnMistake::Ignore).out_of_bounds(OutOfBounds::Clamp);
const TRUTH: OpenZitiRule = OpenZitiRule::new(ReadMode::LenientBool, OnMistake::Ignore);

/// Section `metrics`, in the order in which OpenZiti reads it.
pub(crate) const METRICS: KeyGroup = &[
    Key::interval(
        "reportInterval",
        "How often metrics are sent to the controllers.",
    )
    .default("1m")
    .openziti(CRASH)
    .example("1m"),
    Key::duration(
        "intervalAgeThreshold",
        "How old a set of metrics must be before it is sent.",
    )
    .default("80s")
    .openziti(CRASH.default("0s"))
    .example("80s"),
    Key::count(
        "messageQueueSize",
        0,
        1 << 20,
        "How many messages with metrics may wait.",
    )
    .default("10")
    .openziti(INTEGER)
    .example("10"),
    Key::count(
        "eventQueueSize",
        0,
        1 << 20,
        "How many single metrics may wait.",
    )
    .default("256")
    .openziti(INTEGER)
    .example("256"),
    Key::new(
        "enableDataDelayMetric",
        ValueType::Bool,
        "Measures how long data waits in the router.",
    )
    .default("false")
    .openziti(TRUTH)
    .example("false"),
];

pub(crate) const TRACE: KeyGroup = &[Key::new(
    "path",
    ValueType::String(StringFormat::NonEmpty),
    "File that gets every message of the router in readable form. While it is set, enrolling with \
     OpenZiti fails.",
)
.required()
.example("/tmp/router.trace")];

pub(crate) const PROFILE: KeyGroup = &[
    Key::new(
        "memory",
        ValueType::Map(&[PROFILE_MEMORY]),
        "Memory in use, by where it was allocated, for `go tool pprof FILE` and others that read \
         its format. The router starts itself once more to follow its allocations.",
    ),
    Key::new(
        "cpu",
        ValueType::Map(&[PROFILE_CPU]),
        "Time spent, by function, in the same format. It is written every minute.",
    ),
];

pub(crate) const PROFILE_MEMORY: KeyGroup = &[
    Key::new(
        "path",
        ValueType::String(StringFormat::NonEmpty),
        "File that gets it.",
    )
    .required()
    .openziti(OpenZitiRule::new(ReadMode::String, OnMistake::Crash).default("\"\""))
    .example("/tmp/router.memory"),
    Key::milliseconds("intervalMs", "How often it is written.")
        .within(1, i64::MAX / MILLISECOND)
        .default("15000")
        .openziti(
            OpenZitiRule::new(ReadMode::Integer, OnMistake::Crash)
                .representation(Representation::Milliseconds)
                .effective_name("interval"),
        )
        .example("15000"),
];

const PROFILE_CPU: KeyGroup = &[Key::new(
    "path",
    ValueType::String(StringFormat::NonEmpty),
    "File that gets it.",
)
.required()
.example("/tmp/router.cpu")];

pub(crate) const CONNECT_EVENTS: KeyGroup = &[
    Key::new(
        "enabled",
        ValueType::Bool,
        "Whether connections of clients are reported to controllers.",
    )
    .default("true")
    .openziti(TRUTH)
    .example("true"),
    Key::duration(
        "batchInterval",
        "How long events are batched before they are sent.",
    )
    .within(250 * MILLISECOND, HOUR / 6)
    .default("3s")
    .openziti(CLAMPED.within(250 * MILLISECOND, HOUR / 6))
    .example("3s"),
    Key::duration("fullSyncInterval", "How often the whole state is sent.")
        .within(SECOND, 24 * HOUR)
        .default("5m")
        .openziti(CLAMPED.within(SECOND, 24 * HOUR))
        .example("5m"),
    Key::count(
        "maxQueuedEvents",
        0,
        10_000_000,
        "How many events may wait.",
    )
    .default("100000")
    .openziti(
        OpenZitiRule::new(ReadMode::Integer, OnMistake::Ignore)
            .within(0, 10_000_000)
            .out_of_bounds(OutOfBounds::Clamp),
    )
    .example("100000"),
];

pub(crate) const INTERFACE_DISCOVERY: KeyGroup = &[
    Key::new(
        "disabled",
        ValueType::Bool,
        "Whether network interfaces are hidden from the controllers.",
    )
    .default("false")
    .openziti(TRUTH)
    .example("false"),
    Key::interval("checkInterval", "How often the interfaces are checked.")
        .default("1m")
        .openziti(REFUSE)
        .example("1m"),
    Key::interval(
        "minReportInterval",
        "How often they are reported without a change.",
    )
    .default("24h")
    .openziti(REFUSE)
    .example("24h"),
];
