//! Codes of diagnostics in addition to those of [`portcullis_yaml`].

use portcullis_yaml::codes::{OF_FORM, OF_KEYS};

/// Two keys contradict each other and one of them is not used.
pub const UNUSED: &str = "unused";
/// A setting weakens security.
pub const WEAKENED: &str = "weakened";
/// A setting would weaken security and is ignored.
pub const STRICTER: &str = "stricter";
/// The version of the format is not 3.
pub const VERSION: &str = "version";
/// The address advertised to clients is not served.
pub const UNSERVED_ADDRESS: &str = "unserved-address";
/// Two listeners use the same port.
pub const PORT_TAKEN: &str = "port-taken";
/// Two web applications of a listener use the same path.
pub const PATH_TAKEN: &str = "path-taken";
/// Two keys name one file.
pub const FILE_TAKEN: &str = "file-taken";
/// An advertised address leads others to themselves.
pub const UNREACHABLE_ADDRESS: &str = "unreachable-address";

/// Codes of findings about the content of a file, with their meanings.
const OF_CONTENT: &[(&str, &str)] = &[
    (
        portcullis_yaml::codes::IGNORED_KEY,
        "A key of OpenZiti that has no effect here.",
    ),
    (
        portcullis_yaml::codes::OUT_OF_RANGE,
        "A number or duration outside its bounds.",
    ),
    (
        UNUSED,
        "Two keys that contradict each other; one of them is not used.",
    ),
    (WEAKENED, "A setting that weakens security."),
    (
        STRICTER,
        "A setting that would weaken security and is not taken.",
    ),
    (VERSION, "A version of the format other than 3."),
    (
        UNSERVED_ADDRESS,
        "An address that clients are told and that no listener serves.",
    ),
    (PORT_TAKEN, "Two bind points that want one port."),
    (
        PATH_TAKEN,
        "Two web applications of a listener that want one path.",
    ),
    (
        FILE_TAKEN,
        "Two keys that name one file, which can only be written for one of them.",
    ),
    (
        UNREACHABLE_ADDRESS,
        "An address that clients are told and that leads them to themselves.",
    ),
    (
        portcullis_yaml::codes::OTHER_PROGRAM,
        "A file for another program, such as that of a router.",
    ),
];

/// Lists all codes with their meanings, one sentence each.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    [OF_KEYS, OF_CONTENT, OF_FORM]
        .into_iter()
        .flatten()
        .copied()
}
