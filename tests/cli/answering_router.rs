//! Simulated routers that say of themselves what a test has them say.

use crate::Session;
use crate::session::PASSWORD;
use portcullis_simulated_router::{RouterEnrollment, RouterOptions, SimulatedRouter, TlsConnector};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{DataStateDiff, DataStateValidation, Subscription};
use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
use portcullis_wire::control::terminator::{InvalidReason, TerminatorState, ValidatedTerminators};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, Mutex};
use support::Api;
use tokio::task::JoinHandle;

/// What a router says when it is asked: unless it says more, it has nothing.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Values of inspections by name.
    pub(crate) values: BTreeMap<&'static str, Value>,
    /// Why terminators are not valid.
    pub(crate) terminator_fault: Option<&'static str>,
    pub(crate) model_difference: Option<DataStateDiff>,
}

/// A router that answers.
pub(crate) struct AnsweringRouter {
    pub(crate) id: String,
    said: Arc<Mutex<Said>>,
    answering: JoinHandle<()>,
}

impl Said {
    fn answer(&self, question: ControlMessage) -> Option<ControlMessage> {
        Some(match question {
            ControlMessage::InspectRequest(asked) => {
                let values = asked.names.iter();
                ControlMessage::InspectResponse(InspectResponse {
                    is_success: true,
                    errors: Vec::new(),
                    values: values.map(|name| self.inspected(name)).collect(),
                })
            },
            ControlMessage::ValidateTerminators(asked) => {
                let state = TerminatorState {
                    is_valid: self.terminator_fault.is_none(),
                    reason: InvalidReason::UnknownTerminator,
                    detail: self.terminator_fault.unwrap_or("valid").to_owned(),
                    marker: 0,
                };
                let states = asked.terminators.into_iter();
                let states = states.map(|terminator| (terminator.id, state.clone()));
                ControlMessage::ValidatedTerminators(ValidatedTerminators {
                    states: states.collect(),
                })
            },
            ControlMessage::ValidateDataState(_) => {
                let differences = self.model_difference.clone();
                ControlMessage::DataStateValidation(DataStateValidation {
                    differences: differences.into_iter().collect(),
                    ..DataStateValidation::default()
                })
            },
            _ => return None,
        })
    }

    fn inspected(&self, name: &str) -> InspectedValue {
        let nothing = || match name {
            "links" => json!({"links": []}),
            "sdk-terminators" | "ert-terminators" => json!({"entries": []}),
            "identity-connection-statuses" => json!({"identity_connections": {}}),
            _ => json!({"circuits": {}}),
        };
        let value = self.values.get(name).cloned().unwrap_or_else(nothing);
        InspectedValue {
            name: name.to_owned(),
            value: value.to_string().into(),
        }
    }
}

impl AnsweringRouter {
    /// Creates and enrolls a router, which has a copy of the data model.
    pub(crate) async fn connect(session: &Session, name: &str) -> SimulatedRouter {
        let admin = Api::anonymous(&session.controller).log_in("admin", PASSWORD);
        let created = admin.send("POST", "/edge-routers", &json!({"name": name}));
        let id = created.data()["id"].as_str().unwrap().to_owned();
        let shown = admin.get(&format!("/edge-routers/{id}")).data();
        let token = shown["enrollmentToken"].as_str().unwrap();
        let enrollment = RouterEnrollment::new(&id);
        let path = RouterEnrollment::path(token);
        let anybody = Api::anonymous(&session.controller);
        let reply = anybody.curl(&path).json("POST", &enrollment.request());
        let identity = enrollment.finish(&reply.send().data());
        let mut addresses = session.controller.host_port().to_socket_addrs().unwrap();
        let address = addresses.find(SocketAddr::is_ipv4).unwrap();
        let connector = TlsConnector::new(address, &identity);
        let connecting = SimulatedRouter::connect(connector, &id, RouterOptions::default());
        let mut router = connecting.await.unwrap();
        router.send(&ControlMessage::Subscription(Subscription {
            duration_seconds: 300,
            ..Subscription::default()
        }));
        let is_model = |message| matches!(message, ControlMessage::DataState(_)).then_some(());
        router.expect(is_model).await;
        router
    }

    /// Answers from now on.
    pub(crate) fn answers(mut router: SimulatedRouter, said: Said) -> Self {
        let said = Arc::new(Mutex::new(said));
        let (id, says) = (router.id.clone(), Arc::clone(&said));
        let answering = tokio::spawn(async move {
            while let Some(frame) = router.next().await {
                let reply_to = frame.reply_to();
                let question = ControlMessage::decode(&frame.into_message()).unwrap();
                let answer = says.lock().unwrap().answer(question);
                if let Some(answer) = answer {
                    router.reply(&reply_to, &answer);
                }
            }
        });
        Self {
            id,
            said,
            answering,
        }
    }

    pub(crate) fn says(&self, said: Said) {
        *self.said.lock().unwrap() = said;
    }

    /// Its connections are lost.
    pub(crate) fn cut(self) {
        self.answering.abort();
    }
}
