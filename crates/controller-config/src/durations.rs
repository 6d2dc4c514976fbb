//! Durations within bounds.

use std::ops::RangeInclusive;
use std::time::Duration;

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Diagnostics, Field, codes};

/// Reads a duration in a range.
pub(crate) fn read_within(
    field: &Field<'_>,
    range: &RangeInclusive<Duration>,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    let duration = field.duration(diagnostics)?.as_std();
    let fits = duration.filter(|duration| range.contains(duration));
    if fits.is_none() {
        let message = format!("`{}` must be {}", field.path(), display_range(range));
        field.error(codes::OUT_OF_RANGE, message, diagnostics);
    }
    fits
}

/// Renders a range as `from 1m to 24h`.
pub(crate) fn display_range(range: &RangeInclusive<Duration>) -> String {
    let (least, most) = (display(*range.start()), display(*range.end()));
    format!("from {least} to {most}")
}

/// Renders a duration without units that are zero, such as `90s` as `1m30s` and 24 hours as `24h`.
pub(crate) fn display(duration: Duration) -> String {
    let nanoseconds = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    let text = GoDuration::from_nanoseconds(nanoseconds).to_string();
    let whole_minutes = text.strip_suffix("m0s").map(|rest| format!("{rest}m"));
    let text = whole_minutes.unwrap_or(text);
    let whole_hours = text.strip_suffix("h0m").map(|rest| format!("{rest}h"));
    whole_hours.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_that_are_zero_are_left_out() {
        for (seconds, text) in [
            (0, "0s"),
            (30, "30s"),
            (90, "1m30s"),
            (600, "10m"),
            (3600, "1h"),
            (3605, "1h0m5s"),
            (36_000, "10h"),
            (5400, "1h30m"),
        ] {
            assert_eq!(display(Duration::from_secs(seconds)), text);
        }
        assert_eq!(display(Duration::from_millis(1)), "1ms");
    }
}
