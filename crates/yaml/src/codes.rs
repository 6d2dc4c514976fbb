//! Codes of diagnostics about sections and fields.

/// A key that does not exist here.
pub const UNKNOWN_KEY: &str = "unknown-key";
/// A file for another program.
pub const OTHER_PROGRAM: &str = "other-program";
/// A key that exists in OpenZiti and has no effect here.
pub const IGNORED_KEY: &str = "ignored-key";
/// A required key is missing.
pub const MISSING_KEY: &str = "missing-key";
/// A key without a value.
pub const NO_VALUE: &str = "no-value";
/// A value of the wrong type.
pub const WRONG_TYPE: &str = "wrong-type";
/// A value of the right type that is not allowed.
pub const INVALID_VALUE: &str = "invalid-value";
/// A number or duration that is out of bounds.
pub const OUT_OF_RANGE: &str = "out-of-range";

/// Codes of findings about keys and values, with their meanings.
pub const OF_KEYS: &[(&str, &str)] = &[
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

/// Codes of findings about the syntax of a file, with their meanings.
pub const OF_FORM: &[(&str, &str)] = &[
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
    (
        "too-many-findings",
        "How many findings are left out after the first thousand.",
    ),
];
