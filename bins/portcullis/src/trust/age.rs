//! Distances in time, in words.

use jiff::{SignedDuration, Timestamp};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const MONTH: i64 = 30 * DAY + 10 * HOUR;
const YEAR: i64 = 365 * DAY + 6 * HOUR;

/// `17 months`, in the largest unit of which there are two or more.
pub(super) fn in_words(distance: SignedDuration) -> String {
    let seconds = distance.as_secs().abs();
    let units = [
        (YEAR, "years"),
        (MONTH, "months"),
        (DAY, "days"),
        (HOUR, "hours"),
        (MINUTE, "minutes"),
    ];
    let unit = units.into_iter().find(|(unit, _)| seconds >= 2 * unit);
    match unit {
        Some((unit, name)) => format!("{} {name}", seconds / unit),
        None => "a minute".to_owned(),
    }
}

/// `2025-06-01`.
pub(super) fn date(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_told_in_one_unit() {
        for (seconds, words) in [
            (0, "a minute"),
            (-119, "a minute"),
            (2 * MINUTE, "2 minutes"),
            (-(HOUR + 59 * MINUTE), "119 minutes"),
            (47 * HOUR, "47 hours"),
            (59 * DAY, "59 days"),
            (-518 * DAY, "17 months"),
            (3 * YEAR, "3 years"),
        ] {
            let distance = SignedDuration::from_secs(seconds);
            assert_eq!(in_words(distance), words, "{seconds}");
        }
    }

    #[test]
    fn dates_have_no_time() {
        let time = Timestamp::from_second(1_748_736_000).unwrap();
        assert_eq!(date(time), "2025-06-01");
    }
}
