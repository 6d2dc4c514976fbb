//! Section `ctrl`: controllers and how to reach them.

use crate::table::channel::{CHANNEL, CHANNEL_CONNECT, CHANNEL_QUEUE, CTRL_QUEUE, HEARTBEATS};
use crate::table::key::{Key, KeyGroup, KeyState, StringFormat, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};

const CRASH: OpenZitiRule = OpenZitiRule::new(ReadMode::Duration, OnMistake::Crash);

pub(crate) const CTRL: KeyGroup = &[
    Key::new(
        "endpoint",
        ValueType::String(StringFormat::Endpoint),
        "Address of the controller. Either this or `endpoints` is needed. After the first connection \
         the router keeps what the controllers tell it in the endpoints file, which then wins.",
    )
    .example("tls:ctrl.example.test:6262"),
    Key::new(
        "endpoints",
        ValueType::StringList(StringFormat::Endpoint),
        "Addresses of several controllers. Not used when `endpoint` is given.",
    )
    .example("[\"tls:ctrl1.example.test:6262\", \"tls:ctrl2.example.test:6262\"]"),
    Key::new(
        "bind",
        ValueType::String(StringFormat::Interface),
        "Network interface or local IP address from which controllers are dialed.",
    )
    .example("eth0"),
    Key::new(
        "options",
        ValueType::Map(&[CTRL_QUEUE, CHANNEL, CHANNEL_CONNECT]),
        "Options of the channel to the controllers.",
    ),
    Key::new(
        "heartbeats",
        ValueType::Map(&[HEARTBEATS, CTRL_OWN_HEARTBEATS]),
        "Heartbeats between the router and the controllers.",
    )
    .openziti(OpenZitiRule::new(ReadMode::Section, OnMistake::Ignore)),
    Key::duration(
        "defaultRequestTimeout",
        "How long the answer of a controller may take.",
    )
    .default("5s")
    .openziti(CRASH)
    .example("5s"),
    Key::duration(
        "startupTimeout",
        "The router gives up when it has not reached a controller by then; `0s` retries forever.",
    )
    .default("30s")
    .openziti(CRASH)
    .example("30s"),
    Key::new(
        "endpointsFile",
        ValueType::String(StringFormat::NonEmpty),
        "File in which the router keeps the addresses of the controllers. It wins over `endpoint` and \
         `endpoints`. By default `endpoints.yml` beside the configuration.",
    )
    .openziti(OpenZitiRule::new(ReadMode::String, OnMistake::Crash))
    .example("/var/lib/router/endpoints.yml"),
    Key::new(
        "rateLimiter",
        ValueType::Map(&[RATE_LIMITER]),
        "Adaptive window that limits how many requests to the controllers are in flight.",
    ),
    Key::new(
        "listeners",
        ValueType::MapList(&[CTRL_LISTENER]),
        "Where the router itself listens for controllers that dial it.",
    ),
    Key::dead("dataDir", "it belongs to a controller"),
    Key::dead("ha", "it belongs to a controller"),
];

/// Heartbeat options that only the channel to the controllers has.
const CTRL_OWN_HEARTBEATS: KeyGroup = &[Key::duration(
    "unresponsiveAfter",
    "A controller that answers slower than this is used only when no other is available.",
)
.default("5s")
.openziti(OpenZitiRule::new(ReadMode::Duration, OnMistake::Refuse))
.example("5s")];

/// Keys of the rate limiter, in the order in which OpenZiti reads them.
pub(crate) const RATE_LIMITER: KeyGroup = &[
    Key::new("enabled", ValueType::Bool, "Whether requests are limited.")
        .default("true")
        .openziti(OpenZitiRule::new(ReadMode::LenientBool, OnMistake::Ignore))
        .example("true"),
    Key::count("maxSize", 5, 1_000, "Largest window; also the initial one.")
        .default("250")
        .example("250"),
    Key::count(
        "minSize",
        5,
        1_000,
        "Smallest window. Required when the section is present.",
    )
    .required()
    .example("5"),
    Key::duration(
        "timeout",
        "Time after which an unanswered request counts as lost.",
    )
    .default("30s")
    .openziti(OpenZitiRule::new(
        ReadMode::ScalarDuration,
        OnMistake::Refuse,
    ))
    .example("30s"),
    Key::new(
        "successThreshold",
        ValueType::Number { min: 0.0, max: 1.0 },
        "Fraction of answered requests above which the window grows and below which it shrinks. \
         OpenZiti needs a decimal point.",
    )
    .default("0.9")
    .openziti(OpenZitiRule::new(ReadMode::Float, OnMistake::Refuse))
    .example("0.9"),
    Key::new(
        "increaseFactor",
        ValueType::Number {
            min: 1.0,
            max: 100.0,
        },
        "Factor by which the window grows. OpenZiti needs a decimal point.",
    )
    .default("1.02")
    .openziti(OpenZitiRule::new(ReadMode::Float, OnMistake::Refuse))
    .example("1.02"),
    Key::new(
        "decreaseFactor",
        ValueType::ExclusiveRange {
            low: 0.0,
            high: 1.0,
        },
        "Factor by which the window shrinks: more than 0 and less than 1.",
    )
    .default("0.9")
    .openziti(OpenZitiRule::new(ReadMode::Float, OnMistake::Refuse))
    .example("0.9"),
    Key::count(
        "increaseCheckInterval",
        1,
        i64::MAX,
        "Number of answers after which the window may grow.",
    )
    .default("10")
    .openziti(OpenZitiRule::new(ReadMode::Integer, OnMistake::Refuse).within(1, i64::MAX))
    .example("10"),
    Key::count(
        "decreaseCheckInterval",
        1,
        i64::MAX,
        "Number of refusals after which the window may shrink.",
    )
    .default("10")
    .openziti(OpenZitiRule::new(ReadMode::Integer, OnMistake::Refuse).within(1, i64::MAX))
    .example("10"),
];

const CTRL_LISTENER: KeyGroup = &[
    Key::new(
        "bind",
        ValueType::String(StringFormat::Address),
        "Address to listen on.",
    )
    .required()
    .example("tls:0.0.0.0:6500"),
    Key::new(
        "address",
        ValueType::String(StringFormat::Address),
        "Another spelling of `bind`, which OpenZiti does not know.",
    )
    .state(KeyState::Alias("bind")),
    Key::new(
        "advertise",
        ValueType::String(StringFormat::Endpoint),
        "Address that controllers dial; that of `bind` by default.",
    )
    .example("tls:router.example.test:6500"),
    Key::new(
        "bindInterface",
        ValueType::String(StringFormat::NonEmpty),
        "Network interface that is announced; derived from `bind` by default.",
    )
    .example("eth0"),
    Key::new(
        "groups",
        ValueType::StringOrList(StringFormat::Any),
        "Groups of controllers that may dial.",
    )
    .example("[default]"),
    Key::new(
        "options",
        ValueType::Map(&[CHANNEL_QUEUE, CHANNEL, CHANNEL_CONNECT]),
        "Options of the channel.",
    ),
];
