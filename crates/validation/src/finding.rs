//! What people are told.

use portcullis_domain::clock::Timestamp;
use std::fmt;

const BEFORE_TIME: &str = " (since ";
const AFTER_TIME: &str = ")";

/// Something that is not as it should be. Its text is a sentence without a full stop, in one line.
pub trait Finding: fmt::Display + fmt::Debug {
    /// What to do about it.
    fn advice(&self) -> &'static str;

    /// Since when there is what this is about, if the controller knows: it has not been so for longer.
    fn since(&self) -> Option<Timestamp> {
        None
    }
}

/// The text of a finding with its time, for messages that have no other place for it: `… (since
/// 2031-02-03T04:05:06Z)`. [`split_time`] takes it apart.
pub(crate) fn with_time(finding: &dyn Finding) -> String {
    match finding.since() {
        Some(since) => {
            let since = since.strftime("%Y-%m-%dT%H:%M:%SZ");
            format!("{finding}{BEFORE_TIME}{since}{AFTER_TIME}")
        },
        None => finding.to_string(),
    }
}

/// The text of a finding as messages have it, without its time, and since when there is what it is about.
pub fn split_time(text: &str) -> (&str, Option<Timestamp>) {
    let parts = text.strip_suffix(AFTER_TIME);
    let parts = parts.and_then(|text| text.rsplit_once(BEFORE_TIME));
    match parts.and_then(|(text, time)| Some((text, time.parse().ok()?))) {
        Some((text, since)) => (text, Some(since)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Lost(Option<Timestamp>);

    impl fmt::Display for Lost {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("it is lost (since long)")
        }
    }

    impl Finding for Lost {
        fn advice(&self) -> &'static str {
            "Find it."
        }

        fn since(&self) -> Option<Timestamp> {
            self.0
        }
    }

    #[test]
    fn time_is_in_the_text_and_found_there() {
        let since = "2031-02-03T04:05:06.789Z".parse().unwrap();
        let text = with_time(&Lost(Some(since)));
        assert_eq!(text, "it is lost (since long) (since 2031-02-03T04:05:06Z)");
        let whole = "2031-02-03T04:05:06Z".parse().ok();
        assert_eq!(split_time(&text), ("it is lost (since long)", whole));
        let text = with_time(&Lost(None));
        assert_eq!(split_time(&text), ("it is lost (since long)", None));
    }
}
