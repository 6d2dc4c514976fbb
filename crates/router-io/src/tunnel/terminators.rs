//! The terminators of the tunneler, and who waits for dials to them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_channel::{ResultMessage, ResultStatus};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Precedence;
use portcullis_router::edge::{Recipient, RequestId, TerminatorId};
use portcullis_router::tunnel::{TerminatorAction, TerminatorTerms, TunnelTerminators};
use portcullis_tunnel::{Host, HostError};
use portcullis_tunneler::{TerminatorKey, TerminatorOptions};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{
    TerminatorState, ValidateTerminators, ValidateTerminatorsV1,
};
use portcullis_wire::control::tunnel::CreateTunnelTerminatorAnswer;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use super::circuit::RouterCircuit;
use super::offer::Offer;
use crate::alarm::Alarm;
use crate::clock::RouterClock;
use crate::controllers::Controllers;

/// Dials that wait for the tunneler at one terminator.
const MAX_WAITING: usize = 256;

/// The [`TunnelTerminators`] of a router. Their actions are carried out in their order, while the lock is held: none
/// of them waits.
pub(super) struct Terminators {
    clock: RouterClock,
    state: Mutex<State>,
    controllers: Arc<Controllers>,
    tasks: TaskTracker,
    alarm: Alarm,
}

struct State {
    terminators: TunnelTerminators,
    hosts: HashMap<TerminatorId, Hosting>,
}

/// Who waits for dials to a terminator.
struct Hosting {
    is_encrypted: bool,
    /// Until the network has it, or has refused it.
    created: Option<oneshot::Sender<Result<(), HostError>>>,
    offers: mpsc::Sender<Offer>,
}

/// A terminator of the tunneler. It is removed when this is dropped.
pub(crate) struct RouterHost {
    id: TerminatorId,
    offers: mpsc::Receiver<Offer>,
    terminators: Arc<Terminators>,
}

/// Why a dial is not offered to the tunneler, as the dialing end is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotOffered {
    #[error("the tunneler of this router does not host the terminator")]
    Unknown,
    #[error("too many dials wait for the server")]
    TooMany,
    #[error("the service is encrypted, and the dialing end gives no key for that")]
    NoKey,
}

impl Terminators {
    pub(super) fn new(
        terminators: TunnelTerminators,
        controllers: Arc<Controllers>,
        tasks: TaskTracker,
        clock: RouterClock,
    ) -> Self {
        Self {
            clock,
            state: Mutex::new(State {
                terminators,
                hosts: HashMap::new(),
            }),
            controllers,
            tasks,
            alarm: Alarm::default(),
        }
    }

    /// Keeps deadlines.
    pub(super) async fn run(self: Arc<Self>) {
        let do_what_is_due = || {
            self.act_after(|state, now| state.terminators.handle_timeout(now));
            self.state.lock().terminators.deadline()
        };
        self.alarm.keep(self.clock, do_what_is_due).await;
    }

    /// Creates the terminator for a server, and waits until a controller has answered.
    pub(super) async fn host(
        this: &Arc<Self>,
        key: &TerminatorKey,
        options: TerminatorOptions,
    ) -> Result<RouterHost, HostError> {
        let (created, answer) = oneshot::channel();
        let (offers, receiver) = mpsc::channel(MAX_WAITING);
        let hosting = Hosting {
            is_encrypted: options.is_encrypted,
            created: Some(created),
            offers,
        };
        let terms = TerminatorTerms {
            instance: options.identity,
            precedence: options.precedence,
            cost: options.cost,
        };
        let added = this.change(|state, now| {
            let id = state.terminators.add(key, terms, now)?;
            state.hosts.insert(id.clone(), hosting);
            Ok(id)
        });
        let added = added.map_err(
            |error: portcullis_domain::entropy::EntropyError| HostError {
                reason: error.to_string(),
            },
        );
        // Removed if nobody waits for it any more.
        let host = RouterHost {
            id: added?,
            offers: receiver,
            terminators: Arc::clone(this),
        };
        match answer.await {
            Ok(answer) => answer.map(|()| host),
            Err(_) => Err(HostError {
                reason: "the router is stopping".to_owned(),
            }),
        }
    }

    /// Hands a dial to whoever hosts the terminator.
    pub(super) fn offer(&self, destination: &str, offer: Offer) -> Result<(), NotOffered> {
        let state = self.state.lock();
        let found = state.terminators.find(destination);
        let hosting = found.and_then(|(id, _)| state.hosts.get(id));
        let hosting = hosting.ok_or(NotOffered::Unknown)?;
        if hosting.is_encrypted && offer.encryption.is_none() {
            return Err(NotOffered::NoKey);
        }
        let offered = hosting.offers.try_send(offer);
        offered.map_err(|error| match error {
            TrySendError::Full(_) => NotOffered::TooMany,
            TrySendError::Closed(_) => NotOffered::Unknown,
        })
    }

    pub(super) fn controller_connected(self: &Arc<Self>) {
        self.change(|state, now| state.terminators.controller_connected(now));
    }

    pub(super) fn create_answered(self: &Arc<Self>, answer: CreateTunnelTerminatorAnswer) {
        self.change(|state, now| state.terminators.create_answered(answer, now));
    }

    pub(super) fn validate(
        self: &Arc<Self>,
        question: &ValidateTerminators,
    ) -> BTreeMap<String, TerminatorState> {
        self.change(|state, now| state.terminators.validate(question, now))
    }

    pub(super) fn validate_v1(self: &Arc<Self>, question: &ValidateTerminatorsV1) {
        self.change(|state, now| state.terminators.validate_v1(question, now));
    }

    fn change<R>(self: &Arc<Self>, change: impl FnOnce(&mut State, Timestamp) -> R) -> R {
        let result = self.act_after(change);
        self.alarm.changed();
        result
    }

    fn act_after<R>(self: &Arc<Self>, change: impl FnOnce(&mut State, Timestamp) -> R) -> R {
        let mut state = self.state.lock();
        let result = change(&mut state, self.clock.timestamp());
        while let Some(action) = state.terminators.poll() {
            self.act(&mut state, action);
        }
        result
    }

    fn act(self: &Arc<Self>, state: &mut State, action: TerminatorAction) {
        match action {
            TerminatorAction::Created(id) => {
                let hosting = state.hosts.get_mut(&id);
                if let Some(created) = hosting.and_then(|hosting| hosting.created.take()) {
                    let _is_gone = created.send(Ok(()));
                }
            },
            TerminatorAction::Ended { id, reason } => {
                let Some(hosting) = state.hosts.remove(&id) else {
                    return;
                };
                match hosting.created {
                    Some(created) => {
                        let _is_gone = created.send(Err(HostError { reason }));
                    },
                    None => {
                        tracing::warn!(terminator = %id, reason, "a terminator of the tunneler has ended");
                    },
                }
            },
            TerminatorAction::Tell(message) => {
                // It is told again if no answer comes.
                if let Err(failure) = self.controllers.tell(&Recipient::Any, &message) {
                    tracing::debug!(?failure, "no controller is told of a terminator");
                }
            },
            TerminatorAction::Ask { request, message } => {
                self.tasks.spawn(Arc::clone(self).ask(request, message));
            },
        }
    }

    async fn ask(self: Arc<Self>, request: RequestId, message: Box<ControlMessage>) {
        let answer = Arc::clone(&self.controllers).request(Recipient::Any, *message);
        let answer = answer.await.ok();
        let is_done = answer.is_some_and(|(_, frame)| match ResultMessage::from_frame(&frame) {
            Some(result) => result.status == ResultStatus::Success,
            None => matches!(
                ControlMessage::decode(&frame.into_message()),
                Ok(ControlMessage::UpdateTunnelTerminatorAnswer)
            ),
        });
        self.change(|state, now| state.terminators.request_answered(request, is_done, now));
    }
}

impl Host for RouterHost {
    type Circuit = RouterCircuit;
    type Incoming = Offer;

    async fn next(&mut self) -> Option<Offer> {
        self.offers.recv().await
    }

    fn update(&self, precedence: Precedence, cost: u16) {
        self.terminators
            .change(|state, _| state.terminators.update(&self.id, precedence, cost));
    }

    fn report_health(&self, is_healthy: bool) {
        self.terminators
            .change(|state, _| state.terminators.report_health(&self.id, is_healthy));
    }
}

impl Drop for RouterHost {
    fn drop(&mut self) {
        self.terminators.change(|state, now| {
            state.hosts.remove(&self.id);
            state.terminators.remove(&self.id, now);
        });
    }
}
