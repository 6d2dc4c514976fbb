//! The task of an end.

mod local;
mod outgoing;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use portcullis_channel::{Moment, Now};
use portcullis_forwarding::{Activity, Hop, TraceStep, trace_step};
use portcullis_memory_budget::Account;
use portcullis_wire::xgress::{Control, ControlKind};
use portcullis_xgress::{EndReason, Endpoint, EndpointEvent};

use super::inbox::{Inbox, Wishes};
use super::local_side::LocalSide;
use super::metrics::EndMeter;
use super::timer::Timer;
use crate::circuit_message::CircuitMessage;
use crate::relay::{Destination, EndView, Relay};

use self::local::{Reading, Writing};
use self::outgoing::Blocked;

/// Turns after which other tasks have theirs.
const TURNS: usize = 32;

/// What an idle end counts as, in bytes.
const IDLE: usize = 4 << 10;

/// What an end is charged in its identity's share even while it holds less: it may fill at any time.
const RESERVED: usize = 32 << 10;

/// An end: a future that is ready when nothing is left of it.
pub(super) struct End<L: LocalSide> {
    relay: Arc<Relay>,
    hop: Hop,
    inbox: Arc<Inbox>,
    /// Taken out of the inbox.
    messages: VecDeque<CircuitMessage>,
    endpoint: Endpoint,
    /// What the end and its local side hold.
    memory: Account,
    meter: EndMeter,
    local: L,
    reading: Reading,
    writing: Writing,
    blocked: Option<Blocked>,
    is_started: bool,
    phase: Phase,
    /// How long the local side may take for what has come out of the circuit before it was over.
    patience: Duration,
    timer: Timer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Carrying,
    /// The circuit is not carried any more. What has arrived still goes to the local side.
    Unrouted {
        until: Moment,
    },
    /// The circuit is over. What the local side was given, it still works on.
    Closing {
        why: EndReason,
        until: Moment,
    },
}

/// What follows a turn.
enum Turn {
    Again,
    Wait { until: Option<Moment> },
    Over,
}

impl<L: LocalSide> End<L> {
    pub(super) fn new(
        relay: Arc<Relay>,
        hop: Hop,
        inbox: Arc<Inbox>,
        endpoint: Endpoint,
        meter: EndMeter,
        patience: Duration,
        local: L,
    ) -> Self {
        Self {
            memory: Account::reserving(&inbox.budget(), RESERVED),
            relay,
            hop,
            inbox,
            messages: VecDeque::new(),
            endpoint,
            meter,
            local,
            reading: Reading::Open,
            writing: Writing::Open,
            blocked: None,
            is_started: false,
            phase: Phase::Carrying,
            patience,
            timer: Timer::default(),
        }
    }

    fn turn(&mut self, context: &mut Context<'_>) -> Turn {
        let now = self.relay.clock().now();
        let allowance = self.memory.budget().allowance();
        self.endpoint.set_allowance(allowance, now);
        self.take_inbox(now);
        match self.phase {
            Phase::Carrying => self.carry(context, now),
            Phase::Unrouted { until } => self.write_rest(until, context, now),
            Phase::Closing { why, until } => self.close(why, until, context, now),
        }
    }

    fn carry(&mut self, context: &mut Context<'_>, now: Now) -> Turn {
        let deadline = self.endpoint.poll_timeout();
        if deadline.is_some_and(|(at, _)| at <= now.mono) {
            self.endpoint.handle_timeout(now);
        }
        let has_written = self.write_local(context, now);
        let has_read = self.read_local(context, now);
        let has_freed = self.send(context, now);
        if self.take_events(now) || has_written || has_read || has_freed {
            return Turn::Again;
        }
        let until = self.endpoint.poll_timeout();
        Turn::Wait {
            until: until.map(|(at, _)| at),
        }
    }

    fn write_rest(&mut self, until: Moment, context: &mut Context<'_>, now: Now) -> Turn {
        if self.write_local(context, now) {
            let until = now.mono + self.patience;
            self.phase = Phase::Unrouted { until };
            return Turn::Again;
        }
        if self.endpoint.is_readable() && now.mono < until {
            return Turn::Wait { until: Some(until) };
        }
        self.endpoint.unroute();
        self.take_events(now);
        Turn::Again
    }

    fn close(
        &mut self,
        why: EndReason,
        until: Moment,
        context: &mut Context<'_>,
        now: Now,
    ) -> Turn {
        if self.finish_local(context).is_pending() && why != EndReason::Aborted && now.mono < until
        {
            return Turn::Wait { until: Some(until) };
        }
        self.local.ended(why);
        Turn::Over
    }

    fn take_inbox(&mut self, now: Now) {
        let wishes = self.inbox.take(&mut self.messages);
        while let Some(message) = self.messages.pop_front() {
            match message {
                CircuitMessage::Payload(payload) => {
                    self.endpoint.handle_payload(*payload, now);
                },
                CircuitMessage::Acknowledgement(acknowledgement) => {
                    self.meter.acknowledgement_received();
                    self.endpoint.handle_acknowledgement(&acknowledgement, now);
                },
                CircuitMessage::Control(control) => self.take_control(*control),
            }
        }
        self.heed(wishes, now);
    }

    fn heed(&mut self, wishes: Wishes, now: Now) {
        self.is_started |= wishes.is_started;
        for view in wishes.views {
            let _nobody_waits = view.send(self.view(now));
        }
        if wishes.is_unrouted && self.phase == Phase::Carrying {
            self.detach();
            let until = now.mono + self.patience;
            self.phase = Phase::Unrouted { until };
        }
        if wishes.is_aborted {
            self.endpoint.abort();
        }
    }

    /// Answers a trace, or lets it go on.
    fn take_control(&mut self, control: Control) {
        let router = Arc::clone(self.relay.router());
        let answer = match trace_step(control, self.local.kind(), &router) {
            TraceStep::Answer(answer) => answer,
            TraceStep::Forward(control) => match self.local.forward_control(control) {
                Some(trace) if trace.kind == ControlKind::TraceRoute => Control {
                    kind: ControlKind::TraceRouteAnswer,
                    hop_kind: Some(self.local.kind().to_owned()),
                    hop_id: Some((*router).to_owned()),
                    ..trace
                },
                _ => return,
            },
        };
        let answer = CircuitMessage::Control(Box::new(answer));
        let _may_be_lost = self.relay.forward(self.hop, answer, Activity::NotShown);
    }

    fn tell_metrics(&mut self) {
        let now = self.relay.clock().now();
        let has_acknowledgement = self.endpoint.has_acknowledgement();
        let stats = self.endpoint.stats();
        self.meter.tell(&stats, has_acknowledgement, now.mono);
    }

    fn view(&self, now: Now) -> EndView {
        let stats = self.endpoint.stats();
        let retransmitted = stats.last_retransmission;
        EndView {
            side: self.endpoint.side(),
            kind: self.local.kind(),
            silent_for: now.mono.since(self.endpoint.last_received()),
            retransmitted_before: retransmitted.map(|at| now.mono.since(at)),
            stats,
        }
    }

    /// Returns whether the circuit is over now.
    fn take_events(&mut self, now: Now) -> bool {
        while let Some(event) = self.endpoint.poll_event() {
            match event {
                EndpointEvent::Writable => {},
                EndpointEvent::PeerStopped => self.reading = Reading::Over,
                EndpointEvent::Ended(why) => {
                    self.leave(why, now);
                    return true;
                },
            }
        }
        false
    }

    /// The circuit is over: says farewell, and gives up the place in the relay.
    fn leave(&mut self, why: EndReason, now: Now) {
        tracing::debug!(
            circuit = %self.inbox.circuit(),
            side = ?self.endpoint.side(),
            %why,
            "end of a circuit closed"
        );
        if self.phase == Phase::Carrying {
            self.send_last(now);
        }
        let until = now.mono + self.patience;
        self.phase = Phase::Closing { why, until };
        self.reading = Reading::Over;
        if why == EndReason::Unrouted {
            self.detach();
        } else {
            self.end_circuit();
        }
    }

    /// Nothing is sent or received any more.
    fn detach(&mut self) {
        let destination = self.stop();
        self.relay.detach(self.hop, &destination);
    }

    fn end_circuit(&mut self) {
        let destination = self.stop();
        let circuit = self.inbox.circuit().as_str();
        let side = self.endpoint.side();
        self.relay.leave((circuit, side), self.hop, &destination);
    }

    /// Takes and sends nothing any more. Returns what the relay knows it by.
    fn stop(&mut self) -> Arc<dyn Destination> {
        self.inbox.close();
        self.blocked = None;
        self.inbox.clone()
    }
}

impl<L: LocalSide> Future for End<L> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.inbox.waker().register(context.waker());
        let polled = self.take_turns(context);
        let held = self.endpoint.weight() + self.local.held();
        self.memory.set(IDLE + held);
        self.tell_metrics();
        polled
    }
}

impl<L: LocalSide> End<L> {
    fn take_turns(&mut self, context: &mut Context<'_>) -> Poll<()> {
        for _ in 0..TURNS {
            match self.turn(context) {
                Turn::Again => {},
                Turn::Over => return Poll::Ready(()),
                Turn::Wait { until } => {
                    let until = until.map(|at| self.relay.clock().instant(at));
                    if self.timer.poll(until, context).is_pending() {
                        return Poll::Pending;
                    }
                },
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<L: LocalSide> Drop for End<L> {
    fn drop(&mut self) {
        // A local side has panicked, or the program ends.
        if !matches!(self.phase, Phase::Closing { .. }) {
            self.end_circuit();
        }
    }
}
