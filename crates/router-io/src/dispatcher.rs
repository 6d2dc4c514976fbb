//! What controllers say, handed to the part of the router that it is for.

use std::sync::Arc;

use portcullis_channel::ReplyTo;
use portcullis_router::edge::ControllerId;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::ValidateTerminators;

use crate::controllers::{ControlService, Controllers};
use crate::edge::Edge;
use crate::inspect::Inspections;
use crate::links::LinkManager;
use crate::routes::Routes;
use crate::terminators;
use crate::tunnel::RouterTunnel;

/// Hands messages of controllers on.
pub(crate) struct Dispatcher {
    pub(crate) routes: Arc<Routes>,
    pub(crate) links: Arc<LinkManager>,
    /// `None` for a router of the fabric only.
    pub(crate) edge: Option<Edge>,
    /// `None` for a router without a tunneler.
    pub(crate) tunnel: Option<RouterTunnel>,
    pub(crate) controllers: Arc<Controllers>,
    pub(crate) inspections: Arc<Inspections>,
}

impl ControlService for Dispatcher {
    fn connected(&self, controller: &ControllerId) {
        self.links.controller_connected(controller);
        if let Some(edge) = &self.edge {
            edge.connected(controller);
        }
        if let Some(tunnel) = &self.tunnel {
            tunnel.connected();
        }
    }

    fn disconnected(&self, controller: &ControllerId) {
        if let Some(edge) = &self.edge {
            edge.disconnected(controller);
        }
    }

    fn model_index(&self) -> u64 {
        let edge = self.edge.as_ref();
        edge.map_or(0, |edge| edge.rights().model_index())
    }

    fn handle(&self, from: &ControllerId, request: ReplyTo, message: ControlMessage) {
        use ControlMessage as Says;
        match message {
            Says::Route(route) => self.routes.route(from, request, route),
            Says::Unroute(unroute) => self.routes.unroute(&unroute),
            Says::PeerStateChanges(changes) => self.links.peers_changed(&changes),
            Says::Fault(fault) => self.links.faulted(&fault),
            Says::InspectRequest(question) => self.inspections.handle(from, request, question),
            Says::ValidateTerminators(question) => self.validate(from, &request, &question),
            other => self.handle_of_edge(from, &request, other),
        }
    }
}

impl Dispatcher {
    /// Answers a controller that asks which of its terminators there are.
    fn validate(&self, from: &ControllerId, request: &ReplyTo, question: &ValidateTerminators) {
        let mut answer = match &self.edge {
            Some(edge) => edge.validate(question),
            None => terminators::validate(question),
        };
        if let Some(tunnel) = &self.tunnel {
            answer.states.extend(tunnel.validate(question));
        }
        let answer = ControlMessage::ValidatedTerminators(answer);
        self.controllers.reply(from, request, &answer);
    }

    fn handle_of_edge(&self, from: &ControllerId, request: &ReplyTo, message: ControlMessage) {
        let left = match &self.tunnel {
            Some(tunnel) => tunnel.handle(message),
            None => Some(message),
        };
        let left = match (&self.edge, left) {
            (Some(edge), Some(message)) => edge.handle(from, request, message),
            (_, left) => left,
        };
        if let Some(message) = left {
            let kind = message.content_type().0;
            tracing::debug!(controller = %from, kind, "passed over a message of the controller");
        }
    }
}
