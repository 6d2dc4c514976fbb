//! Durations in Go's notation, such as `1h30m`.

use portcullis_domain::clock::SignedDuration;

/// Maximum duration in Go, in nanoseconds: about 292 years.
const MAX_NANOSECONDS: u64 = i64::MAX.unsigned_abs();

/// Significant digits of a fraction; any further digits are below a nanosecond.
const MAX_FRACTION_DIGITS: usize = 13;

/// Parses a non-negative duration.
pub(crate) fn parse(text: &str) -> Option<SignedDuration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(SignedDuration::ZERO);
    }
    let mut total: u64 = 0;
    loop {
        let (part, behind) = parse_component(rest)?;
        total = total.checked_add(part)?;
        if behind.is_empty() {
            break;
        }
        rest = behind;
    }
    (total <= MAX_NANOSECONDS).then(|| SignedDuration::from_nanos(total.cast_signed()))
}

/// Formats a duration for [`parse`] and Go.
pub(crate) fn format(duration: SignedDuration) -> String {
    if duration.subsec_nanos() == 0 {
        format!("{}s", duration.as_secs())
    } else {
        format!("{}ns", duration.as_nanos())
    }
}

/// Parses a number with its unit; returns the nanoseconds and the rest of the text.
fn parse_component(text: &str) -> Option<(u64, &str)> {
    let is_of_number = |character: char| character.is_ascii_digit() || character == '.';
    let (number, rest) = text.split_at(text.find(|character| !is_of_number(character))?);
    let (unit, rest) = rest.split_at(rest.find(is_of_number).unwrap_or(rest.len()));
    let scale: u64 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let nanoseconds = whole
        .checked_mul(scale)?
        .checked_add(fraction_of(scale, fraction)?)?;
    Some((nanoseconds, rest))
}

/// The fraction of `scale` given by the digits after the decimal point.
fn fraction_of(scale: u64, digits: &str) -> Option<u64> {
    let mut sum: u128 = 0;
    let mut whole: u128 = 1;
    for digit in digits.chars().take(MAX_FRACTION_DIGITS) {
        sum = sum * 10 + u128::from(digit.to_digit(10)?);
        whole *= 10;
    }
    u64::try_from(u128::from(scale) * sum / whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("0s", 0),
            ("5m", 300_000_000_000),
            ("+1h30m", 5_400_000_000_000),
            ("5000ms", 5_000_000_000),
            (".5s", 500_000_000),
            ("1.5h1s", 5_401_000_000_000),
            ("1.s", 1_000_000_000),
            ("3m3m", 360_000_000_000),
            ("1µs1us500ns", 2_500),
            ("0.0000000001s", 0),
            ("0.0002777777777777777777777h", 999_999_999),
            ("9223372036854775807ns", i64::MAX),
        ] {
            let expected = SignedDuration::from_nanos(nanoseconds);
            assert_eq!(parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn durations_are_written_as_they_are_read() {
        for (nanoseconds, expected) in [
            (0, "0s"),
            (5_400_000_000_000, "5400s"),
            (1_500_000_000, "1500000000ns"),
        ] {
            let duration = SignedDuration::from_nanos(nanoseconds);
            assert_eq!(format(duration), expected);
            assert_eq!(parse(expected), Some(duration));
        }
    }

    #[test]
    fn other_texts_are_no_durations() {
        for text in [
            "",
            "+",
            "soon",
            "5",
            "1h30",
            "1d",
            "5 m",
            "1M",
            "1e3s",
            "s",
            ".s",
            "1.2.3s",
            " 1s",
            "-1s",
            "5m ",
            "9223372036854775808ns",
            "2562048h",
            "99999999999999999999s",
            "5ä",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
