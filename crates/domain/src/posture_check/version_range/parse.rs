//! From the text of a range to its bounds.

use super::{Bound, Comparator, RangeError, Version};

/// Reads the alternatives of a range, each a list of bounds.
pub(super) fn alternatives(text: &str) -> Result<Vec<Vec<Bound>>, RangeError> {
    words(text)
        .split(|word| word == "||")
        .map(|words| match words {
            [] => Err(RangeError::NoBounds),
            words => words.iter().try_fold(Vec::new(), |mut bounds, word| {
                bounds.extend(read(word)?);
                Ok(bounds)
            }),
        })
        .collect()
}

/// The words of a range: what blanks separate, unless they stand after a comparator.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split(' ').filter(|part| !part.is_empty()) {
        match words.last_mut() {
            Some(word) if word.ends_with(['<', '>', '=']) => word.push_str(part),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Reads one word: a bound, or two that stand for a wildcard.
fn read(word: &str) -> Result<Vec<Bound>, RangeError> {
    let digits = word.find(|letter: char| letter.is_ascii_digit());
    let (comparator, version) = word.split_at(digits.unwrap_or(word.len()));
    let comparator = Comparator::read(comparator)
        .ok_or_else(|| RangeError::NoComparator(comparator.to_owned()))?;
    // An `x` is a wildcard wherever it stands, in a pre-release too, where none may stand.
    if !version.contains('x') {
        let version = Version::parse(version).ok_or_else(|| no_version(version))?;
        return Ok(vec![Bound {
            comparator,
            version,
        }]);
    }
    let (first, next) = wildcard(version).ok_or_else(|| no_version(version))?;
    let bounds = match comparator {
        Comparator::Less => vec![(Comparator::Less, first)],
        Comparator::LessOrEqual => vec![(Comparator::Less, next)],
        Comparator::GreaterOrEqual => vec![(Comparator::GreaterOrEqual, first)],
        Comparator::Greater => vec![(Comparator::GreaterOrEqual, next)],
        Comparator::Equal => vec![
            (Comparator::GreaterOrEqual, first),
            (Comparator::Less, next),
        ],
        Comparator::NotEqual => return Err(RangeError::WildcardExcluded(word.to_owned())),
    };
    let bound = |(comparator, version)| Bound {
        comparator,
        version,
    };
    Ok(bounds.into_iter().map(bound).collect())
}

/// The first version that a wildcard stands for, and the first one after all that it stands for.
fn wildcard(text: &str) -> Option<(Version, Version)> {
    let mut parts = text.strip_suffix(".x")?.split('.').map(number);
    let major = parts.next()??;
    let Some(minor) = parts.next() else {
        return Some((
            Version::of(major, 0, 0),
            Version::of(successor(major)?, 0, 0),
        ));
    };
    if parts.next().is_some() {
        return None;
    }
    let minor = minor?;
    Some((
        Version::of(major, minor, 0),
        Version::of(major, successor(minor)?, 0),
    ))
}

/// The number after `number`; edge routers count up to the largest one of 63 bits.
fn successor(number: u64) -> Option<u64> {
    i64::try_from(number)
        .ok()?
        .checked_add(1)
        .and_then(|next| u64::try_from(next).ok())
}

/// Reads a number of a version, which does not begin with a zero unless it is one.
fn number(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_padded = text.len() > 1 && text.starts_with('0');
    (is_plain && !is_padded)
        .then(|| text.parse().ok())
        .flatten()
}

fn no_version(text: &str) -> RangeError {
    RangeError::NoVersion(text.to_owned())
}

impl Comparator {
    fn read(text: &str) -> Option<Self> {
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
