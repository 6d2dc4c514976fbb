//! Delivery of messages, with repetitions.

use crate::statistics::{Signal, Statistics};
use crate::verdict::Verdict;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use portcullis_domain::clock::Clock;
use portcullis_domain::error_sources::with_sources;
use portcullis_fetch::{FetchError, PostAnswer, Poster};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use url::Url;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

const METRICS_PATH: [&str; 2] = ["v1", "metrics"];
const TRACES_PATH: [&str; 2] = ["v1", "traces"];

/// Where messages go, and what is shared by all of them.
pub(crate) struct Endpoint {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) poster: Poster,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) statistics: Arc<Statistics>,
    /// Ends pauses: what cannot be delivered now is given up.
    pub(crate) stop: CancellationToken,
    pub(crate) outage: Outage,
}

/// Whether messages do not arrive, so that the log tells it once. One bit for each signal.
#[derive(Debug, Default)]
pub(crate) struct Outage(AtomicU8);

/// Messages of one signal.
pub(crate) struct Delivery {
    endpoint: Arc<Endpoint>,
    signal: Signal,
    url: Url,
    headers: HeaderMap,
    /// The endpoint has asked to be left alone until then.
    not_before: Option<Instant>,
}

/// A message has not arrived, which is counted and in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undelivered;

/// Why another attempt is to be made.
enum Attempt {
    Taken(Bytes),
    /// After this time, if the endpoint has said so.
    Repeat(Option<Duration>),
    /// Nobody has answered.
    Unanswered,
    Refused,
}

impl Delivery {
    pub(crate) fn new(endpoint: Arc<Endpoint>, signal: Signal) -> Self {
        let mut url = endpoint.url.clone();
        let path = match signal {
            Signal::Metrics => METRICS_PATH,
            Signal::Traces => TRACES_PATH,
        };
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let mut headers = endpoint.headers.clone();
        let protobuf = HeaderValue::from_static("application/x-protobuf");
        headers.insert(header::CONTENT_TYPE, protobuf);
        Self {
            endpoint,
            signal,
            url,
            headers,
            not_before: None,
        }
    }

    /// Delivers a message within `budget`, and returns the answer.
    pub(crate) async fn deliver(
        &mut self,
        message: Bytes,
        budget: Duration,
    ) -> Result<Bytes, Undelivered> {
        let give_up = Instant::now() + budget;
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(time) = self.not_before {
                if time > give_up {
                    return Err(self.fail());
                }
                sleep_until(time).await;
                self.not_before = None;
            }
            let asked = match self.attempt(message.clone()).await {
                Attempt::Taken(answer) => {
                    self.endpoint
                        .statistics
                        .of(self.signal)
                        .delivered
                        .increment();
                    return Ok(answer);
                },
                Attempt::Refused => return Err(self.fail()),
                Attempt::Unanswered if self.endpoint.stop.is_cancelled() => {
                    return Err(self.fail());
                },
                Attempt::Repeat(asked) => asked,
                Attempt::Unanswered => None,
            };
            if let Some(asked) = asked {
                self.not_before = Some(Instant::now() + asked);
            }
            let next = Instant::now() + pause.max(asked.unwrap_or_default()) + jitter(pause);
            if next > give_up {
                return Err(self.fail());
            }
            self.endpoint
                .statistics
                .of(self.signal)
                .repeated
                .increment();
            self.wait_until(next).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Waits for the next attempt, which comes at once when all is to end.
    async fn wait_until(&self, next: Instant) {
        let stop = &self.endpoint.stop;
        if stop.is_cancelled() {
            sleep_until(next).await;
        } else {
            stop.run_until_cancelled(sleep_until(next)).await;
        }
    }

    async fn attempt(&self, message: Bytes) -> Attempt {
        let Endpoint {
            poster,
            clock,
            outage,
            ..
        } = &*self.endpoint;
        match poster.post(&self.url, &self.headers, message).await {
            Ok(PostAnswer {
                status,
                retry_after,
                body,
            }) => {
                let verdict = Verdict::of(status, retry_after.as_deref(), clock.now());
                if verdict == Verdict::Taken {
                    outage.end(self.signal);
                } else {
                    outage.begin(self.signal, &format!("it answers with status {status}"));
                }
                match verdict {
                    Verdict::Taken => Attempt::Taken(body),
                    Verdict::Repeat(asked) => Attempt::Repeat(asked),
                    Verdict::Refused => Attempt::Refused,
                }
            },
            Err(error) => {
                outage.begin(self.signal, &with_sources(&error));
                match error {
                    FetchError::Credentials { .. }
                    | FetchError::InvalidRequest { .. }
                    | FetchError::Scheme { .. } => Attempt::Refused,
                    _ => Attempt::Unanswered,
                }
            },
        }
    }

    fn fail(&self) -> Undelivered {
        self.endpoint.statistics.of(self.signal).failed.increment();
        Undelivered
    }
}

impl Outage {
    const fn bit(signal: Signal) -> u8 {
        match signal {
            Signal::Metrics => 1,
            Signal::Traces => 2,
        }
    }

    fn begin(&self, signal: Signal, reason: &str) {
        let before = self.0.fetch_or(Self::bit(signal), Ordering::Relaxed);
        let signal = signal.name();
        if before == 0 {
            tracing::warn!(
                signal,
                reason,
                "the OTLP endpoint does not take what it is sent; it is tried again"
            );
        } else {
            tracing::debug!(
                signal,
                reason,
                "the OTLP endpoint still does not take what it is sent"
            );
        }
    }

    fn end(&self, signal: Signal) {
        let bit = Self::bit(signal);
        if self.0.fetch_and(!bit, Ordering::Relaxed) == bit {
            tracing::info!("the OTLP endpoint takes what it is sent again");
        }
    }
}

/// Up to a quarter of a pause, so that many do not come back at the same time.
fn jitter(pause: Duration) -> Duration {
    let thousandth = RandomState::new().hash_one(0) % 250;
    pause * u32::try_from(thousandth).unwrap_or(0) / 1000
}
