//! Regular expressions of schemas.

use regex::RegexBuilder;

/// Longest pattern, in bytes.
const LONGEST: usize = 1024;

/// Largest compiled pattern, in bytes. About 250 lower-case words, or a few Unicode classes.
pub(super) const LARGEST: usize = 64 * 1024;

/// Sizes, in bytes, that are tried to find out how large a compiled pattern is.
const SIZES: [usize; 7] = [
    SMALL,
    2 * 1024,
    4 * 1024,
    8 * 1024,
    16 * 1024,
    32 * 1024,
    LARGEST,
];

/// Up to here, a pattern has so few states that all of their sets fit into the table that the
/// engine keeps. A larger one may make it follow every state for every byte of a text.
const SMALL: usize = 1024;

/// Bytes of a compiled pattern for a state, or a little more.
const STATE: usize = 64;

/// How large `pattern` is when it is compiled, in bytes, rounded up.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(super) fn size(pattern: &str) -> Result<usize, String> {
    if pattern.len() > LONGEST {
        return Err(format!(
            "has a pattern longer than {LONGEST} bytes; shorten it"
        ));
    }
    let shown = super::text::shortened(pattern);
    let unknown = || {
        format!(
            "has the pattern `{shown}`, which is not a supported regular expression (lookaround and \
             backreferences are not supported)"
        )
    };
    let translated = jsonschema_regex::to_rust_regex(pattern).map_err(|()| unknown())?;
    for size in SIZES {
        match RegexBuilder::new(&translated).size_limit(size).build() {
            Ok(_) => return Ok(size),
            Err(regex::Error::CompiledTooBig(_)) => {},
            Err(_) => return Err(unknown()),
        }
    }
    Err(format!(
        "has the pattern `{shown}`, which is too complex; simplify it"
    ))
}

/// Steps that a pattern of this size takes for 16 bytes of a text at most.
pub(super) fn steps(size: usize) -> u64 {
    let steps = if size <= SMALL {
        2
    } else {
        16 * (size / STATE)
    };
    u64::try_from(steps).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_as_large_as_what_they_stand_for() {
        for pattern in [
            "^$",
            "[0-9]+(h|m|s|ms)",
            "(a+)+$",
            "^([a-zA-Z0-9])(([.-])?[a-z]+)*$",
        ] {
            assert!(size(pattern).unwrap() <= 16 * 1024, "{pattern}");
        }
        assert!(size(r"^\p{Greek}{1,9}$").unwrap() > 4096);
        assert!(
            size(r"^\w+\d+$").unwrap() <= 4096,
            "as in ECMA 262, of ASCII alone"
        );
    }

    #[test]
    fn what_is_too_large_or_not_linear_is_refused() {
        let long = "a".repeat(LONGEST + 1);
        for pattern in ["(", "(?=a)b", r"(a)\1", "(a{1000}){1000}", &long] {
            assert!(size(pattern).is_err(), "{pattern}");
        }
    }
}
