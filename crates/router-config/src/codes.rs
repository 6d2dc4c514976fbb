//! Stable codes of the diagnostics.

pub use portcullis_yaml::codes::{INVALID_VALUE, MISSING_KEY, NO_VALUE, UNKNOWN_KEY, WRONG_TYPE};

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

/// Codes shared with other users of [`portcullis_yaml`].
const OF_KEYS: &[(&str, &str)] = &[
    (UNKNOWN_KEY, "A key that does not exist at this place."),
    (
        MISSING_KEY,
        "A key that is missing although it is required, or something does not work without it.",
    ),
    (NO_VALUE, "A key without a value."),
    (WRONG_TYPE, "A value of another type than the key accepts."),
    (
        INVALID_VALUE,
        "A value of the right type that the key does not accept.",
    ),
];

/// Codes of findings about the syntax of a file.
const OF_FORM: &[(&str, &str)] = &[
    ("duplicate-key", "A key that is given twice."),
    (
        "merge-overrides",
        "A key that a map merged below it replaces.",
    ),
    ("env-unset", "An environment variable that is not set."),
    (
        "env-limit",
        "Environment variables that make the file too large.",
    ),
    (
        "yaml-second-document",
        "A second document, which is ignored.",
    ),
    ("yaml-empty", "A file without a document."),
    ("yaml-encoding", "Bytes that are not text."),
    (
        "yaml-control-character",
        "A character that YAML does not allow.",
    ),
    (
        "byte-order-mark",
        "A byte order mark at the start of a later line, which belongs to the key there.",
    ),
    ("yaml-syntax", "Text that is not YAML."),
    ("yaml-version", "A version of YAML that is not supported."),
    (
        "yaml-alias",
        "An alias of nothing, or of something that contains it.",
    ),
    ("yaml-key", "A list or a map as a key."),
    ("yaml-merge", "Something that cannot be merged."),
    (
        "yaml-tag",
        "A value that does not have the type that its tag says.",
    ),
    (
        "yaml-limit",
        "Values that are nested too deep, or too many values.",
    ),
    ("too-large", "A file of more than 4 MiB."),
    ("unreadable", "A file that cannot be read from the disk."),
    (
        "too-many-findings",
        "How many findings are left out after the first thousand.",
    ),
];

/// Lists all codes with their meanings, one sentence each.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lists = [OF_KEYS, OF_CONTENT, OF_FORM].into_iter().flatten();
    lists.map(|(code, meaning)| (*code, meaning.trim()))
}
