//! A controller of one router, in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_channel::{Frame, Priority, ReplyTo, ResultMessage, ResultStatus};
use portcullis_router::edge::ControllerId;
use portcullis_transport::{ChannelHandle, Inbox};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CreateCircuitAnswer;
use portcullis_wire::control::data_model::{ChangeSet, Changes, DataState, Event, State};
use portcullis_wire::control::refusal::Refusal;
use portcullis_wire::control::route::{
    DestinationKind, Egress, Forward, Route, RouteOutcome, RouteResult, Unroute,
};
use portcullis_wire::control::terminator::{CreateTerminatorAnswerV2, CreateTerminatorV2};
use portcullis_wire::peer_data::PeerData;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::edge::Edge;
use crate::routes::Routes;

/// What the router's control session does: hands over what controllers say.
pub(super) async fn dispatch(
    mut inbox: Inbox,
    controller: ControllerId,
    edge: Edge,
    routes: Arc<Routes>,
) {
    while let Some(frame) = inbox.next().await {
        let request = frame.reply_to();
        let message = ControlMessage::decode(&frame.into_message()).unwrap();
        if let ControlMessage::ValidateTerminators(question) = &message {
            let answer = ControlMessage::ValidatedTerminators(edge.validate(question));
            edge.shared
                .controllers
                .reply(&controller, &request, &answer);
            continue;
        }
        match edge.handle(&controller, &request, message) {
            None => {},
            Some(ControlMessage::Route(route)) => routes.route(&controller, request, route),
            Some(ControlMessage::Unroute(unroute)) => routes.unroute(&unroute),
            Some(other) => panic!("{other:?}"),
        }
    }
}

pub(super) struct Controller {
    pub(super) channel: ChannelHandle,
    state: Mutex<Known>,
    changed: Notify,
}

#[derive(Default)]
struct Known {
    model: Vec<Event>,
    index: u64,
    subscription: Option<String>,
    terminators: BTreeMap<String, CreateTerminatorV2>,
    circuits: u64,
    /// All that the router has said.
    heard: Vec<ControlMessage>,
}

impl Controller {
    pub(super) fn start(channel: ChannelHandle, inbox: Inbox, model: Vec<Event>) -> Arc<Self> {
        let state = Known {
            model,
            index: 7,
            ..Known::default()
        };
        let controller = Arc::new(Self {
            channel,
            state: Mutex::new(state),
            changed: Notify::new(),
        });
        tokio::spawn(Arc::clone(&controller).run(inbox));
        controller
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
            ControlMessage::CreateTerminatorV2(create) => {
                let answer = CreateTerminatorAnswerV2 {
                    terminator_id: create.address.clone(),
                    ..CreateTerminatorAnswerV2::default()
                };
                self.state
                    .lock()
                    .terminators
                    .insert(create.address.clone(), create);
                self.tell(&ControlMessage::CreateTerminatorAnswerV2(answer));
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
                self.channel
                    .reply(&request, Priority::Default, reply)
                    .unwrap();
            },
            ControlMessage::CreateCircuitV2(create) => {
                tokio::spawn(Arc::clone(self).create(request, create.peer_data, 2));
            },
            ControlMessage::CreateCircuitV3(create) => {
                tokio::spawn(Arc::clone(self).create(request, create.peer_data, 3));
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

    /// Leads a circuit to the terminator of the highest id.
    async fn create(self: Arc<Self>, request: ReplyTo, peer_data: PeerData, version: u32) {
        let answer = match self.route(peer_data).await {
            Ok(answer) if version == 2 => ControlMessage::CreateCircuitAnswerV2(answer),
            Ok(answer) => ControlMessage::CreateCircuitAnswerV3(answer),
            Err(reason) => ControlMessage::Refusal(Refusal {
                reason,
                ..Refusal::default()
            }),
        };
        let encoded = answer.encode().unwrap();
        // The router may be gone.
        let _ = self.channel.reply(&request, Priority::Default, encoded);
    }

    async fn route(&self, peer_data: PeerData) -> Result<CreateCircuitAnswer, String> {
        let (terminator, circuit) = {
            let mut state = self.state.lock();
            state.circuits += 1;
            let terminator = state.terminators.last_key_value();
            let terminator = terminator.map(|(id, create)| (id.clone(), create.clone()));
            (terminator, format!("c{}", state.circuits))
        };
        let (destination, terminator) = terminator.ok_or("no terminators")?;
        let (ingress, egress) = (format!("i-{circuit}"), format!("e-{circuit}"));
        let route = Route {
            circuit_id: circuit.clone(),
            egress: Some(Egress {
                binding: "edge".to_owned(),
                address: egress.clone(),
                destination,
                peer_data,
            }),
            forwards: vec![
                forward(&ingress, &egress, DestinationKind::End),
                forward(&egress, &ingress, DestinationKind::Start),
            ],
            timeout_nanos: 5_000_000_000,
            ..Route::default()
        };
        let route = ControlMessage::Route(route).encode().unwrap();
        let asking = self
            .channel
            .request(Priority::High, route, Duration::from_secs(10));
        let answer = asking.map_err(|error| error.to_string())?.await;
        let answer = answer.map_err(|error| format!("{error:?}"))?;
        match ControlMessage::decode(&answer.into_message()) {
            Ok(ControlMessage::RouteResult(RouteResult {
                outcome: RouteOutcome::Routed(mut peer_data),
                ..
            })) => {
                peer_data.extend(terminator.peer_data);
                Ok(CreateCircuitAnswer {
                    circuit_id: circuit,
                    address: ingress,
                    peer_data,
                    ..CreateCircuitAnswer::default()
                })
            },
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
        state.model.extend(events.clone());
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

    pub(super) fn tell(&self, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        self.channel.send(message.priority(), encoded).unwrap();
    }

    pub(super) async fn ask(&self, message: &ControlMessage) -> Frame {
        let encoded = message.encode().unwrap();
        let reply = self
            .channel
            .request(message.priority(), encoded, Duration::from_secs(10));
        reply.unwrap().await.unwrap()
    }

    /// The ids of the terminators that there are.
    pub(super) fn terminators(&self) -> Vec<String> {
        self.state.lock().terminators.keys().cloned().collect()
    }

    /// All that the router has said.
    pub(super) fn all_heard(&self) -> Vec<ControlMessage> {
        self.state.lock().heard.clone()
    }

    /// Waits until the router has said something that is looked for.
    pub(super) async fn heard<R: Send>(
        &self,
        find: impl Fn(&ControlMessage) -> Option<R> + Send + Sync,
    ) -> R {
        let hearing = async {
            loop {
                let changed = self.changed.notified();
                let found = self.state.lock().heard.iter().find_map(&find);
                if let Some(found) = found {
                    return found;
                }
                changed.await;
            }
        };
        timeout(Duration::from_secs(20), hearing).await.unwrap()
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
        timeout(Duration::from_secs(20), waiting).await.unwrap();
    }
}

fn forward(from: &str, to: &str, kind: DestinationKind) -> Forward {
    Forward {
        source: from.to_owned(),
        destination: to.to_owned(),
        destination_kind: kind,
    }
}
