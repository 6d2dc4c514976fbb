//! Updates as messages. What several routers get is encoded once.

use bytes::Bytes;
use portcullis_channel::Message;
use portcullis_data_model::Update;
use portcullis_wire::EncodeError;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{ChangeSet, Changes, DataState, State};
use std::sync::Arc;

/// Encodings of change sets that are remembered: routers that keep up need the last ones.
const MAX_CHANGES: usize = 16;

/// Encodes updates that are sent to one router after the other.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    state: Option<(Arc<State>, Bytes)>,
    /// The newest last.
    changes: Vec<(Arc<Changes>, Bytes)>,
}

impl Encoder {
    /// Frees what is remembered. Routers that connect at the same time have been served.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    pub(super) fn encode(&mut self, update: Update) -> Result<Message, EncodeError> {
        match update {
            Update::State {
                state,
                subscription_id,
            } => {
                let subscription_id = Some(subscription_id);
                if let Some((of, body)) = &self.state
                    && Arc::ptr_eq(of, &state)
                {
                    let content = State::default();
                    let message = ControlMessage::DataState(DataState {
                        state: content,
                        subscription_id,
                    });
                    return with_body(&message, body);
                }
                let message = ControlMessage::DataState(DataState {
                    state: (*state).clone(),
                    subscription_id,
                });
                let message = message.encode()?;
                self.state = Some((state, message.body.clone()));
                Ok(message)
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
    use portcullis_wire::control::data_model::{Action, CurrentIndex, Event, Service, Subject};

    fn events() -> Vec<Event> {
        let service = Service {
            id: "s".to_owned(),
            ..Service::default()
        };
        vec![Event {
            action: Action::Create,
            is_synthetic: false,
            subject: Some(Subject::Service(Box::new(service))),
        }]
    }

    #[test]
    fn shared_updates_are_encoded_once_and_read_like_others() {
        let mut encoder = Encoder::default();
        let state = Arc::new(State {
            events: events(),
            end_index: 7,
            ..State::default()
        });
        let changes = Arc::new(Changes {
            events: events(),
            index: 8,
            previous_index: 7,
            ..Changes::default()
        });
        let mut bodies = Vec::new();
        for subscription in ["a", "b"] {
            let message = encoder.encode(Update::State {
                state: Arc::clone(&state),
                subscription_id: subscription.to_owned(),
            });
            let message = message.unwrap();
            let expected = ControlMessage::DataState(DataState {
                state: (*state).clone(),
                subscription_id: Some(subscription.to_owned()),
            });
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
