//! What routers say, by kind of message.
//!
//! Messages of one router are handled one after the other. What waits for a commit is left to a worker,
//! which does it in the same order.

mod certificates;
mod circuits;
mod edge;
mod inspection;
mod links;
mod reports;
mod retirement;
mod retry;
mod terminators;
mod validation;

use crate::events;
use crate::model::ModelSubscriber;
use crate::plane::Plane;
use crate::session::Session;
use crate::work::WorkQueue;
use portcullis_channel::{Frame, ResultMessage};
use portcullis_transport::Inbox;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::address::{Controller, ControllerAddresses, Endpoint};
use std::sync::{Arc, OnceLock};

/// Handles the messages of one router.
pub(crate) struct Handler {
    plane: Arc<Plane>,
    session: Arc<Session>,
    work: WorkQueue,
    /// Present once the router has asked for the data model.
    model: OnceLock<ModelSubscriber>,
}

impl Handler {
    pub(crate) fn new(plane: Arc<Plane>, session: Arc<Session>) -> Self {
        let work = WorkQueue::start(&plane.tasks);
        Self {
            plane,
            session,
            work,
            model: OnceLock::new(),
        }
    }

    /// Greets the router, and handles its messages until its channel is closed.
    pub(crate) async fn run(self, mut inbox: Inbox) {
        let sending = self.session.send_waiting();
        tokio::pin!(sending);
        self.send_controllers();
        self.greet_edge_router();
        self.keep_hello();
        self.validate_terminators();
        loop {
            tokio::select! {
                frame = inbox.next() => match frame {
                    Some(frame) => self.handle(&frame),
                    None => return,
                },
                () = &mut sending => return,
                () = self.session.peers.added() => {
                    self.plane.sessions.tell_peers(&self.session, &self.plane.network);
                },
                () = self.session.validation_due(self.plane.transport.clock()) => {
                    self.session.ask_for_terminators(self.plane.now());
                },
                () = self.plane.stop.cancelled() => return,
            }
        }
    }

    /// Leaves something to the worker of the router; what there are too many of is dropped.
    fn later(&self, work: impl Future<Output = ()> + Send + 'static) {
        if self.work.add(work).is_err() {
            tracing::warn!(router = %self.session.id(), "a router asks for too much at a time");
        }
    }

    /// Tells a router where its controllers are. A router that was never told does not come back after
    /// it has closed a channel.
    fn send_controllers(&self) {
        let addresses = self.plane.app.network().control_addresses();
        if addresses.is_empty() {
            return;
        }
        let endpoints = addresses.iter().map(|address| Endpoint {
            address: address.clone(),
            groups: Vec::new(),
        });
        let controller = Controller {
            id: self.plane.controller_id(),
            endpoints: endpoints.collect(),
        };
        let list = ControllerAddresses {
            addresses: addresses.to_vec(),
            index: self.plane.addresses_index(),
            is_leader: true,
            controllers: vec![controller],
        };
        self.session
            .send(&ControlMessage::ControllerAddresses(list));
    }

    fn handle(&self, frame: &Frame) {
        if let Some(result) = ResultMessage::from_frame(frame) {
            self.handle_result(frame, result);
            return;
        }
        match ControlMessage::decode(&frame.clone().into_message()) {
            Ok(message) => self.dispatch(frame, message),
            Err(error) => {
                tracing::warn!(router = %self.session.id(), %error, "a message of a router cannot be read");
                self.handle_unreadable(frame, &error);
            },
        }
    }

    fn dispatch(&self, frame: &Frame, message: ControlMessage) {
        use ControlMessage as Says;
        match message {
            Says::RouterLinks(links) => self.handle_links(links),
            Says::LinkState(state) => self.handle_link_state(state),
            Says::Fault(fault) => self.handle_fault(&fault),
            Says::LinkListeners(listeners) => self.handle_listeners(listeners),
            Says::Metrics(metrics) => self.handle_metrics(metrics),

            Says::RouteResult(result) => self.handle_route_result(frame, result),
            Says::CircuitConfirmation(idle) => self.handle_idle_circuits(&idle),
            Says::InspectResponse(response) => self.handle_inspected(frame, response),

            Says::ClientHello(hello) => self.handle_client_hello(hello),
            Says::ResynchronizationRequest(request) => self.handle_resynchronization(&request),
            Says::ApiSessionHeartbeat(heartbeat) => self.handle_session_heartbeat(heartbeat),
            Says::ValidateSessions(validate) => self.handle_validate_sessions(validate),
            Says::Subscription(subscription) => self.handle_subscription(subscription),
            Says::ConnectEvents(said) => {
                let plane = &self.plane;
                plane.identities.take(&plane.app, &self.session, said);
            },
            Says::TraceEvent(event) => self.plane.traces.told(self.session.id(), event),
            Says::Alerts(said) => events::publish_alerts(&self.plane, &self.session, said.alerts),
            Says::RequestClusterMembers => self.send_controllers(),

            answer @ Says::ValidatedTerminators(_) => {
                if let Some(Says::ValidatedTerminators(states)) = self.pass_on(frame, answer) {
                    self.handle_validated_terminators(&states);
                }
            },
            answer @ Says::DataStateValidation(_) => {
                let _unasked = self.pass_on(frame, answer);
            },
            Says::HealthEvent(event) => self.handle_health_event(event),
            Says::TunnelHealthEvent(event) => self.handle_tunnel_health_event(event),
            Says::ExtendCertificates(request) => self.handle_extend_certificates(request),

            request => self.dispatch_request(frame, request),
        }
    }

    /// Dispatches what is replied to, unless the router takes no replies. It asks again for what was not
    /// answered; and meanwhile it is listened to, since others wait for what it says of circuits and links.
    fn dispatch_request(&self, frame: &Frame, request: ControlMessage) {
        use ControlMessage as Asks;
        if self.session.is_full_of_replies() {
            let content_type = request.content_type().0;
            tracing::warn!(router = %self.session.id(), content_type, "a router that reads no replies is not answered");
            return;
        }
        match request {
            Asks::InspectRequest(request) => self.handle_inspect_request(frame, &request),
            Asks::VerifyRouter(peer) => self.handle_verify_router(frame, &peer),
            Asks::RouterInterfaces(interfaces) => self.handle_interfaces(frame, interfaces),

            Asks::CircuitRequest(request) => self.handle_circuit_request(frame, request),
            Asks::CreateCircuitV1(request) => self.handle_dial_v1(frame, request),
            Asks::CreateCircuitV2(request) => self.handle_dial_v2(frame, request),
            Asks::CreateCircuitV3(request) => self.handle_dial_v3(frame, request),
            Asks::CreateTunnelCircuit(request) => self.handle_tunnel_dial(frame, request),

            Asks::CreateTerminatorV1(request) => self.handle_create_terminator_v1(frame, request),
            Asks::CreateTerminatorV2(request) => self.handle_create_terminator(frame, request),
            Asks::CreateTunnelTerminator(request) => {
                self.handle_create_tunnel_terminator(frame, request);
            },
            Asks::UpdateTerminator(request) => self.handle_update_terminator(frame, request),
            Asks::UpdateEdgeTerminator(request) => {
                self.handle_update_edge_terminator(frame, request);
            },
            Asks::UpdateTunnelTerminator(request) => {
                self.handle_update_tunnel_terminator(frame, request);
            },
            Asks::RemoveTerminator(request) => self.handle_remove_terminator(frame, request),
            Asks::RemoveTerminators(request) => self.handle_remove_terminators(frame, &request),
            Asks::RemoveEdgeTerminator(request) => {
                self.handle_remove_edge_terminator(frame, request);
            },
            Asks::RemoveTunnelTerminator(request) => {
                self.handle_remove_tunnel_terminator(frame, request);
            },

            Asks::QuiesceRouter => self.handle_quiesce(frame),
            Asks::DequiesceRouter => self.handle_dequiesce(frame),
            Asks::DecommissionRouter => self.handle_decommission(frame),
            Asks::VerifyCertificates(request) => self.handle_verify_certificates(frame, request),

            other => {
                let content_type = other.content_type().0;
                tracing::debug!(router = %self.session.id(), content_type, "a message of a router is not used");
            },
        }
    }
}
