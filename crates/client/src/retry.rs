//! Sending requests again.

use crate::error::ClientError;
use http::{Method, StatusCode};
use std::io;
use std::time::Duration;

/// When a request is sent again, how often, and after which delays.
///
/// What is sent again cannot take effect twice:
///
/// - requests that did not leave, since nothing listened or the way there was interrupted;
/// - requests that the controller turned away with 429 or 503 and `Retry-After`;
/// - idempotent ones (GET, PUT, DELETE, not POST and PATCH) whose answer got lost. A DELETE that had
///   arrived is then answered with 404.
///
/// Delays double, from the first one up to the longest. A random part of each is left out, so that
/// clients that were turned away together do not come back together. The controller's `Retry-After` is
/// waited for in any case, unless that would exceed the time limit: then the answer is returned.
///
/// # Examples
///
/// ```
/// use portcullis_client::RetryPolicy;
/// use std::time::Duration;
///
/// let patient = RetryPolicy::standard()
///     .max_attempts(20)
///     .time_limit(Duration::from_secs(300));
/// assert_ne!(patient, RetryPolicy::never());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    max_attempts: u32,
    first_delay: Duration,
    max_delay: Duration,
    time_limit: Duration,
}

impl RetryPolicy {
    /// Sends each request once. This is what clients do unless they are told otherwise.
    pub const fn never() -> Self {
        Self {
            max_attempts: 1,
            ..Self::standard()
        }
    }

    /// Up to five attempts within 30 seconds, with delays of 100 ms to 5 s.
    pub const fn standard() -> Self {
        Self {
            max_attempts: 5,
            first_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(5),
            time_limit: Duration::from_secs(30),
        }
    }

    /// Sets how often a request is sent at most.
    #[must_use]
    pub const fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the delay after the first attempt, and the longest one.
    #[must_use]
    pub const fn delays(mut self, first: Duration, longest: Duration) -> Self {
        self.first_delay = first;
        self.max_delay = longest;
        self
    }

    /// Sets for how long after the first attempt a further one may begin.
    #[must_use]
    pub const fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// How long to wait until the next attempt; `None` if there is none. `attempt` counts from one,
    /// `elapsed` from the first attempt, and `luck` is a random number from 0 to 255.
    pub(crate) fn delay(
        &self,
        failure: Failure,
        attempt: u32,
        elapsed: Duration,
        luck: u8,
    ) -> Option<Duration> {
        if attempt >= self.max_attempts {
            return None;
        }
        let doubled = self.first_delay.saturating_mul(
            1_u32
                .checked_shl(attempt.saturating_sub(1))
                .unwrap_or(u32::MAX),
        );
        let longest = doubled.min(self.max_delay);
        // Between a half and the whole.
        let random = longest / 2 + (longest / 2).mul_f64(f64::from(luck) / 255.0);
        let delay = random + failure.retry_after.unwrap_or_default();
        (elapsed.saturating_add(delay) <= self.time_limit).then_some(delay)
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::never()
    }
}

/// A failure after which the request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Time that the controller asks to wait.
    retry_after: Option<Duration>,
}

impl Failure {
    /// Judges an answer.
    pub(crate) fn of_status(status: StatusCode, retry_after: Option<u64>) -> Option<Self> {
        let is_busy = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        );
        let retry_after = Some(Duration::from_secs(retry_after.filter(|_| is_busy)?));
        Some(Self { retry_after })
    }

    /// Judges a request without an answer.
    pub(crate) fn of_error(error: &ClientError, method: &Method) -> Option<Self> {
        let may_repeat = match error {
            ClientError::Unreachable { source, .. } => is_passing(source.kind()),
            ClientError::Interrupted { .. } => method.is_idempotent(),
            ClientError::Untrusted { .. }
            | ClientError::Refused(_)
            | ClientError::Denied(_)
            | ClientError::Renewal(_)
            | ClientError::UnexpectedResponse { .. }
            | ClientError::Paging(_)
            | ClientError::InvalidRequest(_) => false,
        };
        may_repeat.then_some(Self { retry_after: None })
    }
}

/// Whether a reason not to get a connection may have gone a moment later.
fn is_passing(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::TimedOut
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILURE: Failure = Failure { retry_after: None };

    fn unreachable(kind: io::ErrorKind) -> ClientError {
        ClientError::Unreachable {
            address: String::new(),
            source: kind.into(),
        }
    }

    #[test]
    fn delays_double_up_to_the_longest() {
        let policy = RetryPolicy::standard().max_attempts(100);
        let millis = |attempt, luck| {
            let delay = policy.delay(FAILURE, attempt, Duration::ZERO, luck);
            delay.unwrap().as_millis()
        };
        let longest: Vec<_> = (1..=8).map(|attempt| millis(attempt, 255)).collect();
        assert_eq!(longest, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!((millis(1, 0), millis(99, 0)), (50, 2500));
    }

    #[test]
    fn attempts_and_time_are_bounded() {
        let policy = RetryPolicy::standard();
        let delay =
            |attempt, elapsed| policy.delay(FAILURE, attempt, Duration::from_secs(elapsed), 255);
        assert!(delay(4, 0).is_some() && delay(5, 0).is_none());
        assert!(delay(1, 29).is_some() && delay(1, 30).is_none());
        let never = RetryPolicy::never();
        assert_eq!(never.delay(FAILURE, 1, Duration::ZERO, 0), None);
    }

    #[test]
    fn controller_says_how_long_to_wait() {
        let policy = RetryPolicy::standard();
        let busy = |status, seconds| Failure::of_status(status, seconds);
        let failure = busy(StatusCode::TOO_MANY_REQUESTS, Some(7)).unwrap();
        let delay = policy.delay(failure, 1, Duration::ZERO, 255);
        assert_eq!(delay, Some(Duration::from_millis(7100)));
        let failure = busy(StatusCode::SERVICE_UNAVAILABLE, Some(60)).unwrap();
        assert_eq!(policy.delay(failure, 1, Duration::ZERO, 255), None);
        assert_eq!(busy(StatusCode::TOO_MANY_REQUESTS, None), None);
        assert_eq!(busy(StatusCode::BAD_REQUEST, Some(1)), None);
    }

    #[test]
    fn nothing_takes_effect_twice() {
        let judge = |error: &ClientError, method| Failure::of_error(error, &method).is_some();
        let refused = unreachable(io::ErrorKind::ConnectionRefused);
        assert!(judge(&refused, Method::POST));
        assert!(!judge(&unreachable(io::ErrorKind::Other), Method::GET));
        let interrupted = ClientError::Interrupted {
            address: String::new(),
            source: io::ErrorKind::ConnectionReset.into(),
        };
        assert!(judge(&interrupted, Method::GET) && judge(&interrupted, Method::DELETE));
        assert!(!judge(&interrupted, Method::POST) && !judge(&interrupted, Method::PATCH));
    }
}
