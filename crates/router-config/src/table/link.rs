//! `link`: links between routers.

use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, LINK_HEARTBEATS, LONG_QUEUE};
use crate::table::key::{Form, Group, HOUR, Key, Kind, MS, State};
use crate::table::original::{Original, Read, Wrong};

const POSITIVE: Original = Original::new(Read::Integer, Wrong::Refuse).within(1, i64::MAX);
const TEXT: Original = Original::new(Read::Text, Wrong::Refuse);

/// The section.
pub(crate) const LINK: Group = &[
    Key::new(
        "listeners",
        Kind::Maps(&[LISTENER]),
        "Where other routers can dial this one. There may be several. Without any, this router can only \
         dial.",
    ),
    Key::new(
        "dialers",
        Kind::Maps(&[DIALER]),
        "How this router dials others. Without any, it can only be dialed. A dialer dials the listeners \
         that share a group with it.",
    ),
    Key::new(
        "heartbeats",
        Kind::Map(&[LINK_HEARTBEATS]),
        "Signs of life on links. A link is closed after 1m without an answer, or after 30s as soon as \
         this section is there without `closeUnresponsiveTimeout`.",
    ),
    Key::count(
        "payloadSenderQueueSize",
        1,
        i64::MAX,
        "How many messages with data may wait on a link.",
    )
    .default("128")
    .original(POSITIVE)
    .example("128"),
    Key::count(
        "ackSenderQueueSize",
        1,
        i64::MAX,
        "How many acknowledgments may wait on a link.",
    )
    .default("64")
    .original(POSITIVE)
    .example("64"),
    Key::dead(
        "listener",
        "since version 3 listeners are a list, `listeners`",
    ),
    Key::dead(
        "advertise",
        "since version 3 each entry of `listeners` has its own",
    ),
];

const BINDING: Key = Key::new(
    "binding",
    Kind::Word(&["transport"]),
    "Kind of link; there is only `transport`.",
)
.required()
.original(TEXT)
.example("transport");

const GROUPS: Key = Key::new(
    "groups",
    Kind::OneOrMore(Form::Free),
    "Names of groups. Dialer and listener need one in common. A change takes a restart of the router.",
)
.default("[default]")
.example("[default]");

const OPTIONS: Key = Key::new(
    "options",
    Kind::Map(&[LONG_QUEUE, CHANNEL, CHANNEL_CONNECT]),
    "Options of the channel.",
);

const LISTENER: Group = &[
    BINDING,
    Key::new("bind", Kind::Text(Form::Address), "Address to listen on.")
        .required()
        .original(TEXT)
        .example("tls:0.0.0.0:10080"),
    Key::new(
        "address",
        Kind::Text(Form::Address),
        "Another spelling of `bind`, which OpenZiti does not know.",
    )
    .state(State::Alias("bind")),
    Key::new(
        "advertise",
        Kind::Text(Form::LooseAddress),
        "Address that other routers dial. Its host must be in the certificate, so put it among the SANs \
         of the `csr`. OpenZiti needs the kind of connection in front, and takes `bind` when it is \
         missing.",
    )
    .required()
    .original(TEXT)
    .example("tls:router.example.test:10080"),
    Key::new(
        "bindInterface",
        Kind::Text(Form::Free),
        "Network interface that is announced; found from `bind` by default.",
    )
    .original(TEXT)
    .example("eth0"),
    GROUPS,
    OPTIONS,
    Key::dead("type", "the kind of a link follows from `bind`"),
    Key::dead("costTags", "links have no cost tags any more"),
    Key::dead("listener", "since version 3 the address is `bind`"),
];

const DIALER: Group = &[
    BINDING,
    Key::count(
        "maxDefaultConnections",
        1,
        100,
        "How many connections of one link carry data.",
    )
    .default("3")
    .original(Original::new(Read::Whole, Wrong::Refuse).within(1, 100))
    .example("3"),
    Key::count(
        "maxAckConnections",
        0,
        100,
        "How many connections of one link carry acknowledgments only; at 0 they go with the data.",
    )
    .default("1")
    .original(Original::new(Read::Whole, Wrong::Refuse).within(0, 100))
    .example("1"),
    Key::new(
        "split",
        Kind::Bool,
        "Whether data and acknowledgments get connections of their own. Current peers look at \
         `maxDefaultConnections` and `maxAckConnections`; this counts for peers older than 1.6.6.",
    )
    .default("true")
    .original(Original::new(Read::Bool, Wrong::Refuse))
    .example("true"),
    Key::duration("startupDelay", "Wait before the first links are dialed.")
        .default("3s")
        .example("3s"),
    Key::new(
        "bindInterface",
        Kind::Text(Form::Interface),
        "Another name of `bind`, which it wins over.",
    )
    .example("eth0"),
    Key::new(
        "bind",
        Kind::Text(Form::Interface),
        "Network interface or local IP address from which links are dialed.",
    )
    .example("10.0.0.1"),
    GROUPS,
    Key::new(
        "healthyDialBackoff",
        Kind::Map(&[BACKOFF_HEALTHY]),
        "Pauses between attempts while the other router is connected to a controller.",
    ),
    Key::new(
        "unhealthyDialBackoff",
        Kind::Map(&[BACKOFF_UNHEALTHY]),
        "Pauses between attempts while the other router is not connected to a controller.",
    ),
    OPTIONS,
];

const FACTOR: Key = Key::new(
    "retryBackoffFactor",
    Kind::Number {
        min: 1.0,
        max: 100.0,
    },
    "By what the pause grows after each failure.",
)
.example("1.5");

const MIN: Key = Key::duration("minRetryInterval", "Shortest pause.")
    .within(10 * MS, 24 * HOUR)
    .example("5s");

const MAX: Key = Key::duration("maxRetryInterval", "Longest pause.")
    .within(10 * MS, 24 * HOUR)
    .example("5m");

/// Pauses while the peer is healthy.
pub(crate) const BACKOFF_HEALTHY: Group =
    &[FACTOR.default("1.5"), MIN.default("5s"), MAX.default("5m")];

/// Pauses while the peer is not healthy.
pub(crate) const BACKOFF_UNHEALTHY: Group =
    &[FACTOR.default("10"), MIN.default("1m"), MAX.default("1h")];
