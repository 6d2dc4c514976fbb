//! Options of circuits that start or end at a router.

use crate::table::key::{Key, KeyGroup, Unit, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode, Representation};

const INTEGER: OpenZitiRule = OpenZitiRule::new(ReadMode::Integer, OnMistake::Crash);
const SIGNED: OpenZitiRule = INTEGER.representation(Representation::Signed32);
const UNSIGNED: OpenZitiRule = INTEGER.representation(Representation::Unsigned32);
const FLOAT: OpenZitiRule = OpenZitiRule::new(ReadMode::Float, OnMistake::Crash);
const DURATION: OpenZitiRule = OpenZitiRule::new(ReadMode::Duration, OnMistake::Crash);

const fn bytes(name: &'static str, doc: &'static str) -> Key {
    let (min, max, unit) = (0, u32::MAX as i64, Unit::Bytes);
    Key::new(name, ValueType::Integer { min, max, unit }, doc).openziti(UNSIGNED)
}

const fn factor(name: &'static str, doc: &'static str) -> Key {
    let (min, max) = (0.0, 1000.0);
    Key::new(name, ValueType::Number { min, max }, doc).openziti(FLOAT)
}

const fn ms(name: &'static str, doc: &'static str) -> Key {
    Key::milliseconds(name, doc)
        .within(0, u32::MAX as i64)
        .openziti(UNSIGNED)
}

const fn count(name: &'static str, doc: &'static str) -> Key {
    Key::count(name, 0, u32::MAX as i64, doc).openziti(UNSIGNED)
}

/// All options but the connect timeout, in the order in which OpenZiti reads them.
pub(crate) const XGRESS: KeyGroup = &[
    Key::new(
        "mtu",
        ValueType::Integer {
            min: 0,
            max: i32::MAX as i64,
            unit: Unit::Bytes,
        },
        "Largest payload; 0 does not cut.",
    )
    .openziti(SIGNED)
    .default("0")
    .example("0"),
    Key::new(
        "randomDrops",
        ValueType::Bool,
        "Drops payloads on purpose, for tests.",
    )
    .openziti(OpenZitiRule::new(ReadMode::Bool, OnMistake::Crash))
    .default("false")
    .example("false"),
    Key::count(
        "drop1InN",
        1,
        i32::MAX as i64,
        "With `randomDrops`: one payload in this many is dropped.",
    )
    .openziti(SIGNED)
    .default("100")
    .example("100"),
    Key::count("txQueueSize", 0, i32::MAX as i64, "No longer used.")
        .openziti(SIGNED)
        .default("1")
        .example("1"),
    bytes("txPortalStartSize", "Window of sent data at the start.").default("4194304").example("4194304"),
    bytes("txPortalMinSize", "Smallest window of sent data.").default("16384").example("16384"),
    bytes("txPortalMaxSize", "Largest window of sent data.").default("4194304").example("4194304"),
    count(
        "txPortalIncreaseThresh",
        "Number of acknowledgments after which the window grows.",
    )
    .default("28")
    .example("28"),
    factor(
        "txPortalIncreaseScale",
        "Fraction of the acknowledged data by which the window grows.",
    )
    .default("1.0")
    .example("1.0"),
    count(
        "txPortalRetxThresh",
        "Number of retransmissions after which the window shrinks.",
    )
    .default("64")
    .example("64"),
    factor("txPortalRetxScale", "Factor by which the window then shrinks.").default("0.75").example("0.75"),
    count(
        "txPortalDupAckThresh",
        "Number of duplicate acknowledgments after which the window shrinks.",
    )
    .default("64")
    .example("64"),
    factor("txPortalDupAckScale", "Factor by which the window then shrinks.").default("0.9").example("0.9"),
    bytes("rxBufferSize", "How much received data may wait.").default("4194304").example("4194304"),
    ms("retxStartMs", "Wait before the first retransmission of a payload.").default("200").example("200"),
    factor(
        "retxScale",
        "Factor on the round-trip time that gives the wait. OpenZiti needs a decimal point.",
    )
    .default("1.5")
    .example("1.5"),
    ms("retxAddMs", "Time added to that wait.").default("0").example("0"),
    ms("retxMaxMs", "Longest wait before a retransmission.").default("10000").example("10000"),
    Key::count(
        "maxRttScale",
        0,
        u16::MAX as i64,
        "Upper bound of the wait, in multiples of the best round-trip time; 0 for none, 1 counts as 2.",
    )
    .openziti(INTEGER.representation(Representation::Unsigned16))
    .default("4")
    .example("4"),
    Key::milliseconds(
        "maxCloseWaitMs",
        "How long a closed end waits for data in flight.",
    )
    .openziti(INTEGER.representation(Representation::Milliseconds).effective_name("maxCloseWait"))
    .default("30000")
    .example("30000"),
    Key::duration(
        "getCircuitTimeout",
        "How long a controller may take to create a circuit.",
    )
    .openziti(DURATION)
    .default("30s")
    .example("30s"),
    Key::duration(
        "circuitStartTimeout",
        "How long the other end may take to start a circuit.",
    )
    .openziti(DURATION)
    .default("3m")
    .example("3m"),
    Key::dead("retransmission", "lost payloads are always sent again"),
    Key::dead("getSessionTimeout", "it is now named `getCircuitTimeout` and takes a duration"),
];

/// How long connecting to a service may take; edge listeners share the key with their channel.
pub(crate) const XGRESS_CONNECT: KeyGroup = &[Key::duration(
    "connectTimeout",
    "How long connecting to a service may take; `0s` leaves it to the operating system.",
)
.openziti(DURATION)
.default("0s")
.example("10s")];

/// Timeouts of lookups, which only edge listeners have.
pub(crate) const EDGE_LOOKUPS: KeyGroup = &[
    Key::duration("lookupSessionTimeout", "No longer used.")
        .openziti(DURATION)
        .default("5s")
        .example("5s"),
    Key::duration(
        "lookupApiSessionTimeout",
        "How long looking up a client's session may take.",
    )
    .openziti(DURATION)
    .default("5s")
    .example("5s"),
];
