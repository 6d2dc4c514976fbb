//! Log lines that clients can cause, of which nobody may cause as many as he likes.

use crate::clock::Clock;
use parking_lot::Mutex;
use portcullis_channel::Moment;
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_domain::log_throttle::{LogRateLimits, LogThrottle};
use portcullis_domain::peer::Peer;
use std::net::IpAddr;

/// Limits lines about clients. What is left out is summed up by the next line.
#[derive(Debug)]
pub(crate) struct RefusalLog {
    throttle: Mutex<LogThrottle>,
    clock: Clock,
}

impl RefusalLog {
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            throttle: Mutex::new(LogThrottle::new(LogRateLimits::default())),
            clock,
        }
    }

    /// Whether a line about a client at this address may be written.
    pub(crate) fn admits(&self, client: IpAddr) -> bool {
        let peer = Peer::from_address(client);
        let admission = self.throttle.lock().admit(peer, self.timestamp());
        if let Some(suppressed) = &admission.report {
            let (peer, most) = suppressed.heaviest;
            tracing::info!(
                suppressed = suppressed.lines,
                %peer,
                "connections failed without a line each, {most} of them from {peer}"
            );
        }
        admission.is_admitted
    }

    /// Only differences count.
    fn timestamp(&self) -> Timestamp {
        let elapsed = self.clock.now().since(Moment::ZERO);
        let elapsed = SignedDuration::try_from(elapsed).unwrap_or(SignedDuration::MAX);
        saturating_add(Timestamp::UNIX_EPOCH, elapsed)
    }
}
