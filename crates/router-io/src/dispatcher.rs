//! What controllers say, handed to the part of the router that it is for.

use std::sync::Arc;

use portcullis_channel::ReplyTo;
use portcullis_router::edge::ControllerId;
use portcullis_wire::control::ControlMessage;

use crate::controllers::{ControlService, Controllers};
use crate::edge::Edge;
use crate::inspect::Inspections;
use crate::links::LinkManager;
use crate::routes::Routes;
use crate::terminators;

/// Hands messages of controllers on.
pub(crate) struct Dispatcher {
    pub(crate) routes: Arc<Routes>,
    pub(crate) links: Arc<LinkManager>,
    /// `None` for a router of the fabric only.
    pub(crate) edge: Option<Edge>,
    pub(crate) controllers: Arc<Controllers>,
    pub(crate) inspections: Arc<Inspections>,
}

impl ControlService for Dispatcher {
    fn connected(&self, controller: &ControllerId) {
        self.links.controller_connected(controller);
        if let Some(edge) = &self.edge {
            edge.connected(controller);
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
            other => self.handle_of_edge(from, &request, other),
        }
    }
}

impl Dispatcher {
    fn handle_of_edge(&self, from: &ControllerId, request: &ReplyTo, message: ControlMessage) {
        let left = match (&self.edge, message) {
            (Some(edge), message) => edge.handle(from, request, message),
            (None, ControlMessage::ValidateTerminators(question)) => {
                let answer = terminators::validate(&question);
                let answer = ControlMessage::ValidatedTerminators(answer);
                self.controllers.reply(from, request, &answer);
                return;
            },
            (None, message) => Some(message),
        };
        if let Some(message) = left {
            let kind = message.content_type().0;
            tracing::debug!(controller = %from, kind, "passed over a message of the controller");
        }
    }
}
