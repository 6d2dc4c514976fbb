//! Spans of time for people.

use portcullis_domain::clock::SignedDuration;

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;
/// A twelfth of a year.
const MONTH: i64 = 365 * DAY / 12;
const YEAR: i64 = 365 * DAY;

/// A span in the largest unit of which it has at least two, such as `17 months`.
pub(crate) fn describe_span(span: SignedDuration) -> String {
    let minutes = span.as_secs().abs() / 60;
    let units = [
        (YEAR, "year"),
        (MONTH, "month"),
        (DAY, "day"),
        (HOUR, "hour"),
    ];
    let fitting = units.iter().find(|(length, _)| minutes >= 2 * length);
    let (length, unit) = fitting.unwrap_or(&(1, "minute"));
    match minutes / length {
        0 => "less than a minute".to_owned(),
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_in_a_unit_that_suits_them() {
        for (minutes, expected) in [
            (0, "less than a minute"),
            (1, "1 minute"),
            (119, "119 minutes"),
            (120, "2 hours"),
            (2 * DAY - 1, "47 hours"),
            (2 * DAY, "2 days"),
            (60 * DAY, "60 days"),
            (62 * DAY, "2 months"),
            (540 * DAY, "17 months"),
            (3 * YEAR, "3 years"),
        ] {
            for sign in [1, -1] {
                let span = SignedDuration::from_mins(sign * minutes);
                assert_eq!(describe_span(span), expected, "{minutes}");
            }
        }
    }
}
