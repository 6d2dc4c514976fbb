//! What a router answers to what it was told.

use crate::questions::Answered;
use portcullis_channel::Sequence;
use portcullis_fabric::{Moment, RouteId};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long the answer to a message is recognized. The network waits for no answer that long.
const MAX_TIME: Duration = Duration::from_mins(2);

/// What a message is answered with, and when it was decided to send it.
#[derive(Debug)]
pub(super) enum Expected {
    /// The result of a route.
    Route(RouteId, Moment),
    /// What the router carries.
    Circuits(Moment),
    /// Whatever the router answers, to whoever waits for it.
    Answer(oneshot::Sender<Answered>),
}

/// Messages that may still be answered.
#[derive(Debug, Default)]
pub(super) struct Answers {
    routes: BTreeMap<Sequence, (RouteId, Moment)>,
    /// When the router was asked what it carries.
    questions: BTreeMap<Sequence, Moment>,
    waiters: BTreeMap<Sequence, oneshot::Sender<Answered>>,
}

impl Answers {
    pub(super) fn expect(&mut self, sequence: Sequence, expected: Expected) {
        match expected {
            Expected::Route(id, now) => {
                let oldest = self.routes.first_key_value();
                if oldest.is_some_and(|(_, (_, sent))| now.since(*sent) > MAX_TIME) {
                    self.routes
                        .retain(|_, (_, sent)| now.since(*sent) <= MAX_TIME);
                }
                self.routes.insert(sequence, (id, now));
            },
            Expected::Circuits(now) => {
                self.questions
                    .retain(|_, asked| now.since(*asked) <= MAX_TIME);
                self.questions.insert(sequence, now);
            },
            Expected::Answer(waiter) => {
                self.waiters.retain(|_, waiter| !waiter.is_closed());
                self.waiters.insert(sequence, waiter);
            },
        }
    }

    pub(super) fn take_route(&mut self, reply_for: Sequence) -> Option<RouteId> {
        let (route, _) = self.routes.remove(&reply_for)?;
        Some(route)
    }

    pub(super) fn take_question(&mut self, reply_for: Sequence) -> Option<Moment> {
        self.questions.remove(&reply_for)
    }

    pub(super) fn take_waiter(&mut self, reply_for: Sequence) -> Option<oneshot::Sender<Answered>> {
        self.waiters.remove(&reply_for)
    }
}
