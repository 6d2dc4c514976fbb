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

/// Renders a duration as bounds of keys are rendered, such as `90s` as `1m30s` and 24 hours as `24h`.
pub(crate) fn display(duration: Duration) -> String {
    let nanoseconds = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    GoDuration::from_nanoseconds(nanoseconds).brief()
}
