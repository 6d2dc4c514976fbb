//! A controller that leads the circuits of a router to its own terminators.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_channel::{Frame, Priority, ReplyTo, ResultMessage, ResultStatus};
use portcullis_transport::{ChannelHandle, Inbox};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{ChangeSet, Changes, DataState, Event, State};
use portcullis_wire::control::refusal::Refusal;
use portcullis_wire::control::route::{
    DestinationKind, Egress, Route, RouteOutcome, RouteResult, Unroute,
};
use portcullis_wire::control::tunnel::{
    CreateTunnelCircuit, CreateTunnelCircuitAnswer, CreateTunnelTerminator,
    CreateTunnelTerminatorAnswer,
};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::world::{PATIENCE, channel};
use crate::testing::{TestRouter, controller_id, forward};

pub(super) struct Controller {
    channel: ChannelHandle,
    state: Mutex<Known>,
    changed: Notify,
}

#[derive(Default)]
struct Known {
    model: Vec<Event>,
    index: u64,
    subscription: Option<String>,
    terminators: BTreeMap<String, CreateTunnelTerminator>,
    circuits: u64,
    /// Dials, as they were asked for.
    dials: Vec<CreateTunnelCircuit>,
    /// All that the router has said.
    heard: Vec<ControlMessage>,
}

impl Controller {
    /// Connects a router. The inbox is the router's.
    pub(super) async fn start(router: &TestRouter, model: Vec<Event>) -> (Arc<Self>, Inbox) {
        let (near, far) = channel().await;
        let controller = Arc::new(Self {
            channel: far.handle,
            state: Mutex::new(Known {
                model,
                index: 7,
                ..Known::default()
            }),
            changed: Notify::new(),
        });
        tokio::spawn(Arc::clone(&controller).run(far.inbox));
        router.controllers.add(controller_id(), near.handle);
        (controller, near.inbox)
    }

    async fn run(self: Arc<Self>, mut inbox: Inbox) {
        while let Some(frame) = inbox.next().await {
            let request = frame.reply_to();
            let message = ControlMessage::decode(&frame.into_message()).unwrap();
            self.state.lock().heard.push(message.clone());
            self.handle(request, message);
            self.changed.notify_waiters();
        }
    }

    fn handle(self: &Arc<Self>, request: ReplyTo, message: ControlMessage) {
        match message {
            ControlMessage::Subscription(subscription) => {
                self.state.lock().subscription = Some(subscription.subscription_id);
                self.send_model();
            },
            ControlMessage::CreateTunnelTerminator(create) => {
                let answer = CreateTunnelTerminatorAnswer {
                    terminator_id: create.address.clone(),
                    start_millis: create.start_millis,
                    ..CreateTunnelTerminatorAnswer::default()
                };
                let mut state = self.state.lock();
                state.terminators.insert(create.address.clone(), create);
                drop(state);
                self.tell(&ControlMessage::CreateTunnelTerminatorAnswer(answer));
            },
            ControlMessage::RemoveTerminators(removed) => {
                for id in removed.terminator_ids {
                    self.state.lock().terminators.remove(&id);
                }
                let result = ResultMessage {
                    status: ResultStatus::Success,
                    text: String::new(),
                };
                let reply = result.into_message();
                // The router may be gone.
                let _ = self.channel.reply(&request, Priority::Default, reply);
            },
            ControlMessage::UpdateTunnelTerminator(_) => {
                let done = ControlMessage::UpdateTunnelTerminatorAnswer;
                let encoded = done.encode().unwrap();
                // The router may be gone.
                let _ = self.channel.reply(&request, Priority::Default, encoded);
            },
            ControlMessage::CreateTunnelCircuit(create) => {
                tokio::spawn(Arc::clone(self).create(request, create));
            },
            ControlMessage::Fault(fault) => {
                self.tell(&ControlMessage::Unroute(Unroute {
                    circuit_id: fault.id,
                    is_immediate: true,
                }));
            },
            _ => {},
        }
    }

    async fn create(self: Arc<Self>, request: ReplyTo, wanted: CreateTunnelCircuit) {
        let answer = match self.route(wanted).await {
            Ok(answer) => ControlMessage::CreateTunnelCircuitAnswer(answer),
            Err(reason) => ControlMessage::Refusal(Refusal {
                reason,
                ..Refusal::default()
            }),
        };
        let encoded = answer.encode().unwrap();
        // The router may be gone.
        let _ = self.channel.reply(&request, Priority::Default, encoded);
    }

    async fn route(
        &self,
        wanted: CreateTunnelCircuit,
    ) -> Result<CreateTunnelCircuitAnswer, String> {
        let (destination, circuit) = {
            let mut state = self.state.lock();
            state.dials.push(wanted.clone());
            state.circuits += 1;
            let mut found = state.terminators.iter();
            let found = found.find(|(_, created)| created.service_id == wanted.service_name);
            let destination = found.map(|(id, _)| id.clone());
            (destination, format!("c{}", state.circuits))
        };
        let destination = destination.ok_or("no terminators")?;
        let (ingress, egress) = (format!("i-{circuit}"), format!("e-{circuit}"));
        let (start, end) = (
            (ingress.as_str(), DestinationKind::Start),
            (egress.as_str(), DestinationKind::End),
        );
        let route = Route {
            circuit_id: circuit.clone(),
            egress: Some(Egress {
                binding: "tunnel".to_owned(),
                address: egress.clone(),
                destination,
                peer_data: wanted.peer_data,
            }),
            forwards: vec![forward(start, end), forward(end, start)],
            timeout_nanos: 5_000_000_000,
            ..Route::default()
        };
        let answer = self.ask(&ControlMessage::Route(route)).await;
        match ControlMessage::decode(&answer.into_message()) {
            Ok(ControlMessage::RouteResult(RouteResult {
                outcome: RouteOutcome::Routed(peer_data),
                ..
            })) => Ok(CreateTunnelCircuitAnswer {
                circuit_id: circuit,
                address: ingress,
                peer_data,
                ..CreateTunnelCircuitAnswer::default()
            }),
            other => Err(format!("{other:?}")),
        }
    }

    fn send_model(&self) {
        let state = self.state.lock();
        let message = DataState {
            state: State {
                events: state.model.clone(),
                end_index: state.index,
                timeline_id: "timeline".to_owned(),
                ..State::default()
            },
            subscription_id: state.subscription.clone(),
        };
        drop(state);
        self.tell(&ControlMessage::DataState(message));
    }

    /// Changes the data model.
    pub(super) fn change(&self, events: Vec<Event>) {
        let mut state = self.state.lock();
        let previous_index = state.index;
        state.index += 1;
        let message = ChangeSet {
            changes: Changes {
                index: state.index,
                previous_index,
                events,
                ..Changes::default()
            },
            subscription_id: state.subscription.clone(),
        };
        drop(state);
        self.tell(&ControlMessage::ChangeSet(message));
    }

    fn tell(&self, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        // The router may be gone.
        let _ = self.channel.send(message.priority(), encoded);
    }

    pub(super) async fn ask(&self, message: &ControlMessage) -> Frame {
        let encoded = message.encode().unwrap();
        let patience = Duration::from_secs(10);
        let reply = self.channel.request(message.priority(), encoded, patience);
        reply.unwrap().await.unwrap()
    }

    /// The terminators of a service.
    pub(super) fn terminators(&self, service: &str) -> Vec<String> {
        let state = self.state.lock();
        let all = state.terminators.iter();
        all.filter(|(_, created)| created.service_id == service)
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// What was dialed.
    pub(super) fn dials(&self) -> Vec<CreateTunnelCircuit> {
        self.state.lock().dials.clone()
    }

    /// All that the router has said.
    pub(super) fn heard(&self) -> Vec<ControlMessage> {
        self.state.lock().heard.clone()
    }

    /// Waits until a condition holds after something the router has said.
    pub(super) async fn until(&self, holds: impl Fn(&Self) -> bool + Send + Sync) {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                if holds(self) {
                    return;
                }
                changed.await;
            }
        };
        timeout(PATIENCE, waiting).await.unwrap();
    }

    /// Waits until a service is hosted.
    pub(super) async fn until_hosted(&self, service: &str) {
        self.until(|controller| !controller.terminators(service).is_empty())
            .await;
    }
}
