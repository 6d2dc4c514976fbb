//! Durations in Go's notation.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Signed duration in Go's notation, such as `1h30m` or `5000ms`, with Go's range of about 292 years.
///
/// # Examples
///
/// ```
/// use portcullis_yaml::syntax::GoDuration;
///
/// let duration: GoDuration = "1h30m".parse()?;
/// assert_eq!(duration.as_std().map(|duration| duration.as_secs()), Some(5400));
/// assert_eq!(duration.to_string(), "1h30m0s");
/// assert_eq!(duration.brief(), "1h30m");
/// # Ok::<(), portcullis_yaml::syntax::DurationError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration {
    nanoseconds: i64,
}

/// A text is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// The text is empty or just a sign.
    #[error("the number is missing")]
    Empty,
    /// A number has no unit. Only `0` may stand alone.
    #[error("the unit is missing")]
    MissingUnit,
    /// A unit does not exist.
    #[error("the unit is not one of ns, us, ms, s, m, h")]
    UnknownUnit,
    /// A number contains other characters than digits and one decimal point.
    #[error("expected a number before the unit")]
    BadNumber,
    /// The duration is longer than 292 years.
    #[error("the duration is too long")]
    TooLong,
}

impl GoDuration {
    pub const fn from_nanoseconds(nanoseconds: i64) -> Self {
        Self { nanoseconds }
    }

    pub const fn nanoseconds(self) -> i64 {
        self.nanoseconds
    }

    /// The standard duration, unless this is negative.
    pub fn as_std(self) -> Option<Duration> {
        u64::try_from(self.nanoseconds)
            .ok()
            .map(Duration::from_nanos)
    }

    /// As people write it: without trailing units that are zero, such as `5m` and `24h`.
    pub fn brief(self) -> String {
        let text = self.to_string();
        let whole_minutes = text.strip_suffix("m0s").map(|rest| format!("{rest}m"));
        let text = whole_minutes.unwrap_or(text);
        let whole_hours = text.strip_suffix("h0m").map(|rest| format!("{rest}h"));
        whole_hours.unwrap_or(text)
    }
}

impl FromStr for GoDuration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        let (negative, body) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or_default()),
            Some(b'+') => (false, text.get(1..).unwrap_or_default()),
            _ => (false, text),
        };
        if body == "0" {
            return Ok(Self::default());
        }
        if body.is_empty() {
            return Err(DurationError::Empty);
        }
        let mut total: i128 = 0;
        let mut rest = body;
        while !rest.is_empty() {
            let (part, remainder) = parse_component(rest)?;
            total += part;
            if total > 1 << 63 {
                return Err(DurationError::TooLong);
            }
            rest = remainder;
        }
        let signed = if negative { -total } else { total };
        i64::try_from(signed)
            .map(Self::from_nanoseconds)
            .ok()
            .ok_or(DurationError::TooLong)
    }
}

/// Parses one number with its unit and returns its nanoseconds.
fn parse_component(text: &str) -> Result<(i128, &str), DurationError> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err(DurationError::BadNumber);
    }
    let unit_end = rest
        .find(|c: char| c.is_ascii_digit() || c == '.')
        .unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(unit_end);
    let scale: i128 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "" => return Err(DurationError::MissingUnit),
        _ => return Err(DurationError::UnknownUnit),
    };
    let whole: i128 = if whole.is_empty() {
        0
    } else {
        i128::from(whole.parse::<u64>().ok().ok_or(DurationError::TooLong)?)
    };
    Ok((whole * scale + scaled_fraction(fraction, scale), rest))
}

/// Truncates below one nanosecond, as Go does.
fn scaled_fraction(digits: &str, scale: i128) -> i128 {
    let mut rest = scale;
    let mut sum = 0;
    for digit in digits.chars().take(18) {
        rest *= 10;
        sum = sum * 10 + i128::from(digit.to_digit(10).unwrap_or(0));
    }
    let divisor = rest / scale.max(1);
    sum * scale / divisor.max(1)
}

impl fmt::Display for GoDuration {
    /// Formats the duration as Go does: `1h30m0s`, `2.5s`, `15ms`, `0s`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.nanoseconds.unsigned_abs();
        let sign = if self.nanoseconds < 0 { "-" } else { "" };
        let text = match magnitude {
            0 => "0s".to_owned(),
            1..1_000 => format!("{magnitude}ns"),
            1_000..1_000_000 => format!("{}µs", decimal(magnitude, 1_000)),
            1_000_000..1_000_000_000 => format!("{}ms", decimal(magnitude, 1_000_000)),
            _ => {
                let seconds = decimal(magnitude % 60_000_000_000, 1_000_000_000);
                let minutes = magnitude / 60_000_000_000;
                match (minutes / 60, minutes % 60) {
                    (0, 0) => format!("{seconds}s"),
                    (0, minutes) => format!("{minutes}m{seconds}s"),
                    (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
                }
            },
        };
        formatter.pad(&format!("{sign}{text}"))
    }
}

/// Formats `number / scale` without trailing zeros; `scale` is a power of ten.
fn decimal(number: u64, scale: u64) -> String {
    let (whole, fraction) = (number / scale, number % scale);
    if fraction == 0 {
        return whole.to_string();
    }
    let width = usize::try_from(scale.ilog10()).unwrap_or(0);
    format!(
        "{whole}.{}",
        format!("{fraction:0width$}").trim_end_matches('0')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_notation_is_read_and_written() {
        let cases = [
            ("0", 0, "0s"),
            ("0s", 0, "0s"),
            ("+0", 0, "0s"),
            ("5m", 300_000_000_000, "5m0s"),
            ("1h30m", 5_400_000_000_000, "1h30m0s"),
            ("5000ms", 5_000_000_000, "5s"),
            (".5s", 500_000_000, "500ms"),
            ("1.5h", 5_400_000_000_000, "1h30m0s"),
            ("3m3m", 360_000_000_000, "6m0s"),
            ("+1s", 1_000_000_000, "1s"),
            ("-1.25s", -1_250_000_000, "-1.25s"),
            ("1us", 1_000, "1µs"),
            ("1µs500ns", 1_500, "1.5µs"),
            ("1μs", 1_000, "1µs"),
            ("1.s", 1_000_000_000, "1s"),
            ("0.0000000001s", 0, "0s"),
            (
                "9223372036854775807ns",
                i64::MAX,
                "2562047h47m16.854775807s",
            ),
            (
                "-9223372036854775808ns",
                i64::MIN,
                "-2562047h47m16.854775808s",
            ),
        ];
        for (text, nanoseconds, written) in cases {
            let duration = text.parse::<GoDuration>();
            assert_eq!(duration, Ok(GoDuration { nanoseconds }), "{text}");
            assert_eq!(
                duration.map(|duration| duration.to_string()).as_deref(),
                Ok(written),
                "{text}"
            );
        }
    }

    #[test]
    fn trailing_units_that_are_zero_are_left_out() {
        for (nanoseconds, text) in [
            (0, "0s"),
            (1_000_000, "1ms"),
            (30_000_000_000, "30s"),
            (90_000_000_000, "1m30s"),
            (600_000_000_000, "10m"),
            (3_600_000_000_000, "1h"),
            (3_605_000_000_000, "1h0m5s"),
            (36_000_000_000_000, "10h"),
            (-5_400_000_000_000, "-1h30m"),
        ] {
            let duration = GoDuration::from_nanoseconds(nanoseconds);
            assert_eq!(duration.brief(), text);
            assert_eq!(text.parse(), Ok(duration), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_says_why() {
        let cases = [
            ("", DurationError::Empty),
            ("-", DurationError::Empty),
            ("30", DurationError::MissingUnit),
            ("1h30", DurationError::MissingUnit),
            ("1d", DurationError::UnknownUnit),
            ("5 m", DurationError::UnknownUnit),
            ("5sec", DurationError::UnknownUnit),
            ("1M", DurationError::UnknownUnit),
            ("1e3s", DurationError::UnknownUnit),
            ("s", DurationError::BadNumber),
            (".s", DurationError::BadNumber),
            ("1.2.3s", DurationError::BadNumber),
            (" 1s", DurationError::BadNumber),
            ("--1s", DurationError::BadNumber),
            ("9223372036854775808ns", DurationError::TooLong),
            ("2562048h", DurationError::TooLong),
            ("99999999999999999999s", DurationError::TooLong),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<GoDuration>(), Err(expected), "{text}");
        }
    }
}
