//! Parser of version ranges.

use super::{Bound, Comparator, Version, VersionRangeError};

/// Parses the alternatives of a range, each a list of bounds.
pub(super) fn parse_alternatives(text: &str) -> Result<Vec<Vec<Bound>>, VersionRangeError> {
    split_words(text)
        .split(|word| word == "||")
        .map(|words| match words {
            [] => Err(VersionRangeError::EmptyAlternative),
            words => words.iter().try_fold(Vec::new(), |mut bounds, word| {
                bounds.extend(parse_bounds(word)?);
                Ok(bounds)
            }),
        })
        .collect()
}

/// Splits a range at blanks, except blanks after a comparator.
fn split_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split(' ').filter(|part| !part.is_empty()) {
        match words.last_mut() {
            Some(word) if word.ends_with(['<', '>', '=']) => word.push_str(part),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Parses one word: a bound, or the two bounds of a wildcard.
fn parse_bounds(word: &str) -> Result<Vec<Bound>, VersionRangeError> {
    let digits = word.find(|letter: char| letter.is_ascii_digit());
    let (comparator, version) = word.split_at(digits.unwrap_or(word.len()));
    let comparator = Comparator::parse(comparator)
        .ok_or_else(|| VersionRangeError::InvalidComparator(comparator.to_owned()))?;
    // Any `x` counts as a wildcard, even in a pre-release, where it is invalid.
    if !version.contains('x') {
        let version = Version::parse(version).ok_or_else(|| invalid_version(version))?;
        return Ok(vec![Bound {
            comparator,
            version,
        }]);
    }
    let (first, next) = expand_wildcard(version).ok_or_else(|| invalid_version(version))?;
    let bounds = match comparator {
        Comparator::Less => vec![(Comparator::Less, first)],
        Comparator::LessOrEqual => vec![(Comparator::Less, next)],
        Comparator::GreaterOrEqual => vec![(Comparator::GreaterOrEqual, first)],
        Comparator::Greater => vec![(Comparator::GreaterOrEqual, next)],
        Comparator::Equal => vec![
            (Comparator::GreaterOrEqual, first),
            (Comparator::Less, next),
        ],
        Comparator::NotEqual => return Err(VersionRangeError::NegatedWildcard(word.to_owned())),
    };
    let bound = |(comparator, version)| Bound {
        comparator,
        version,
    };
    Ok(bounds.into_iter().map(bound).collect())
}

/// The half-open range of versions that a wildcard matches.
fn expand_wildcard(text: &str) -> Option<(Version, Version)> {
    let mut parts = text.strip_suffix(".x")?.split('.').map(parse_number);
    let major = parts.next()??;
    let Some(minor) = parts.next() else {
        return Some((
            Version::new(major, 0, 0),
            Version::new(successor(major)?, 0, 0),
        ));
    };
    if parts.next().is_some() {
        return None;
    }
    let minor = minor?;
    Some((
        Version::new(major, minor, 0),
        Version::new(major, successor(minor)?, 0),
    ))
}

/// The next number; edge routers are limited to 63 bits.
fn successor(number: u64) -> Option<u64> {
    i64::try_from(number)
        .ok()?
        .checked_add(1)
        .and_then(|next| u64::try_from(next).ok())
}

/// Parses a version number without leading zeros.
fn parse_number(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_padded = text.len() > 1 && text.starts_with('0');
    (is_plain && !is_padded)
        .then(|| text.parse().ok())
        .flatten()
}

fn invalid_version(text: &str) -> VersionRangeError {
    VersionRangeError::InvalidVersion(text.to_owned())
}

impl Comparator {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "" | "=" | "==" => Self::Equal,
            "!" | "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            _ => return None,
        })
    }
}
