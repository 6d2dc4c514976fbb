//! Size and cost of regular expressions in schemas.

use regex::RegexBuilder;

/// Maximum length of a pattern, in bytes.
const MAX_PATTERN_LEN: usize = 1024;

/// Maximum size of a compiled pattern, in bytes: about 250 lower-case words, or a few Unicode classes.
pub(super) const MAX_COMPILED_SIZE: usize = 64 * 1024;

/// Limits, in bytes, that are tried to determine the size of a compiled pattern.
const TRIED_SIZES: [usize; 7] = [
    SMALL_SIZE,
    2 * 1024,
    4 * 1024,
    8 * 1024,
    16 * 1024,
    32 * 1024,
    MAX_COMPILED_SIZE,
];

/// Up to this size, all state sets of a pattern fit into the engine's cache. For a larger one the engine
/// may follow every state for every byte of a text.
const SMALL_SIZE: usize = 1024;

/// Approximate bytes of a compiled pattern per state.
const STATE_SIZE: usize = 64;

/// Size of the compiled `pattern` in bytes, rounded up.
///
/// # Errors
/// A message if the pattern is invalid or too large.
pub(super) fn compiled_size(pattern: &str) -> Result<usize, String> {
    if pattern.len() > MAX_PATTERN_LEN {
        return Err(format!(
            "has a pattern longer than {MAX_PATTERN_LEN} bytes; shorten it"
        ));
    }
    let shown = super::display::truncated(pattern);
    let unknown = || {
        format!(
            "has the pattern `{shown}`, which is not a supported regular expression (lookaround and \
             backreferences are not supported)"
        )
    };
    let translated = jsonschema_regex::to_rust_regex(pattern).map_err(|()| unknown())?;
    for size in TRIED_SIZES {
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

/// Maximum steps that a pattern of this size takes for 16 bytes of text.
pub(super) fn match_steps(size: usize) -> u64 {
    let steps = if size <= SMALL_SIZE {
        2
    } else {
        16 * (size / STATE_SIZE)
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
            assert!(compiled_size(pattern).unwrap() <= 16 * 1024, "{pattern}");
        }
        assert!(compiled_size(r"^\p{Greek}{1,9}$").unwrap() > 4096);
        assert!(
            compiled_size(r"^\w+\d+$").unwrap() <= 4096,
            "as in ECMA 262, of ASCII alone"
        );
    }

    #[test]
    fn what_is_too_large_or_not_linear_is_refused() {
        let long = "a".repeat(MAX_PATTERN_LEN + 1);
        for pattern in ["(", "(?=a)b", r"(a)\1", "(a{1000}){1000}", &long] {
            assert!(compiled_size(pattern).is_err(), "{pattern}");
        }
    }
}
