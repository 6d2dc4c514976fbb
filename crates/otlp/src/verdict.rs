//! What follows from the answer to a message (OTLP 1.x, "OTLP/HTTP Response").

use portcullis_domain::clock::Timestamp;
use std::time::Duration;

/// Longest time that an endpoint is left alone because it asks for it.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The message has arrived.
    Taken,
    /// It may be repeated, not before the time has passed.
    Repeat(Option<Duration>),
    /// It will not be taken.
    Refused,
}

impl Verdict {
    /// Judges an answer by its status and its header `Retry-After`, in seconds or as a date.
    pub(crate) fn of(status: u16, retry_after: Option<&str>, now: Timestamp) -> Self {
        match status {
            200..=299 => Self::Taken,
            429 | 502 | 503 | 504 => Self::Repeat(retry_after.and_then(|text| wait(text, now))),
            _ => Self::Refused,
        }
    }
}

fn wait(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    let wait = if let Ok(seconds) = text.parse::<u64>() {
        Duration::from_secs(seconds)
    } else {
        let date = Timestamp::try_from(httpdate::parse_http_date(text).ok()?).ok()?;
        Duration::try_from(date.duration_since(now)).unwrap_or_default()
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_answers_ask_for_another_try() {
        let now = Timestamp::from_second(784_111_770).unwrap();
        let verdict = |status, after| Verdict::of(status, after, now);
        let seconds = |seconds| Verdict::Repeat(Some(Duration::from_secs(seconds)));
        assert_eq!(verdict(200, None), Verdict::Taken);
        assert_eq!(verdict(202, None), Verdict::Taken);
        for status in [429, 502, 503, 504] {
            assert_eq!(verdict(status, None), Verdict::Repeat(None));
        }
        for status in [301, 400, 401, 404, 413, 500, 501] {
            assert_eq!(verdict(status, Some("1")), Verdict::Refused);
        }
        assert_eq!(verdict(503, Some(" 3 ")), seconds(3));
        assert_eq!(
            verdict(503, Some("Sun, 06 Nov 1994 08:49:37 GMT")),
            seconds(7)
        );
        assert_eq!(
            verdict(503, Some("Sun, 06 Nov 1994 08:00:00 GMT")),
            seconds(0)
        );
        assert_eq!(verdict(503, Some("99999999")), seconds(600));
        assert_eq!(verdict(503, Some("soon")), Verdict::Repeat(None));
    }
}
