//! Log lines that clients can cause, as many as a controller writes of its refusals: anybody can be refused as
//! often as he likes, and must not fill the disk that way.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_domain::log_throttle::{LogRateLimits, LogThrottle, SuppressedLines};
use portcullis_domain::peer::Peer;
use tokio::time::sleep;

use crate::clock::RouterClock;

/// Characters of a text of a peer that a line shows.
const MAX_SHOWN: usize = 64;

/// Limits one kind of log line. What is left out is summed up after a second, then once a minute.
#[derive(Clone)]
pub(crate) struct RefusalLog {
    throttle: Arc<Mutex<LogThrottle>>,
    clock: RouterClock,
    summarize: fn(&SuppressedLines),
}

impl RefusalLog {
    /// For lines about clients, with or without SDK: each address has a few, and all together more.
    pub(crate) fn of_clients(clock: RouterClock) -> Self {
        Self::new(LogRateLimits::default(), clock, |suppressed| {
            let (peer, most) = suppressed.heaviest;
            tracing::info!(
                suppressed = suppressed.lines,
                %peer,
                "clients were refused without a line each, {most} of them from {peer}"
            );
        })
    }

    /// For lines about other routers whose links are refused, as for clients.
    pub(crate) fn of_routers(clock: RouterClock) -> Self {
        Self::new(LogRateLimits::default(), clock, |suppressed| {
            let (peer, most) = suppressed.heaviest;
            tracing::warn!(
                suppressed = suppressed.lines,
                %peer,
                "links were refused without a line each, {most} of them from {peer}"
            );
        })
    }

    /// For lines about routes, of which nobody knows whose address they are for.
    pub(crate) fn of_routes(clock: RouterClock) -> Self {
        let all = LogRateLimits::default().all;
        let limits = LogRateLimits { peer: all, all };
        Self::new(limits, clock, |suppressed| {
            tracing::info!(
                suppressed = suppressed.lines,
                "routes of circuits failed without a line each"
            );
        })
    }

    fn new(limits: LogRateLimits, clock: RouterClock, summarize: fn(&SuppressedLines)) -> Self {
        Self {
            throttle: Arc::new(Mutex::new(LogThrottle::new(limits))),
            clock,
            summarize,
        }
    }

    /// Whether a line about a client at this address may be written.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        self.admits_of(Peer::from_address(address))
    }

    /// Whether a line about a route of a controller may be written.
    pub(crate) fn admits_route(&self) -> bool {
        self.admits_of(Peer::CONTROLLER)
    }

    fn admits_of(&self, peer: Peer) -> bool {
        let admission = self.throttle.lock().admit(peer, self.clock.timestamp());
        if let Some(report) = &admission.report {
            (self.summarize)(report);
        }
        if let Some(wait) = admission.poll_after {
            tokio::spawn(self.clone().summarize_later(wait));
        }
        admission.is_admitted
    }

    /// Sums up what was left out, should no later line do so.
    async fn summarize_later(self, wait: Duration) {
        // Both clocks are monotonic, but one counts whole milliseconds.
        sleep(wait + Duration::from_millis(10)).await;
        let report = self.throttle.lock().poll_report(self.clock.timestamp());
        report.as_ref().inspect(|report| (self.summarize)(report));
    }
}

/// What a line shows of a text that a peer chooses: escaped, and cut after [`MAX_SHOWN`] characters.
pub(crate) fn shown(text: &str) -> String {
    let start: String = text.chars().take(MAX_SHOWN).collect();
    let mark = if start.len() < text.len() { "…" } else { "" };
    format!("{}{mark}", start.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::clock::Timestamp;

    #[tokio::test]
    async fn each_client_has_a_few_lines_and_routes_have_more() {
        let clock = RouterClock::start(Timestamp::UNIX_EPOCH);
        let clients = RefusalLog::of_clients(clock);
        for last in [1, 2] {
            let address = IpAddr::from([10, 0, 0, last]);
            let admitted = (0..400).filter(|_| clients.admits(address));
            assert_eq!(admitted.count(), 5);
        }
        let routes = RefusalLog::of_routes(clock);
        let admitted = (0..400).filter(|_| routes.admits_route());
        assert_eq!(admitted.count(), 100);
    }

    #[tokio::test]
    async fn what_is_left_out_is_summed_up_without_another_line() {
        let log = RefusalLog::of_clients(RouterClock::start(Timestamp::UNIX_EPOCH));
        let address = IpAddr::from([10, 0, 0, 1]);
        assert_eq!((0..9).filter(|_| log.admits(address)).count(), 5);
        sleep(Duration::from_millis(1500)).await;
        let now = log.clock.timestamp();
        assert_eq!(log.throttle.lock().poll_report(now), None, "told already");
    }

    #[test]
    fn a_line_shows_little_of_what_a_peer_says() {
        assert_eq!(shown("alice\n"), "alice\\n");
        assert_eq!(shown(&"é".repeat(64)), "é".repeat(64));
        assert_eq!(shown(&"é".repeat(4000)), format!("{}…", "é".repeat(64)));
    }
}
