//! Section `healthChecks`.

use crate::table::key::{Key, KeyGroup, ValueType};
use crate::table::openziti_rule::{OnMistake, OpenZitiRule, ReadMode};

const PRINTED: OpenZitiRule = OpenZitiRule::new(ReadMode::ScalarDuration, OnMistake::Refuse);
const SECTION: OpenZitiRule = OpenZitiRule::new(ReadMode::Section, OnMistake::Ignore);

pub(crate) const HEALTH_CHECKS: KeyGroup = &[
    Key::new(
        "ctrlPingCheck",
        ValueType::Map(&[PING_CHECK]),
        "Check that a controller answers. It fails until it first ran.",
    )
    .openziti(SECTION),
    Key::new(
        "linkCheck",
        ValueType::Map(&[LINK_CHECK]),
        "Check that there are links. Until it first ran it passes if `minLinks` is 0.",
    )
    .openziti(SECTION),
];

/// Check of the controllers.
const PING_CHECK: KeyGroup = &[
    Key::interval("interval", "How often the controllers are pinged.")
        .default("30s")
        .openziti(PRINTED)
        .example("30s"),
    Key::duration("timeout", "How long the answer may take.")
        .default("15s")
        .openziti(PRINTED)
        .example("15s"),
    Key::duration("initialDelay", "Wait before the first ping.")
        .default("15s")
        .openziti(PRINTED)
        .example("15s"),
];

/// Check of the links.
const LINK_CHECK: KeyGroup = &[
    Key::interval("interval", "How often the links are counted.")
        .default("5s")
        .openziti(PRINTED)
        .example("5s"),
    Key::count(
        "minLinks",
        0,
        i64::MAX,
        "The check fails below this number of links; at 0 it only reports them.",
    )
    .default("0")
    .openziti(OpenZitiRule::new(ReadMode::Integer, OnMistake::Crash))
    .example("1"),
    Key::duration("initialDelay", "Wait before links are first counted.")
        .default("1s")
        .openziti(PRINTED)
        .example("1s"),
];
