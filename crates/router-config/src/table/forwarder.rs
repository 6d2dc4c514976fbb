//! `forwarder`: forwarding over links and to services.

use crate::table::key::{Group, Key, Kind, SECOND};
use crate::table::original::{Original, Read, Shown, Wrong};

const INTEGER: Original = Original::new(Read::Integer, Wrong::Refuse);
const MILLISECONDS: Original = INTEGER.shown(Shown::Milliseconds);

/// The section, in the order in which OpenZiti reads it.
pub(crate) const FORWARDER: Group = &[
    Key::milliseconds(
        "faultTxInterval",
        "Wait between checks for faulted circuits; 0 switches them off.",
    )
    .default("15000")
    .original(MILLISECONDS)
    .example("15000"),
    Key::milliseconds(
        "idleCircuitTimeout",
        "How long a circuit may be silent before it counts as idle and a confirmation is asked for.",
    )
    .default("60000")
    .original(MILLISECONDS)
    .example("60000"),
    Key::milliseconds(
        "idleTxInterval",
        "Wait between checks that idle circuits are still in use; 0 switches them off.",
    )
    .default("60000")
    .original(MILLISECONDS)
    .example("60000"),
    Key::count(
        "linkDialQueueLength",
        1,
        10_000,
        "How many dials of links may wait.",
    )
    .default("1000")
    .original(INTEGER.within(1, 10_000))
    .example("1000"),
    Key::count(
        "linkDialWorkerCount",
        1,
        10_000,
        "How many links are dialed at a time. OpenZiti refuses 1.",
    )
    .default("32")
    .original(INTEGER.within(2, 10_000))
    .example("32"),
    Key::count(
        "rateLimitedQueueLength",
        1,
        50_000,
        "How many limited requests to the controllers, such as new terminators, may wait.",
    )
    .default("5000")
    .original(INTEGER.within(1, 50_000))
    .example("5000"),
    Key::count(
        "rateLimitedWorkerCount",
        1,
        10_000,
        "How many limited requests to the controllers are made at a time. OpenZiti has 15 by default \
         and refuses 1.",
    )
    .default("5")
    .original(INTEGER.within(2, 10_000).default("15"))
    .example("5"),
    Key::new(
        "unresponsiveLinkTimeout",
        Kind::DurationOrMilliseconds { min: 5 * SECOND },
        "After how long a link counts as unresponsive. OpenZiti reads it and does not use it.",
    )
    .default("1m")
    .example("1m"),
    Key::milliseconds(
        "xgressCloseCheckInterval",
        "Wait before an idle circuit that is being closed is taken down.",
    )
    .default("5000")
    .original(MILLISECONDS)
    .example("5000"),
    Key::milliseconds(
        "xgressDialDwellTime",
        "Wait before a service is dialed.",
    )
    .default("0")
    .original(MILLISECONDS)
    .example("0"),
    Key::count(
        "xgressDialQueueLength",
        1,
        10_000,
        "How many dials of services may wait.",
    )
    .default("1000")
    .original(INTEGER.within(1, 10_000))
    .example("1000"),
    Key::count(
        "xgressDialWorkerCount",
        1,
        10_000,
        "How many services are dialed at a time.",
    )
    .default("128")
    .original(INTEGER.within(1, 10_000))
    .example("128"),
    Key::dead("latencyProbeInterval", "links measure by themselves"),
    Key::dead("latencyProbeTimeout", "links measure by themselves"),
    Key::dead("idleSessionTimeout", "it is now named `idleCircuitTimeout`"),
];
