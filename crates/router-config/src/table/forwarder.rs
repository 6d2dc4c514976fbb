//! Section `forwarder`: forwarding over links and to services.

use crate::table::key::{Key, KeyGroup, SECOND, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode, Representation};

const INTEGER: OpenZitiRule = OpenZitiRule::new(ReadMode::Integer, OnMistake::Refuse);
const MILLISECONDS: OpenZitiRule = INTEGER.representation(Representation::Milliseconds);

/// Keys in the order in which OpenZiti reads them.
pub(crate) const FORWARDER: KeyGroup = &[
    Key::milliseconds(
        "faultTxInterval",
        "Wait between checks for faulted circuits; 0 switches them off.",
    )
    .default("15000")
    .openziti(MILLISECONDS)
    .example("15000"),
    Key::milliseconds(
        "idleCircuitTimeout",
        "How long a circuit may be silent before it counts as idle and a confirmation is asked for.",
    )
    .default("60000")
    .openziti(MILLISECONDS)
    .example("60000"),
    Key::milliseconds(
        "idleTxInterval",
        "Wait between checks that idle circuits are still in use; 0 switches them off.",
    )
    .default("60000")
    .openziti(MILLISECONDS)
    .example("60000"),
    Key::count(
        "linkDialQueueLength",
        1,
        10_000,
        "How many dials of links may wait.",
    )
    .default("1000")
    .openziti(INTEGER.within(1, 10_000))
    .example("1000"),
    Key::count(
        "linkDialWorkerCount",
        1,
        10_000,
        "How many links are dialed at a time. OpenZiti refuses 1.",
    )
    .default("32")
    .openziti(INTEGER.within(2, 10_000))
    .example("32"),
    Key::count(
        "rateLimitedQueueLength",
        1,
        50_000,
        "How many rate-limited requests to the controllers, such as new terminators, may wait.",
    )
    .default("5000")
    .openziti(INTEGER.within(1, 50_000))
    .example("5000"),
    Key::count(
        "rateLimitedWorkerCount",
        1,
        10_000,
        "How many rate-limited requests to the controllers run at a time. OpenZiti has 15 by default \
         and refuses 1.",
    )
    .default("5")
    .openziti(INTEGER.within(2, 10_000).default("15"))
    .example("5"),
    Key::new(
        "unresponsiveLinkTimeout",
        ValueType::DurationOrMilliseconds { min: 5 * SECOND },
        "After how long a link counts as unresponsive. OpenZiti reads it and does not use it.",
    )
    .default("1m")
    .openziti(
        OpenZitiRule::new(ReadMode::DurationOrMilliseconds, OnMistake::Refuse)
            .within(5 * SECOND, i64::MAX),
    )
    .example("1m"),
    Key::milliseconds(
        "xgressCloseCheckInterval",
        "Wait before an idle circuit that is being closed is taken down.",
    )
    .default("5000")
    .openziti(MILLISECONDS)
    .example("5000"),
    Key::milliseconds(
        "xgressDialDwellTime",
        "Wait before a service is dialed.",
    )
    .default("0")
    .openziti(MILLISECONDS)
    .example("0"),
    Key::count(
        "xgressDialQueueLength",
        1,
        10_000,
        "How many dials of services may wait.",
    )
    .default("1000")
    .openziti(INTEGER.within(1, 10_000))
    .example("1000"),
    Key::count(
        "xgressDialWorkerCount",
        1,
        10_000,
        "How many services are dialed at a time.",
    )
    .default("128")
    .openziti(INTEGER.within(1, 10_000))
    .example("128"),
    Key::dead("latencyProbeInterval", "links measure by themselves"),
    Key::dead("latencyProbeTimeout", "links measure by themselves"),
    Key::dead("idleSessionTimeout", "it is now named `idleCircuitTimeout`"),
];
