//! Stable codes of the diagnostics.

use portcullis_yaml::codes::{OF_FORM, OF_KEYS};

pub use portcullis_yaml::codes::{
    INVALID_VALUE, MISSING_KEY, NO_VALUE, OTHER_PROGRAM, UNKNOWN_KEY, WRONG_TYPE,
};

/// Declares codes together with their meanings.
macro_rules! codes {
    ($(#[doc = $meaning:literal] $name:ident = $code:literal;)+) => {
        $(
            #[doc = $meaning]
            pub const $name: &str = $code;
        )+

                /// Codes of findings about the content of a file, with their meanings.
        const OF_CONTENT: &[(&str, &str)] = &[$(($name, $meaning)),+];
    };
}

codes! {
    /// A number or duration outside its bounds.
    OUT_OF_BOUNDS = "out-of-bounds";
    /// Two keys contradict each other.
    CONFLICT = "conflict";
    /// A key or a spelling that something better has replaced.
    DEPRECATED_KEY = "deprecated-key";
    /// A key that is accepted and has no effect.
    DEAD_KEY = "dead-key";
    /// A known key that has no effect where it stands.
    UNUSED_KEY = "unused-key";
    /// An address or a group that nobody can reach.
    UNREACHABLE = "unreachable";
    /// An advertised host that the certificate will not name.
    NOT_IN_SANS = "not-in-sans";
    /// Two listeners want one port.
    PORT_TAKEN = "port-taken";
    /// A section that is not there, and what is lost without it.
    MISSING_SECTION = "missing-section";
    /// A spelling that only Portcullis accepts.
    ONLY_HERE = "only-here";
    /// A document without content.
    EMPTY_DOCUMENT = "empty-document";
    /// Something worth knowing.
    GOOD_TO_KNOW = "good-to-know";
    /// A value that works and probably is not what was meant.
    SUSPICIOUS = "suspicious-value";
}

/// Codes of findings about a file as a whole.
const OF_FILES: &[(&str, &str)] = &[
    (
        OTHER_PROGRAM,
        "A file for another program, such as that of a controller.",
    ),
    ("too-large", "A file of more than 4 MiB."),
    ("unreadable", "A file that cannot be read from the disk."),
];

/// Lists all codes with their meanings, one sentence each.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lists = [OF_KEYS, OF_CONTENT, OF_FORM, OF_FILES]
        .into_iter()
        .flatten();
    lists.map(|(code, meaning)| (*code, meaning.trim()))
}
