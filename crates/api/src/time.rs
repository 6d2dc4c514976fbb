//! Instants on the wire.

use jiff::fmt::temporal::DateTimePrinter;
use portcullis_domain::clock::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

static PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// An instant as RFC 3339 text in UTC with exactly three fraction digits and `Z`.
///
/// Some clients read nothing else. What is finer than a millisecond is cut off.
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
    /// Reads RFC 3339 text with any offset and any number of fraction digits.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
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
        Self::parse(&text).ok_or_else(|| de::Error::custom("the text is no RFC 3339 instant"))
    }
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
        ] {
            assert_eq!(WireTime::parse(read).unwrap().to_string(), written);
        }
    }

    #[test]
    fn text_without_offset_is_no_instant() {
        for text in [
            "",
            "tomorrow",
            "2031-04-05",
            "2031-04-05T06:07:08",
            "1900000000",
        ] {
            assert_eq!(WireTime::parse(text), None, "{text}");
        }
    }
}
