//! Options that every channel has, and heartbeats.

use crate::table::key::{Group, HOUR, Key, MS, SECOND, State};
use crate::table::original::{Original, Read, Wrong};

const STRICT: Original = Original::new(Read::Duration, Wrong::Refuse);
const LENIENT: Original = Original::new(Read::Integer, Wrong::Ignore);

/// Options of a channel, in the order in which OpenZiti reads them.
pub(crate) const CHANNEL: Group = &[
    Key::count(
        "maxQueuedConnects",
        1,
        5_000,
        "How many accepted connections may wait for the first message.",
    )
    .default("1")
    .original(LENIENT)
    .example("1"),
    Key::count(
        "maxOutstandingConnects",
        1,
        1_000,
        "How many connections may be in the first exchange of messages at a time.",
    )
    .default("16")
    .original(LENIENT)
    .example("16"),
    Key::duration(
        "writeTimeout",
        "How long one write may take; `0s` waits for ever.",
    )
    .default("0s")
    .original(STRICT)
    .example("10s"),
];

/// How long connecting may take, in its two spellings.
pub(crate) const CHANNEL_CONNECT: Group = &[
    Key::duration(
        "connectTimeout",
        "How long connecting and the first exchange of messages may take.",
    )
    .within(30 * MS, 60 * SECOND)
    .default("5s")
    .original(STRICT)
    .example("5s"),
    Key::milliseconds(
        "connectTimeoutMs",
        "The older spelling of `connectTimeout`, in milliseconds; not used beside it.",
    )
    .within(30, 60_000)
    .state(State::Deprecated("connectTimeout"))
    .original(LENIENT)
    .example("5000"),
];

const OUT_QUEUE_SIZE: Key = Key::count(
    "outQueueSize",
    0,
    1 << 20,
    "How many messages may wait to be sent.",
)
.original(Original::new(Read::Whole, Wrong::Refuse).within(0, i64::MAX))
.default("4")
.example("64");

const OUT_QUEUE_LEN: Key = Key::dead("outQueueLen", "it is now named `outQueueSize`");

/// How many messages may wait.
pub(crate) const CHANNEL_QUEUE: Group = &[OUT_QUEUE_SIZE, OUT_QUEUE_LEN];

/// How many messages may wait on a link or at an edge listener, where 4 counts as 64.
pub(crate) const LONG_QUEUE: Group = &[OUT_QUEUE_SIZE.default("64"), OUT_QUEUE_LEN];

const SEND: Key = Key::interval("sendInterval", "How often a sign of life is sent.")
    .default("10s")
    .original(STRICT)
    .example("10s");

const CHECK: Key = Key::interval(
    "checkInterval",
    "How often it is checked whether one is due.",
)
.default("1s")
.original(STRICT)
.example("1s");

const CLOSE: Key = Key::duration(
    "closeUnresponsiveTimeout",
    "After how long without an answer the connection is closed.",
)
.within(0, 24 * HOUR)
.default("30s")
.original(STRICT)
.example("30s");

/// Heartbeats of a channel.
pub(crate) const HEARTBEATS: Group = &[SEND, CHECK, CLOSE];

/// Heartbeats of a link, which is given more time.
pub(crate) const LINK_HEARTBEATS: Group = &[SEND, CHECK, CLOSE.default("1m")];
