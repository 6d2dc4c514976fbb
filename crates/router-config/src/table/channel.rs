//! Channel options and heartbeats.

use crate::table::key::{HOUR, Key, KeyGroup, KeyState, MILLISECOND, SECOND};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};

const STRICT: OpenZitiRule = OpenZitiRule::new(ReadMode::Duration, OnMistake::Refuse);
const LENIENT: OpenZitiRule = OpenZitiRule::new(ReadMode::Integer, OnMistake::Ignore);

/// Options of a channel, in the order in which OpenZiti reads them.
pub(crate) const CHANNEL: KeyGroup = &[
    Key::count(
        "maxQueuedConnects",
        1,
        5_000,
        "How many accepted connections may wait for the first message.",
    )
    .default("1")
    .openziti(LENIENT)
    .example("1"),
    Key::count(
        "maxOutstandingConnects",
        1,
        1_000,
        "How many connections may be in the first exchange of messages at a time.",
    )
    .default("16")
    .openziti(LENIENT)
    .example("16"),
    Key::duration(
        "writeTimeout",
        "How long one write may take; `0s` waits forever.",
    )
    .default("0s")
    .openziti(STRICT)
    .example("10s"),
];

/// The connect timeout in its two spellings.
pub(crate) const CHANNEL_CONNECT: KeyGroup = &[
    Key::duration(
        "connectTimeout",
        "How long connecting and the first exchange of messages may take.",
    )
    .within(30 * MILLISECOND, 60 * SECOND)
    .default("5s")
    .openziti(STRICT)
    .example("5s"),
    Key::milliseconds(
        "connectTimeoutMs",
        "The older spelling of `connectTimeout`, in milliseconds; not used beside it.",
    )
    .within(30, 60_000)
    .state(KeyState::Deprecated("connectTimeout"))
    .openziti(LENIENT)
    .example("5000"),
];

const OUT_QUEUE_SIZE: Key = Key::count(
    "outQueueSize",
    0,
    1 << 20,
    "How many messages may wait to be sent.",
)
.openziti(OpenZitiRule::new(ReadMode::WholeNumber, OnMistake::Refuse).within(0, i64::MAX))
.default("4")
.example("64");

const OUT_QUEUE_LEN: Key = Key::dead("outQueueLen", "it is now named `outQueueSize`");

/// Length of the send queue.
pub(crate) const CHANNEL_QUEUE: KeyGroup = &[OUT_QUEUE_SIZE, OUT_QUEUE_LEN];

/// Length of the send queue of a channel to a controller, where a message must not be lost.
pub(crate) const CTRL_QUEUE: KeyGroup = &[
    Key {
        doc: "How many messages may wait to be sent. Portcullis has room for 1024 at least, since none may be \
              lost: smaller numbers have no effect there.",
        ..OUT_QUEUE_SIZE
    },
    OUT_QUEUE_LEN,
];

/// Length of the send queue of a link or an edge listener, where 4 counts as 64.
pub(crate) const LONG_QUEUE: KeyGroup = &[OUT_QUEUE_SIZE.default("64"), OUT_QUEUE_LEN];

const SEND: Key = Key::interval("sendInterval", "How often a heartbeat is sent.")
    .default("10s")
    .openziti(STRICT)
    .example("10s");

const CHECK: Key = Key::interval(
    "checkInterval",
    "How often the router checks whether a heartbeat is due.",
)
.default("1s")
.openziti(STRICT)
.example("1s");

const CLOSE: Key = Key::duration(
    "closeUnresponsiveTimeout",
    "Time without an answer after which the connection is closed.",
)
.within(0, 24 * HOUR)
.default("30s")
.openziti(STRICT)
.example("30s");

/// Heartbeats of a channel.
pub(crate) const HEARTBEATS: KeyGroup = &[SEND, CHECK, CLOSE];

/// Heartbeats of a link, which has a longer timeout.
pub(crate) const LINK_HEARTBEATS: KeyGroup = &[SEND, CHECK, CLOSE.default("1m")];
