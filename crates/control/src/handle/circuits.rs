//! Dials, routes and circuits.

use super::Handler;
use crate::adoption;
use crate::dial::{DialError, Wanted};
use crate::identity_traces::Asker;
use crate::network::{AskedAt, DialForm, DialRequest};
use crate::translate;
use portcullis_app::rights::{self, NamedService, PresentedSession, Refusal, Right};
use portcullis_channel::Frame;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_fabric::CarriedCircuits;
use portcullis_wire::Token;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::{
    CircuitConfirmation, CircuitFailed, CircuitRequest, CreateCircuitV1, CreateCircuitV2,
    CreateCircuitV3,
};
use portcullis_wire::control::inspection::InspectResponse;
use portcullis_wire::control::route::RouteResult;
use portcullis_wire::control::tunnel::CreateTunnelCircuit;

impl Handler {
    pub(super) fn handle_dial_v1(&self, frame: &Frame, request: CreateCircuitV1) {
        let right = self.judge_session(&request.api_session_token, &request.session_token);
        let wanted = Wanted::instance(request.instance_id, request.peer_data);
        let asker = Asker::Client(&request.api_session_token);
        self.dial(frame, (DialForm::V1, asker), right, wanted);
    }

    pub(super) fn handle_dial_v2(&self, frame: &Frame, request: CreateCircuitV2) {
        let right = self.judge_session(&request.api_session_token, &request.session_token);
        let wanted = Wanted::instance(request.instance_id, request.peer_data);
        let asker = Asker::Client(&request.api_session_token);
        self.dial(frame, (DialForm::V2, asker), right, wanted);
    }

    pub(super) fn handle_dial_v3(&self, frame: &Frame, request: CreateCircuitV3) {
        let right = rights::judge_dial_by_identity(
            &self.plane.app,
            request.api_session_token.expose(),
            &IdentityId::from_wire(request.identity_id),
            &ServiceId::from_wire(request.service_id),
            &self.session.router,
        );
        let wanted = Wanted::instance(request.instance_id, request.peer_data)
            .with_circuit_id(request.circuit_id);
        let asker = Asker::Client(&request.api_session_token);
        self.dial(frame, (DialForm::V3, asker), right, wanted);
    }

    pub(super) fn handle_tunnel_dial(&self, frame: &Frame, request: CreateTunnelCircuit) {
        let right = self.judge_router(NamedService::Name(&request.service_name));
        let wanted = Wanted::instance(request.instance_id, request.peer_data);
        let asker = Asker::Router(self.session.id());
        self.dial(frame, (DialForm::Tunnel, asker), right, wanted);
    }

    /// A listener without clients that show anything names the service, perhaps with an instance.
    pub(super) fn handle_circuit_request(&self, frame: &Frame, request: CircuitRequest) {
        let (instance, service) = match request.service.split_once('@') {
            Some((instance, service)) => (instance.to_owned(), service),
            None => (String::new(), &*request.service),
        };
        let right = self.judge_router(NamedService::IdOrName(service));
        let wanted = Wanted::instance(instance, request.peer_data);
        let asker = Asker::Router(self.session.id());
        self.dial(frame, (DialForm::Fabric, asker), right, wanted);
    }

    fn judge_session(&self, api_session: &Token, session: &Token) -> Result<Right, Refusal> {
        let presented = PresentedSession {
            api_session: api_session.expose(),
            service_session: session.expose(),
        };
        let router = &self.session.router;
        rights::judge(&self.plane.app, presented, ServiceGrant::Dial, router)
    }

    fn judge_router(&self, service: NamedService<'_>) -> Result<Right, Refusal> {
        rights::judge_dial_by_router(&self.plane.app, service, &self.session.router)
    }

    /// Dials, or says why not.
    fn dial(
        &self,
        frame: &Frame,
        (form, asker): (DialForm, Asker<'_>),
        right: Result<Right, Refusal>,
        wanted: Wanted,
    ) {
        let entropy = &*self.plane.app.env().entropy;
        let request = right
            .map_err(DialError::from)
            .and_then(|right| wanted.into_parts(&right, entropy));
        match request {
            Ok(parts) => {
                let circuit = &parts.names.circuit;
                let router = self.session.id().as_str();
                let traces = &self.plane.identity_traces;
                traces.dialed(circuit, &parts.right, router);
                let request = DialRequest {
                    from: self.session.network,
                    form,
                    parts,
                };
                self.plane.network.dial(request, frame.reply_to());
            },
            Err(error) => {
                let router = self.session.id();
                tracing::debug!(%router, %error, "a dial is refused");
                if let Some(traced) = self.plane.identity_traces.of(asker) {
                    traced.log_refused_dial(router.as_str(), &error);
                }
                let refusal = match form {
                    DialForm::Fabric => ControlMessage::CircuitFailed(CircuitFailed {
                        reason: error.to_string(),
                    }),
                    _ => ControlMessage::Refusal(error.into_refusal()),
                };
                self.session.reply(&frame.reply_to(), &refusal);
            },
        }
    }

    pub(super) fn handle_route_result(&self, frame: &Frame, result: RouteResult) {
        let from = self.session.network;
        self.plane.network.handle_route_result(from, frame, result);
    }

    pub(super) fn handle_idle_circuits(&self, idle: &CircuitConfirmation) {
        let circuits = translate::idle_circuits(idle);
        self.plane.network.change(|fabric, _| {
            fabric.handle_idle(self.session.network, circuits);
        });
    }

    /// A router says what it carries, as it was asked.
    pub(super) fn handle_carried(&self, AskedAt(asked): AskedAt, response: &InspectResponse) {
        let from = self.session.network;
        match translate::carried_circuits(response, &self.plane.controller_id()) {
            Ok(told) => {
                let carried = CarriedCircuits {
                    asked,
                    circuits: adoption::judge(&self.plane, self.session.id(), told.circuits),
                    is_complete: told.is_complete,
                };
                self.plane.network.handle_carried(from, carried);
            },
            Err(error) => {
                tracing::debug!(router = %self.session.id(), %error, "a router does not say what it carries");
            },
        }
    }
}
