//! Timestamps in RFC 3339.

use jiff::civil::DateTime;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::Offset;
use portcullis_domain::clock::{MAX_TIMESTAMP, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

static PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// An instant as RFC 3339 text in UTC with exactly three fraction digits and `Z`.
///
/// Some clients parse no other form. Anything below a millisecond is truncated.
///
/// # Examples
///
/// ```
/// use portcullis_api::time::WireTime;
/// use portcullis_domain::clock::Timestamp;
///
/// let time = WireTime::from(Timestamp::UNIX_EPOCH);
/// assert_eq!(time.to_string(), "1970-01-01T00:00:00.000Z");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WireTime(pub Timestamp);

impl WireTime {
    /// Parses RFC 3339 text (section 5.6) with any offset and any number of fraction digits.
    ///
    /// Instants after [`MAX_TIMESTAMP`], in the last hours of the year 9999, become [`MAX_TIMESTAMP`]: they are used
    /// to mean "never".
    pub fn parse(text: &str) -> Option<Self> {
        let (civil, offset) = split_at_offset(text)?;
        let instant = civil.parse::<DateTime>().ok()?;
        match offset.to_timestamp(instant) {
            Ok(instant) => Some(Self(instant.min(MAX_TIMESTAMP))),
            Err(_) => (instant.year() == 9999).then_some(Self(MAX_TIMESTAMP)),
        }
    }
}

impl From<Timestamp> for WireTime {
    fn from(instant: Timestamp) -> Self {
        Self(instant)
    }
}

impl From<WireTime> for Timestamp {
    fn from(time: WireTime) -> Self {
        time.0
    }
}

impl fmt::Display for WireTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&PRINTER.timestamp_to_string(&self.0))
    }
}

impl fmt::Debug for WireTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for WireTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WireTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            de::Error::custom("must be an RFC 3339 timestamp such as 2031-01-02T03:04:05Z")
        })
    }
}

/// Splits an RFC 3339 `date-time` into the civil time and the value of the offset.
fn split_at_offset(text: &str) -> Option<(&str, Offset)> {
    let seconds = "0000-00-00T00:00:00";
    let is_in_place = |(index, expected): (usize, u8)| match (expected, text.as_bytes().get(index))
    {
        (b'0', Some(byte)) => byte.is_ascii_digit(),
        (expected, Some(byte)) => byte.eq_ignore_ascii_case(&expected),
        (_, None) => false,
    };
    if !seconds.bytes().enumerate().all(is_in_place) {
        return None;
    }
    let fraction = text.get(seconds.len()..)?;
    let digits = fraction.strip_prefix('.').map_or(Some(0), |digits| {
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        (count > 0).then_some(count + 1)
    })?;
    let (civil, offset) = text.split_at_checked(seconds.len() + digits)?;
    Some((civil, parse_offset(offset)?))
}

/// Parses `Z` or `±hh:mm`.
fn parse_offset(text: &str) -> Option<Offset> {
    if text.eq_ignore_ascii_case("z") {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.as_bytes() {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let [h1, h2, b':', m1, m2] = rest else {
        return None;
    };
    let two = |tens: &u8, ones: &u8| {
        (tens.is_ascii_digit() && ones.is_ascii_digit())
            .then(|| i32::from(tens - b'0') * 10 + i32::from(ones - b'0'))
    };
    let (hours, minutes) = (two(h1, h2)?, two(m1, m2)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 60 + minutes) * 60).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_have_three_fraction_digits() {
        for (read, written) in [
            ("2031-04-05T06:07:08Z", "2031-04-05T06:07:08.000Z"),
            ("2031-04-05T06:07:08.009Z", "2031-04-05T06:07:08.009Z"),
            ("2031-04-05T06:07:08.9999Z", "2031-04-05T06:07:08.999Z"),
            ("2031-04-05T08:07:08.5+02:00", "2031-04-05T06:07:08.500Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("2031-04-05t06:07:08z", "2031-04-05T06:07:08.000Z"),
            ("2031-04-05T06:07:08-05:30", "2031-04-05T11:37:08.000Z"),
            ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00.000Z"),
            ("9999-12-31T23:59:59Z", "9999-12-30T22:00:00.000Z"),
            ("9999-12-31T23:59:59-14:00", "9999-12-30T22:00:00.000Z"),
        ] {
            assert_eq!(WireTime::parse(read).unwrap().to_string(), written);
        }
    }

    #[test]
    fn text_of_another_form_is_no_instant() {
        for text in [
            "",
            "tomorrow",
            "2031-04-05",
            "2031-04-05T06:07:08",
            "1900000000",
            "2031-04-05 06:07:08Z",
            "2031-04-05T06:07Z",
            "2031-04-05T06:07:08.Z",
            "2031-04-05T06:07:08+0200",
            "2031-04-05T06:07:08+24:00",
            "2031-04-05T06:07:08Z[UTC]",
            "2031-02-29T06:07:08Z",
            "2031-04-05T24:00:00Z",
            "10000-01-01T00:00:00Z",
            "2031-04-05T06:07:08Zä",
        ] {
            assert_eq!(WireTime::parse(text), None, "{text}");
        }
    }
}
