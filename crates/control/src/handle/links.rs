//! Links.

use super::Handler;
use crate::translate::{self, ReportedFault};
use portcullis_app::routers;
use portcullis_channel::Frame;
use portcullis_domain::ids::RouterId;
use portcullis_wire::control::link::{Fault, LinkState, RouterLinks, VerifyRouter};
use portcullis_wire::control::peer::Listeners;

impl Handler {
    pub(super) fn handle_links(&self, links: RouterLinks) {
        let reports = translate::link_reports(links.links);
        self.plane.network.change(|fabric, now| {
            fabric.report_links(self.session.network, reports, links.is_full, now);
        });
    }

    pub(super) fn handle_link_state(&self, state: LinkState) {
        if let Some(state) = translate::link_state(state) {
            self.plane.network.change(|fabric, now| {
                fabric.report_link_state(self.session.network, state, now);
            });
        }
    }

    pub(super) fn handle_fault(&self, fault: &Fault) {
        let from = self.session.network;
        let Some(fault) = translate::fault(fault) else {
            return;
        };
        self.plane.network.change(|fabric, now| match fault {
            ReportedFault::Link(fault) => fabric.report_link_fault(from, fault, now),
            ReportedFault::Circuit(circuit, fault) => {
                fabric.handle_circuit_fault(from, &circuit, fault, now);
            },
            ReportedFault::Forward(circuits, fault) => {
                fabric.handle_forward_fault(from, circuits, fault, now);
            },
        });
    }

    /// A router asks about another one, which has dialed a link to it.
    pub(super) fn handle_verify_router(&self, frame: &Frame, peer: &VerifyRouter) {
        let id = RouterId::from_wire(peer.router_id.clone());
        let to = frame.reply_to();
        match routers::verify_peer(&self.plane.app, &id, &peer.fingerprints) {
            Ok(()) => self.session.reply_result(&to, Ok("router verified")),
            // A failure makes the other router dial again at once, silence makes it wait.
            Err(refusal) if refusal.is_temporary() => {
                tracing::warn!(router = %id, %refusal, "a router cannot be verified now");
            },
            Err(refusal) => self.session.reply_result(&to, Err(&refusal.to_string())),
        }
    }

    pub(super) fn handle_listeners(&self, listeners: Listeners) {
        self.session.set_listeners(listeners.listeners);
        self.plane.sessions.tell_of(self.session.id());
    }
}
