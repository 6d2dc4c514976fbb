//! What routers tell of the messages on their channels, as far as it is shown.

use bytes::Bytes;
use parking_lot::RwLock;
use portcullis_app::fabric;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_metrics::{Counter, Figure, LabelSet, Labelled, Labels, Page};
use portcullis_wire::trace::TraceEvent;
use std::collections::BTreeSet;

/// Bytes of a message as a router decodes it, with the name of its channel. Ours write less of the longest.
const MAX_EVENT: usize = 9 * 1024;

const FIGURE: Figure = Figure {
    name: "portcullis.traces.dropped",
    help: "Traces of routers that were dropped, by reason.",
};

/// The routers that were asked for traces, and what has become of those that came.
#[derive(Debug)]
pub(super) struct RouterTraces {
    /// Also while they are not connected.
    asked: RwLock<BTreeSet<RouterId>>,
    dropped: Labelled<Refusal, Counter>,
}

/// Why a trace is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refusal {
    Unasked,
    TooLong,
}

impl Default for RouterTraces {
    fn default() -> Self {
        Self {
            asked: RwLock::default(),
            dropped: Labelled::new(FIGURE, Counter::default),
        }
    }
}

impl RouterTraces {
    /// Whether traces of a router are taken from now on; returns whether they were before.
    pub(super) fn set_asked(&self, router: &RouterId, is_asked: bool) -> bool {
        let mut asked = self.asked.write();
        if is_asked {
            !asked.insert(router.clone())
        } else {
            asked.remove(router)
        }
    }

    /// An event as it may be shown: as that of the router, without tokens, keys and passwords.
    ///
    /// # Errors
    ///
    /// Why it is dropped, which is counted.
    pub(super) fn admit(
        &self,
        router: &RouterId,
        event: TraceEvent,
    ) -> Result<TraceEvent, Refusal> {
        self.check(router, &event)
            .inspect_err(|refusal| self.dropped.of(refusal).increment())?;
        let mut decoded = String::from_utf8_lossy(event.decoded.expose()).into_owned();
        fabric::redact(&mut decoded);
        Ok(TraceEvent {
            identity: router.as_str().to_owned(),
            // Not a part of the frame, which may be long, and would be kept with it.
            decoded: Bytes::from(decoded).into(),
            ..event
        })
    }

    fn check(&self, router: &RouterId, event: &TraceEvent) -> Result<(), Refusal> {
        if !self.asked.read().contains(router) {
            return Err(Refusal::Unasked);
        }
        let bytes = event
            .decoded
            .expose()
            .len()
            .saturating_add(event.channel.len());
        if bytes > MAX_EVENT {
            return Err(Refusal::TooLong);
        }
        Ok(())
    }

    pub(super) fn expose(&self, page: &mut Page, time: Option<Timestamp>) {
        self.dropped.expose(page, time);
    }
}

impl LabelSet for Refusal {
    fn labels(&self) -> Labels {
        let reason = match self {
            Self::Unasked => "unasked",
            Self::TooLong => "too_long",
        };
        Labels::default().with("reason", reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_channel::{Frame, FrameLimits, Sequence, UnixNanos};
    use portcullis_channel_traces::{Observed, Protocol, event};
    use portcullis_wire::control::ControlMessage;
    use portcullis_wire::control::route::Unroute;

    fn router() -> RouterId {
        RouterId::from_wire("r1")
    }

    fn asked() -> RouterTraces {
        let traces = RouterTraces::default();
        assert!(!traces.set_asked(&router(), true));
        traces
    }

    fn decoded(text: &str) -> TraceEvent {
        TraceEvent {
            identity: "another".to_owned(),
            channel: "ctrl".to_owned(),
            decoded: Bytes::from(text.to_owned()).into(),
            ..TraceEvent::default()
        }
    }

    #[test]
    fn only_routers_that_were_asked_are_heard() {
        let traces = asked();
        let admitted = traces.admit(&router(), decoded("{}")).unwrap();
        assert_eq!(admitted.identity, "r1");
        let other = traces.admit(&RouterId::from_wire("r2"), decoded("{}"));
        assert_eq!(other, Err(Refusal::Unasked));
        assert!(traces.set_asked(&router(), false));
        let late = traces.admit(&router(), decoded("{}"));
        assert_eq!(late, Err(Refusal::Unasked));
        assert_eq!(traces.dropped.of(&Refusal::Unasked).count(), 2);
    }

    #[test]
    fn long_events_are_dropped_and_counted() {
        let traces = asked();
        let rest = MAX_EVENT - "ctrl".len();
        assert!(traces.admit(&router(), decoded(&"x".repeat(rest))).is_ok());
        let long = traces.admit(&router(), decoded(&"x".repeat(rest + 1)));
        assert_eq!(long, Err(Refusal::TooLong));
        let channel = TraceEvent {
            channel: "c".repeat(MAX_EVENT + 1),
            ..TraceEvent::default()
        };
        let long = traces.admit(&router(), channel);
        assert_eq!(long, Err(Refusal::TooLong));
        assert_eq!(traces.dropped.of(&Refusal::TooLong).count(), 2);
    }

    #[test]
    fn the_longest_of_our_routers_is_not_dropped() {
        // Each of these letters takes most when it is written twice, for people and as JSON.
        for letter in ["\"", "\\", "\u{1}", "\u{10ffff}", "x"] {
            let unroute = ControlMessage::Unroute(Unroute {
                circuit_id: letter.repeat(MAX_EVENT),
                ..Unroute::default()
            });
            let message = unroute.encode().unwrap();
            let frame = Frame::new(message, Sequence(1), &FrameLimits::LARGE).unwrap();
            let observed = Observed {
                program: "r1",
                channel: "ctrl",
                protocol: Protocol::Control,
                is_received: true,
                at: UnixNanos(1),
                dropped: u64::MAX,
            };
            assert!(
                asked().admit(&router(), event(observed, &frame)).is_ok(),
                "{letter:?}"
            );
        }
    }

    #[test]
    fn tokens_are_taken_out() {
        let said = r#"{"__message__":"CreateCircuit","sessionToken":"9f1c","token":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJz.c2ln"}"#;
        let admitted = asked().admit(&router(), decoded(said)).unwrap();
        assert_eq!(
            admitted.decoded.expose(),
            r#"{"__message__":"CreateCircuit","sessionToken":"redacted","token":"redacted"}"#
                .as_bytes()
        );
    }
}
