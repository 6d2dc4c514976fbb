//! How long acknowledgements take, and how long they are waited for.

use crate::factor::Factor;
use crate::options::{MIN_ACK_TIMEOUT, Options};
use portcullis_channel::Moment;
use std::time::Duration;

/// Steps by which acknowledgements are given more time when payloads were sent again too early, and less
/// when the window grows.
const MORE: Factor = Factor::from_millionths(200_000);
const LESS: Factor = Factor::from_millionths(10_000);
const MOST: Factor = Factor::from_millionths(10_000_000);
/// How long the shortest round trip counts: a circuit may get another path.
const MEMORY: Duration = Duration::from_secs(10);
/// Round trips that take this much longer than the shortest one are delayed.
const TOLERANCE: Duration = Duration::from_millis(2);

/// The measured round trip.
///
/// It is measured by the clock of this end, from sending a payload once to its acknowledgement. The RTT
/// header is of no use for that: OpenZiti's routers put the time of their own clock there when they
/// forward a payload.
#[derive(Debug)]
pub(crate) struct RoundTrip {
    average: Option<Duration>,
    shortest: Shortest,
    scale: Factor,
}

/// The shortest round trip of the last 10 to 20 seconds.
#[derive(Debug)]
struct Shortest {
    before: Duration,
    now: Duration,
    since: Moment,
}

impl RoundTrip {
    pub(crate) const fn new(options: &Options) -> Self {
        Self {
            average: None,
            shortest: Shortest {
                before: Duration::MAX,
                now: Duration::MAX,
                since: Moment::ZERO,
            },
            scale: options.ack_timeout_scale,
        }
    }

    pub(crate) const fn average(&self) -> Option<Duration> {
        self.average
    }

    pub(crate) const fn scale(&self) -> Factor {
        self.scale
    }

    pub(crate) fn measure(&mut self, sample: Duration, options: &Options, now: Moment) {
        self.shortest.add(sample, now);
        self.average = Some(match self.average {
            None => sample,
            Some(before) => {
                let growth = u32::from(options.max_round_trip_growth);
                let sample = match growth {
                    0 => sample,
                    growth => sample.min(before.max(MIN_ACK_TIMEOUT) * growth.max(2)),
                };
                before.saturating_add(sample) / 2
            },
        });
    }

    /// Whether round trips take longer than they have to: something waits in a queue.
    pub(crate) fn is_delayed(&self) -> bool {
        let shortest = self.shortest.get();
        let usual = shortest
            .saturating_add(shortest / 4)
            .saturating_add(TOLERANCE);
        self.average.is_some_and(|average| average > usual)
    }

    /// How long after it was sent a payload counts as lost.
    pub(crate) fn ack_timeout(&self, options: &Options) -> Duration {
        let timeout = match self.average {
            None => options.first_ack_timeout,
            Some(average) => self
                .scale
                .of_duration(average)
                .saturating_add(options.ack_timeout_margin),
        };
        timeout.min(options.max_ack_timeout).max(MIN_ACK_TIMEOUT)
    }

    pub(crate) fn give_more_time(&mut self) {
        self.scale = self.scale.saturating_add(MORE).min(MOST);
    }

    pub(crate) fn give_less_time(&mut self, options: &Options) {
        let less = self.scale.saturating_sub(LESS);
        self.scale = less.max(options.ack_timeout_scale);
    }
}

impl Shortest {
    fn add(&mut self, sample: Duration, now: Moment) {
        if now.since(self.since) >= MEMORY {
            (self.before, self.now) = (self.now, Duration::MAX);
            self.since = now;
        }
        self.now = self.now.min(sample);
    }

    fn get(&self) -> Duration {
        self.before.min(self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Defect 22 of the original: fast ways have everything sent twice otherwise.
    #[test]
    fn no_payload_counts_as_lost_within_twenty_milliseconds() {
        let options = Options::default();
        let mut round_trip = RoundTrip::new(&options);
        for number in 0..100 {
            let now = Moment::ZERO + Duration::from_millis(number);
            round_trip.measure(Duration::from_micros(50), &options, now);
            round_trip.give_less_time(&options);
            assert!(round_trip.ack_timeout(&options) >= Duration::from_millis(20));
        }
    }
}
