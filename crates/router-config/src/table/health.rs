//! `healthChecks`: what the health API reports.

use crate::table::key::{Group, Key, Kind};
use crate::table::original::{Original, Read, Wrong};

const PRINTED: Original = Original::new(Read::Printed, Wrong::Refuse);

/// The section.
pub(crate) const HEALTH_CHECKS: Group = &[
    Key::new(
        "ctrlPingCheck",
        Kind::Map(&[PING_CHECK]),
        "Check that a controller answers. It fails until it first ran.",
    ),
    Key::new(
        "linkCheck",
        Kind::Map(&[LINK_CHECK]),
        "Check that there are links. Until it first ran it passes if `minLinks` is 0.",
    ),
];

/// Check of the controllers.
pub(crate) const PING_CHECK: Group = &[
    Key::interval("interval", "How often the controllers are pinged.")
        .default("30s")
        .original(PRINTED)
        .example("30s"),
    Key::duration("timeout", "How long the answer may take.")
        .default("15s")
        .original(PRINTED)
        .example("15s"),
    Key::duration("initialDelay", "Wait before the first ping.")
        .default("15s")
        .original(PRINTED)
        .example("15s"),
];

/// Check of the links.
pub(crate) const LINK_CHECK: Group = &[
    Key::interval("interval", "How often the links are counted.")
        .default("5s")
        .original(PRINTED)
        .example("5s"),
    Key::count(
        "minLinks",
        0,
        i64::MAX,
        "The check fails below this number of links; at 0 it only reports them.",
    )
    .default("0")
    .original(Original::new(Read::Integer, Wrong::Crash))
    .example("1"),
    Key::duration("initialDelay", "Wait before links are first counted.")
        .default("1s")
        .original(PRINTED)
        .example("1s"),
];
