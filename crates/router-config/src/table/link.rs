//! Section `link`: links between routers.

use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, LINK_HEARTBEATS, LONG_QUEUE};
use crate::table::key::{HOUR, Key, KeyGroup, KeyState, MILLISECOND, StringFormat, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};

const POSITIVE: OpenZitiRule =
    OpenZitiRule::new(ReadMode::Integer, OnMistake::Refuse).within(1, i64::MAX);
const TEXT: OpenZitiRule = OpenZitiRule::new(ReadMode::String, OnMistake::Refuse);

pub(crate) const LINK: KeyGroup = &[
    Key::new(
        "listeners",
        ValueType::MapList(&[LINK_LISTENER]),
        "Where other routers can dial this one. There may be several. Without any, this router can only \
         dial.",
    ),
    Key::new(
        "dialers",
        ValueType::MapList(&[DIALER]),
        "How this router dials others. Without any, it can only be dialed. A dialer dials the listeners \
         that share a group with it.",
    ),
    Key::new(
        "heartbeats",
        ValueType::Map(&[LINK_HEARTBEATS]),
        "Heartbeats on links. A link is closed after 1m without an answer, or after 30s as soon as \
         this section is there without `closeUnresponsiveTimeout`.",
    ),
    Key::count(
        "payloadSenderQueueSize",
        1,
        i64::MAX,
        "How many messages with data may wait on a link.",
    )
    .default("128")
    .openziti(POSITIVE)
    .example("128"),
    Key::count(
        "ackSenderQueueSize",
        1,
        i64::MAX,
        "How many acknowledgments may wait on a link.",
    )
    .default("64")
    .openziti(POSITIVE)
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
    ValueType::Enum(&["transport"]),
    "Kind of link; there is only `transport`.",
)
.required()
.openziti(TEXT.required())
.example("transport");

const GROUPS: Key = Key::new(
    "groups",
    ValueType::StringOrList(StringFormat::Any),
    "Names of groups. Dialer and listener need one in common. A change requires a restart of the router.",
)
.default("[default]")
.example("[default]");

const OPTIONS: Key = Key::new(
    "options",
    ValueType::Map(&[LONG_QUEUE, CHANNEL, CHANNEL_CONNECT]),
    "Options of the channel.",
);

pub(crate) const LINK_LISTENER: KeyGroup = &[
    BINDING,
    Key::new("bind", ValueType::String(StringFormat::Address), "Address to listen on.")
        .required()
        .openziti(TEXT)
        .example("tls:0.0.0.0:10080"),
    Key::new(
        "address",
        ValueType::String(StringFormat::Address),
        "Another spelling of `bind`, which OpenZiti does not know.",
    )
    .state(KeyState::Alias("bind")),
    Key::new(
        "advertise",
        ValueType::String(StringFormat::AddressOrHostPort),
        "Address that other routers dial. Its host must be in the certificate, so put it among the SANs \
         of the `csr`. OpenZiti needs the protocol in front, and uses `bind` when the key is missing.",
    )
    .required()
    .openziti(TEXT)
    .example("tls:router.example.test:10080"),
    Key::new(
        "bindInterface",
        ValueType::String(StringFormat::Any),
        "Network interface that is announced; derived from `bind` by default.",
    )
    .openziti(TEXT)
    .example("eth0"),
    GROUPS,
    OPTIONS,
    Key::dead("type", "the kind of a link follows from `bind`"),
    Key::dead("costTags", "links have no cost tags any more"),
    Key::dead("listener", "since version 3 the address is `bind`"),
];

const DIALER: KeyGroup = &[
    BINDING,
    Key::count(
        "maxDefaultConnections",
        1,
        100,
        "How many connections of one link carry data.",
    )
    .default("3")
    .openziti(OpenZitiRule::new(ReadMode::WholeNumber, OnMistake::Refuse).within(1, 100))
    .example("3"),
    Key::count(
        "maxAckConnections",
        0,
        100,
        "How many connections of one link carry acknowledgments only; at 0 they share the connections for data.",
    )
    .default("1")
    .openziti(OpenZitiRule::new(ReadMode::WholeNumber, OnMistake::Refuse).within(0, 100))
    .example("1"),
    Key::new(
        "split",
        ValueType::Bool,
        "Whether data and acknowledgments use separate connections. Current peers look at \
         `maxDefaultConnections` and `maxAckConnections`; this counts for peers older than 1.6.6.",
    )
    .default("true")
    .openziti(OpenZitiRule::new(ReadMode::Bool, OnMistake::Refuse))
    .example("true"),
    Key::duration("startupDelay", "Wait before the first links are dialed.")
        .default("3s")
        .example("3s"),
    Key::new(
        "bindInterface",
        ValueType::String(StringFormat::Interface),
        "Another name of `bind`, which it wins over.",
    )
    .example("eth0"),
    Key::new(
        "bind",
        ValueType::String(StringFormat::Interface),
        "Network interface or local IP address from which links are dialed.",
    )
    .example("10.0.0.1"),
    GROUPS,
    Key::new(
        "healthyDialBackoff",
        ValueType::Map(&[BACKOFF_HEALTHY]),
        "Pauses between attempts while the other router is connected to a controller.",
    ),
    Key::new(
        "unhealthyDialBackoff",
        ValueType::Map(&[BACKOFF_UNHEALTHY]),
        "Pauses between attempts while the other router is not connected to a controller.",
    ),
    OPTIONS,
];

const FACTOR: Key = Key::new(
    "retryBackoffFactor",
    ValueType::Number {
        min: 1.0,
        max: 100.0,
    },
    "Factor by which the pause grows after each failure.",
)
.example("1.5");

const MIN: Key = Key::duration("minRetryInterval", "Shortest pause.")
    .within(10 * MILLISECOND, 24 * HOUR)
    .example("5s");

const MAX: Key = Key::duration("maxRetryInterval", "Longest pause.")
    .within(10 * MILLISECOND, 24 * HOUR)
    .example("5m");

/// Pauses while the peer is healthy.
pub(crate) const BACKOFF_HEALTHY: KeyGroup =
    &[FACTOR.default("1.5"), MIN.default("5s"), MAX.default("5m")];

/// Pauses while the peer is not healthy.
pub(crate) const BACKOFF_UNHEALTHY: KeyGroup =
    &[FACTOR.default("10"), MIN.default("1m"), MAX.default("1h")];
