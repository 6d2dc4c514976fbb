//! Argument of `datetime(...)`: an RFC 3339 timestamp with time zone.

use super::blank_length;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// The first instant that can be written as a timestamp in UTC.
const YEAR_ZERO: Timestamp = Timestamp::constant(-62_167_219_200, 0);

/// Scans a timestamp with surrounding white space and the closing parenthesis; returns the length of all
/// that and the instant.
///
/// Second 60 is refused, since leap seconds are not supported.
pub(super) fn scan(text: &str) -> Option<(usize, Timestamp)> {
    let mut cursor = Cursor { text };
    cursor.blanks();
    let civil = cursor.civil()?;
    let offset = cursor.offset()?;
    cursor.blanks();
    cursor.one_of(b")")?;
    // The last hours of the year 9999 are out of range, and an offset can lead before the year 0, which
    // cannot be written. No stored instant is at either end, and both are used to mean "never".
    let instant = offset.to_timestamp(civil).unwrap_or(Timestamp::MAX);
    let instant = instant.max(YEAR_ZERO);
    Some((text.len() - cursor.text.len(), instant))
}

struct Cursor<'t> {
    text: &'t str,
}

impl Cursor<'_> {
    fn blanks(&mut self) {
        self.skip(blank_length(self.text));
    }

    fn skip(&mut self, bytes: usize) {
        self.text = self.text.get(bytes..).unwrap_or_default();
    }

    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let byte = *self.text.as_bytes().first()?;
        if !allowed.contains(&byte) {
            return None;
        }
        self.skip(1);
        Some(byte)
    }

    /// Exactly `width` digits.
    fn digits(&mut self, width: usize) -> Option<i16> {
        let digits = self.text.get(..width)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.skip(width);
        digits.parse().ok()
    }

    /// Two digits up to `most`.
    fn pair(&mut self, most: i8) -> Option<i8> {
        let value = i8::try_from(self.digits(2)?).ok()?;
        (value <= most).then_some(value)
    }

    fn civil(&mut self) -> Option<DateTime> {
        let year = self.digits(4)?;
        self.one_of(b"-")?;
        let month = self.pair(12)?;
        self.one_of(b"-")?;
        let day = self.pair(31)?;
        self.one_of(b"Tt")?;
        let hour = self.pair(23)?;
        self.one_of(b":")?;
        let minute = self.pair(59)?;
        self.one_of(b":")?;
        let second = self.pair(59)?;
        let nanosecond = self.fraction()?;
        DateTime::new(year, month, day, hour, minute, second, nanosecond).ok()
    }

    /// The optional fraction in nanoseconds; digits after the ninth are ignored.
    fn fraction(&mut self) -> Option<i32> {
        if self.one_of(b".").is_none() {
            return Some(0);
        }
        let length = self.text.bytes().take_while(u8::is_ascii_digit).count();
        let digits = self
            .text
            .get(..length.min(9))
            .filter(|digits| !digits.is_empty())?;
        let nanoseconds = format!("{digits:0<9}").parse().ok()?;
        self.skip(length);
        Some(nanoseconds)
    }

    fn offset(&mut self) -> Option<Offset> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(Offset::UTC),
        };
        let hours = i32::from(self.pair(23)?);
        self.one_of(b":")?;
        let minutes = i32::from(self.pair(59)?);
        Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
    }
}
