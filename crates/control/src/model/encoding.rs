//! Updates as messages. What several routers get is encoded once.

use bytes::Bytes;
use portcullis_channel::Message;
use portcullis_data_model::{FullState, SharedState, Update};
use portcullis_wire::EncodeError;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{ChangeSet, Changes, DataState, State};
use std::sync::Arc;

/// Encodings of change sets that are remembered: routers that keep up need the last ones.
const MAX_CHANGES: usize = 16;

/// Encodes updates that are sent to one router after the other.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    state: Option<EncodedState>,
    /// The newest last.
    changes: Vec<(Arc<Changes>, Bytes)>,
}

/// A state as it is on the wire.
#[derive(Debug)]
struct EncodedState {
    /// As long as this is here, the model makes no other one.
    state: Arc<SharedState>,
    body: Bytes,
    /// Where in the body a router's own part has its place.
    place: usize,
    /// Since it was asked last whether it is needed.
    is_used: bool,
}

impl Encoder {
    /// Frees what nobody has needed since the last call: routers that connect at the same time have been
    /// served.
    pub(super) fn forget_unused(&mut self) {
        self.changes.clear();
        self.state.take_if(|state| !state.is_used);
        if let Some(state) = &mut self.state {
            state.is_used = false;
        }
    }

    pub(super) fn encode(&mut self, update: Update) -> Result<Message, EncodeError> {
        match update {
            Update::State {
                state,
                subscription_id,
            } => {
                let message = ControlMessage::DataState(DataState {
                    state: State::default(),
                    subscription_id: Some(subscription_id),
                });
                with_body(&message, &self.body(state)?)
            },
            Update::Changes {
                changes,
                subscription_id,
            } => {
                let known = self.changes.iter();
                let known = known.rev().find(|(of, _)| Arc::ptr_eq(of, &changes));
                if let Some((_, body)) = known {
                    let message = ControlMessage::ChangeSet(ChangeSet {
                        changes: Changes::default(),
                        subscription_id,
                    });
                    return with_body(&message, body);
                }
                let message = ControlMessage::ChangeSet(ChangeSet {
                    changes: (*changes).clone(),
                    subscription_id,
                });
                let message = message.encode()?;
                if self.changes.len() == MAX_CHANGES {
                    self.changes.remove(0);
                }
                self.changes.push((changes, message.body.clone()));
                Ok(message)
            },
            Update::Index(index) => ControlMessage::CurrentIndex(index).encode(),
        }
    }
}

impl Encoder {
    fn body(&mut self, FullState { shared, own }: FullState) -> Result<Bytes, EncodeError> {
        let known = self.state.take();
        let known = known.filter(|known| Arc::ptr_eq(&known.state, &shared));
        let encoded = match known {
            Some(known) => known,
            None => EncodedState::new(shared)?,
        };
        let encoded = self.state.insert(encoded);
        encoded.is_used = true;
        if own.is_empty() {
            return Ok(encoded.body.clone());
        }
        let own = encode_state(State {
            events: own,
            ..State::default()
        })?;
        let (before, after) = encoded.body.split_at(encoded.place);
        Ok([before, &own, after].concat().into())
    }
}

impl EncodedState {
    fn new(state: Arc<SharedState>) -> Result<Self, EncodeError> {
        let [first, second] = state.parts();
        let first = encode_state(first)?;
        let body = [&first[..], &encode_state(second)?].concat();
        Ok(Self {
            state,
            body: body.into(),
            place: first.len(),
            is_used: true,
        })
    }
}

fn encode_state(state: State) -> Result<Bytes, EncodeError> {
    let message = ControlMessage::DataState(DataState {
        state,
        subscription_id: None,
    });
    Ok(message.encode()?.body)
}

/// The message with another body.
fn with_body(message: &ControlMessage, body: &Bytes) -> Result<Message, EncodeError> {
    Ok(Message {
        body: body.clone(),
        ..message.encode()?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_wire::control::data_model::{
        Action, Config, CurrentIndex, Event, Router, Service, Subject,
    };

    fn create(subject: Subject) -> Vec<Event> {
        vec![Event {
            action: Action::Create,
            is_synthetic: false,
            subject: Some(subject),
        }]
    }

    fn service() -> Vec<Event> {
        let id = "s".to_owned();
        create(Subject::Service(Box::new(Service {
            id,
            ..Service::default()
        })))
    }

    fn router() -> Vec<Event> {
        let id = "r".to_owned();
        create(Subject::Router(Box::new(Router {
            id,
            ..Router::default()
        })))
    }

    fn config() -> Vec<Event> {
        let id = "c".to_owned();
        create(Subject::Config(Box::new(Config {
            id,
            ..Config::default()
        })))
    }

    fn shared_state() -> Arc<SharedState> {
        Arc::new(SharedState {
            before_routers: service(),
            after: router(),
            end_index: 7,
            timeline_id: "timeline".to_owned(),
        })
    }

    #[test]
    fn shared_updates_are_encoded_once_and_read_like_others() {
        let mut encoder = Encoder::default();
        let shared = shared_state();
        let changes = Arc::new(Changes {
            events: service(),
            index: 8,
            previous_index: 7,
            ..Changes::default()
        });
        let mut bodies = Vec::new();
        for subscription in ["a", "b"] {
            let state = FullState {
                shared: Arc::clone(&shared),
                own: Vec::new(),
            };
            let expected = ControlMessage::DataState(DataState {
                state: state.to_message(),
                subscription_id: Some(subscription.to_owned()),
            });
            let message = encoder.encode(Update::State {
                state,
                subscription_id: subscription.to_owned(),
            });
            let message = message.unwrap();
            assert_eq!(ControlMessage::decode(&message).unwrap(), expected);
            bodies.push(message.body);
            let message = encoder.encode(Update::Changes {
                changes: Arc::clone(&changes),
                subscription_id: Some(subscription.to_owned()),
            });
            let message = message.unwrap();
            let expected = ControlMessage::ChangeSet(ChangeSet {
                changes: (*changes).clone(),
                subscription_id: Some(subscription.to_owned()),
            });
            assert_eq!(ControlMessage::decode(&message).unwrap(), expected);
            bodies.push(message.body);
        }
        assert_eq!(bodies[0].as_ptr(), bodies[2].as_ptr());
        assert_eq!(bodies[1].as_ptr(), bodies[3].as_ptr());
        let index = encoder.encode(Update::Index(CurrentIndex { index: 9 }));
        let expected = ControlMessage::CurrentIndex(CurrentIndex { index: 9 });
        assert_eq!(ControlMessage::decode(&index.unwrap()).unwrap(), expected);
    }

    #[test]
    fn what_is_a_routers_own_stands_in_its_place() {
        let mut encoder = Encoder::default();
        for own in [config(), Vec::new(), config()] {
            let state = FullState {
                shared: shared_state(),
                own: own.clone(),
            };
            let message = encoder.encode(Update::State {
                state: state.clone(),
                subscription_id: "a".to_owned(),
            });
            let message = message.unwrap();
            let whole = encode_state(state.to_message()).unwrap();
            assert_eq!(message.body, whole);
            let Ok(ControlMessage::DataState(read)) = ControlMessage::decode(&message) else {
                panic!("another message");
            };
            assert_eq!(read.state.events, [service(), own, router()].concat());
        }
    }

    #[test]
    fn a_state_is_remembered_while_it_is_needed() {
        let mut encoder = Encoder::default();
        let shared = shared_state();
        let send = |encoder: &mut Encoder| {
            let state = FullState {
                shared: Arc::clone(&shared),
                own: Vec::new(),
            };
            let subscription_id = String::new();
            let update = Update::State {
                state,
                subscription_id,
            };
            encoder.encode(update).unwrap().body.as_ptr()
        };
        let first = send(&mut encoder);
        for _ in 0..3 {
            encoder.forget_unused();
            assert_eq!(send(&mut encoder), first);
        }
        encoder.forget_unused();
        assert!(encoder.state.is_some());
        encoder.forget_unused();
        assert!(encoder.state.is_none());
    }

    #[test]
    fn few_change_sets_are_remembered() {
        let mut encoder = Encoder::default();
        for index in 0..100 {
            let changes = Arc::new(Changes {
                index,
                ..Changes::default()
            });
            let subscription_id = None;
            let update = Update::Changes {
                changes,
                subscription_id,
            };
            let message = encoder.encode(update).unwrap();
            assert_eq!(message.content_type.0, 20501);
        }
        assert_eq!(encoder.changes.len(), MAX_CHANGES);
    }
}
