//! Options of circuits that begin or end at a router.

use crate::table::key::{Group, Key, Kind, Unit};
use crate::table::original::{Original, Read, Shown, Wrong};

const INTEGER: Original = Original::new(Read::Integer, Wrong::Crash);
const SIGNED: Original = INTEGER.shown(Shown::Signed32);
const UNSIGNED: Original = INTEGER.shown(Shown::Unsigned32);
const FLOAT: Original = Original::new(Read::Float, Wrong::Crash);
const DURATION: Original = Original::new(Read::Duration, Wrong::Crash);

const fn bytes(name: &'static str, doc: &'static str) -> Key {
    let (min, max, unit) = (0, u32::MAX as i64, Unit::Bytes);
    Key::new(name, Kind::Integer { min, max, unit }, doc).original(UNSIGNED)
}

const fn factor(name: &'static str, doc: &'static str) -> Key {
    let (min, max) = (0.0, 1000.0);
    Key::new(name, Kind::Number { min, max }, doc).original(FLOAT)
}

const fn ms(name: &'static str, doc: &'static str) -> Key {
    Key::milliseconds(name, doc)
        .within(0, u32::MAX as i64)
        .original(UNSIGNED)
}

const fn count(name: &'static str, doc: &'static str) -> Key {
    Key::count(name, 0, u32::MAX as i64, doc).original(UNSIGNED)
}

/// The options but one, in the order in which OpenZiti reads them.
pub(crate) const XGRESS: Group = &[
    Key::new(
        "mtu",
        Kind::Integer {
            min: 0,
            max: i32::MAX as i64,
            unit: Unit::Bytes,
        },
        "Largest payload; 0 does not cut.",
    )
    .original(SIGNED)
    .default("0")
    .example("0"),
    Key::new(
        "randomDrops",
        Kind::Bool,
        "Loses payloads on purpose, for tests.",
    )
    .original(Original::new(Read::Bool, Wrong::Crash))
    .default("false")
    .example("false"),
    Key::count(
        "drop1InN",
        1,
        i32::MAX as i64,
        "With `randomDrops`: one of how many is lost.",
    )
    .original(SIGNED)
    .default("100")
    .example("100"),
    Key::count("txQueueSize", 0, i32::MAX as i64, "Nothing any more.")
        .original(SIGNED)
        .default("1")
        .example("1"),
    bytes("txPortalStartSize", "Window of sent data at the start.").default("4194304").example("4194304"),
    bytes("txPortalMinSize", "Smallest window of sent data.").default("16384").example("16384"),
    bytes("txPortalMaxSize", "Largest window of sent data.").default("4194304").example("4194304"),
    count(
        "txPortalIncreaseThresh",
        "After how many acknowledgments the window grows.",
    )
    .default("28")
    .example("28"),
    factor(
        "txPortalIncreaseScale",
        "By what share of the acknowledged data the window grows.",
    )
    .default("1.0")
    .example("1.0"),
    count(
        "txPortalRetxThresh",
        "After how many repetitions the window shrinks.",
    )
    .default("64")
    .example("64"),
    factor("txPortalRetxScale", "By what the window shrinks then.").default("0.75").example("0.75"),
    count(
        "txPortalDupAckThresh",
        "After how many repeated acknowledgments the window shrinks.",
    )
    .default("64")
    .example("64"),
    factor("txPortalDupAckScale", "By what the window shrinks then.").default("0.9").example("0.9"),
    bytes("rxBufferSize", "How much received data may wait.").default("4194304").example("4194304"),
    ms("retxStartMs", "Wait before a payload is first sent again.").default("200").example("200"),
    factor(
        "retxScale",
        "By what the round-trip time is multiplied to get the wait. OpenZiti needs a decimal point.",
    )
    .default("1.5")
    .example("1.5"),
    ms("retxAddMs", "What is added to that wait.").default("0").example("0"),
    ms("retxMaxMs", "Longest wait before a payload is sent again.").default("10000").example("10000"),
    Key::count(
        "maxRttScale",
        0,
        u16::MAX as i64,
        "By how many times the best round-trip time the wait is bounded; 0 does not bound it, 1 counts as 2.",
    )
    .original(INTEGER.shown(Shown::Unsigned16))
    .default("4")
    .example("4"),
    Key::milliseconds(
        "maxCloseWaitMs",
        "How long a closed end waits for what is still under way.",
    )
    .original(INTEGER.shown(Shown::Milliseconds).named("maxCloseWait"))
    .default("30000")
    .example("30000"),
    Key::duration(
        "getCircuitTimeout",
        "How long a controller may take to make a circuit.",
    )
    .original(DURATION)
    .default("30s")
    .example("30s"),
    Key::duration(
        "circuitStartTimeout",
        "How long the other end may take to start a circuit.",
    )
    .original(DURATION)
    .default("3m")
    .example("3m"),
    Key::dead("retransmission", "lost payloads are always sent again"),
    Key::dead("getSessionTimeout", "it is now named `getCircuitTimeout` and takes a duration"),
];

/// How long connecting to a service may take; edge listeners share the key with their channel.
pub(crate) const XGRESS_CONNECT: Group = &[Key::duration(
    "connectTimeout",
    "How long connecting to a service may take; `0s` leaves it to the operating system.",
)
.original(DURATION)
.default("0s")
.example("10s")];

/// What only edge listeners look up.
pub(crate) const EDGE_LOOKUPS: Group = &[
    Key::duration("lookupSessionTimeout", "Nothing any more.")
        .original(DURATION)
        .default("5s")
        .example("5s"),
    Key::duration(
        "lookupApiSessionTimeout",
        "How long looking up a client's session may take.",
    )
    .original(DURATION)
    .default("5s")
    .example("5s"),
];
