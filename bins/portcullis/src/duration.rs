//! Durations as people write them.

use jiff::SignedDuration;

/// Parses a duration; errors show `examples`.
pub(crate) fn parse(text: &str, examples: &str) -> Result<SignedDuration, String> {
    text.parse().map_err(|_unreadable: jiff::Error| {
        format!("a duration is a number with a unit, such as {examples}")
    })
}

/// Parses a duration that is longer than 0.
pub(crate) fn parse_positive(text: &str) -> Result<SignedDuration, String> {
    let duration = parse(text, "`90m` or `48h`")?;
    if duration > SignedDuration::ZERO {
        Ok(duration)
    } else {
        Err("must be longer than 0".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, minutes) in [("90m", 90), ("48h", 2880), ("1h 30m", 90), ("PT2H", 120)] {
            assert_eq!(
                parse_positive(text),
                Ok(SignedDuration::from_mins(minutes)),
                "{text}"
            );
        }
        for text in ["", "soon", "0s", "-1h", "5"] {
            assert!(parse_positive(text).is_err(), "{text}");
        }
    }
}
