//! Times as people read them.

use jiff::fmt::temporal::DateTimePrinter;
use portcullis_domain::clock::{MAX_TIMESTAMP, Timestamp};

static PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(0));

/// Seconds of a unit, its abbreviation, and the count from which the next one is used.
const UNITS: [(u64, &str, u64); 6] = [
    (1, "s", 60),
    (60, "m", 60),
    (60 * 60, "h", 48),
    (24 * 60 * 60, "d", 60),
    (MONTH, "mo", 24),
    (12 * MONTH, "y", u64::MAX),
];

/// The average month, in seconds.
const MONTH: u64 = 2_629_746;

/// RFC 3339 in UTC, to the second. The latest time that controllers know means `never`.
pub(crate) fn absolute(time: impl Into<Timestamp>) -> String {
    let time = time.into();
    if time >= MAX_TIMESTAMP {
        return "never".to_owned();
    }
    PRINTER.timestamp_to_string(&time)
}

/// The distance from now, such as `15m ago` or `in 3d`.
pub(crate) fn relative(time: impl Into<Timestamp>, now: Timestamp) -> String {
    let time = time.into();
    if time >= MAX_TIMESTAMP {
        return "never".to_owned();
    }
    let distance = time.duration_since(now);
    match rounded(distance.as_secs().unsigned_abs()) {
        (0, _) => "now".to_owned(),
        (count, unit) if distance.is_negative() => format!("{count}{unit} ago"),
        (count, unit) => format!("in {count}{unit}"),
    }
}

/// Both forms, such as `2031-04-05T06:07:08Z (15m ago)`.
pub(crate) fn full(time: impl Into<Timestamp>, now: Timestamp) -> String {
    let time = time.into();
    match (absolute(time), relative(time, now)) {
        (absolute, relative) if absolute == relative => absolute,
        (absolute, relative) => format!("{absolute} ({relative})"),
    }
}

/// A number of seconds in the largest unit that fits, rounded to the nearest.
fn rounded(seconds: u64) -> (u64, &'static str) {
    let counts = UNITS.iter().map(|(length, unit, most)| {
        let count = seconds.saturating_add(length / 2) / length;
        (count, *unit, *most)
    });
    let mut fitting = counts.filter(|(count, _, most)| count < most);
    fitting
        .next()
        .map_or((seconds, "s"), |(count, unit, _)| (count, unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::clock::SignedDuration;

    #[test]
    fn distances_are_told_in_one_unit() {
        let now: Timestamp = "2031-04-05T06:07:08.9Z".parse().unwrap();
        for (seconds, text) in [
            (0, "now"),
            (-5, "5s ago"),
            (-59, "59s ago"),
            (-89, "1m ago"),
            (-15 * 60, "15m ago"),
            (-(60 * 60 - 20), "1h ago"),
            (47 * 60 * 60, "in 47h"),
            (3 * 24 * 60 * 60 - 1, "in 3d"),
            (90 * 24 * 60 * 60, "in 3mo"),
            (10 * 365 * 24 * 60 * 60, "in 10y"),
        ] {
            let time = now + SignedDuration::from_secs(seconds);
            assert_eq!(relative(time, now), text);
        }
    }

    #[test]
    fn times_have_no_fractions() {
        let now: Timestamp = "2031-04-05T06:07:08.9Z".parse().unwrap();
        let time = now - SignedDuration::from_mins(15);
        assert_eq!(full(time, now), "2031-04-05T05:52:08Z (15m ago)");
    }

    #[test]
    fn end_of_time_is_never() {
        assert_eq!(full(MAX_TIMESTAMP, Timestamp::UNIX_EPOCH), "never");
    }
}
