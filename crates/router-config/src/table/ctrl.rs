//! `ctrl`: the controllers and the way to them.

use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, CHANNEL_QUEUE, HEARTBEATS};
use crate::table::key::{Form, Group, Key, Kind, State};
use crate::table::original::{Original, Read, Wrong};

const CRASH: Original = Original::new(Read::Duration, Wrong::Crash);

/// The section.
pub(crate) const CTRL: Group = &[
    Key::new(
        "endpoint",
        Kind::Text(Form::Endpoint),
        "Address of the controller. Either this or `endpoints` is needed. After the first connection \
         the router keeps what the controllers tell it in the endpoints file, which then wins.",
    )
    .example("tls:ctrl.example.test:6262"),
    Key::new(
        "endpoints",
        Kind::Texts(Form::Endpoint),
        "Addresses of several controllers. Not used when `endpoint` is given.",
    )
    .example("[\"tls:ctrl1.example.test:6262\", \"tls:ctrl2.example.test:6262\"]"),
    Key::new(
        "bind",
        Kind::Text(Form::Interface),
        "Network interface or local IP address from which controllers are dialed.",
    )
    .example("eth0"),
    Key::new(
        "options",
        Kind::Map(&[CHANNEL_QUEUE, CHANNEL, CHANNEL_CONNECT]),
        "Options of the channel to the controllers.",
    ),
    Key::new(
        "heartbeats",
        Kind::Map(&[HEARTBEATS, CTRL_OWN_HEARTBEATS]),
        "Signs of life between router and controllers.",
    ),
    Key::duration(
        "defaultRequestTimeout",
        "How long the answer of a controller may take.",
    )
    .default("5s")
    .original(CRASH)
    .example("5s"),
    Key::duration(
        "startupTimeout",
        "The router gives up when it has not reached a controller by then; `0s` tries for ever.",
    )
    .default("30s")
    .original(CRASH)
    .example("30s"),
    Key::new(
        "endpointsFile",
        Kind::Text(Form::Filled),
        "File in which the router keeps the addresses of the controllers. It wins over `endpoint` and \
         `endpoints`. By default `endpoints.yml` beside the configuration.",
    )
    .original(Original::new(Read::Text, Wrong::Crash))
    .example("/var/lib/router/endpoints.yml"),
    Key::new(
        "rateLimiter",
        Kind::Map(&[RATE_LIMITER]),
        "Window that limits how many requests to the controllers are under way.",
    ),
    Key::new(
        "listeners",
        Kind::Maps(&[CTRL_LISTENER]),
        "Where the router itself listens for controllers that dial it.",
    ),
    Key::dead("dataDir", "it belongs to a controller"),
    Key::dead("ha", "it belongs to a controller"),
];

/// What only the channel to the controllers has.
pub(crate) const CTRL_OWN_HEARTBEATS: Group = &[Key::duration(
    "unresponsiveAfter",
    "A controller that answers slower than this is asked only when no other is there.",
)
.default("5s")
.original(Original::new(Read::Duration, Wrong::Refuse))
.example("5s")];

/// The limiter of requests, in the order in which OpenZiti reads it.
pub(crate) const RATE_LIMITER: Group = &[
    Key::new("enabled", Kind::Bool, "Whether requests are limited.")
        .default("true")
        .original(Original::new(Read::Truth, Wrong::Ignore))
        .example("true"),
    Key::count("maxSize", 5, 1_000, "Largest window, where it begins.")
        .default("250")
        .example("250"),
    Key::count(
        "minSize",
        5,
        1_000,
        "Smallest window. It must be given when the section is there.",
    )
    .required()
    .example("5"),
    Key::duration(
        "timeout",
        "After how long an unanswered request counts as lost.",
    )
    .default("30s")
    .original(Original::new(Read::Printed, Wrong::Refuse))
    .example("30s"),
    Key::new(
        "successThreshold",
        Kind::Number { min: 0.0, max: 1.0 },
        "Share of answered requests above which the window grows and below which it shrinks. \
         OpenZiti needs a decimal point.",
    )
    .default("0.9")
    .original(Original::new(Read::Float, Wrong::Refuse))
    .example("0.9"),
    Key::new(
        "increaseFactor",
        Kind::Number {
            min: 1.0,
            max: 100.0,
        },
        "By what the window grows. OpenZiti needs a decimal point.",
    )
    .default("1.02")
    .original(Original::new(Read::Float, Wrong::Refuse))
    .example("1.02"),
    Key::new(
        "decreaseFactor",
        Kind::Between {
            low: 0.0,
            high: 1.0,
        },
        "By what the window shrinks: more than 0 and less than 1.",
    )
    .default("0.9")
    .original(Original::new(Read::Float, Wrong::Refuse))
    .example("0.9"),
    Key::count(
        "increaseCheckInterval",
        1,
        i64::MAX,
        "After how many answers growing is considered.",
    )
    .default("10")
    .original(Original::new(Read::Integer, Wrong::Refuse).within(1, i64::MAX))
    .example("10"),
    Key::count(
        "decreaseCheckInterval",
        1,
        i64::MAX,
        "After how many refusals shrinking is considered.",
    )
    .default("10")
    .original(Original::new(Read::Integer, Wrong::Refuse).within(1, i64::MAX))
    .example("10"),
];

const CTRL_LISTENER: Group = &[
    Key::new("bind", Kind::Text(Form::Address), "Address to listen on.")
        .required()
        .example("tls:0.0.0.0:6500"),
    Key::new(
        "address",
        Kind::Text(Form::Address),
        "Another spelling of `bind`, which OpenZiti does not know.",
    )
    .state(State::Alias("bind")),
    Key::new(
        "advertise",
        Kind::Text(Form::Endpoint),
        "Address that controllers dial; that of `bind` by default.",
    )
    .example("tls:router.example.test:6500"),
    Key::new(
        "bindInterface",
        Kind::Text(Form::Filled),
        "Network interface that is announced; found from `bind` by default.",
    )
    .example("eth0"),
    Key::new(
        "groups",
        Kind::OneOrMore(Form::Free),
        "Groups of controllers that may dial.",
    )
    .example("[default]"),
    Key::new(
        "options",
        Kind::Map(&[CHANNEL_QUEUE, CHANNEL, CHANNEL_CONNECT]),
        "Options of the channel.",
    ),
];
