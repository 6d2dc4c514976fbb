//! What controllers are told of links: only of those that this router has dialed.

use std::sync::Arc;
use std::time::Duration;

use portcullis_router::edge::{ControllerId, Recipient};
use portcullis_router::links::{LinkKey, LinkStatus};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{FaultSubject, RouterLinks};
use tokio::time::sleep;

use super::LinkManager;
use crate::links::open_link::{OpenLink, fault};

/// How long a link that is lost may be dialed again before controllers are told.
const PATIENCE: Duration = Duration::from_secs(1);

impl LinkManager {
    /// Tells a controller that has connected of all links.
    pub(crate) fn controller_connected(&self, controller: &ControllerId) {
        let state = self.state.lock();
        let used = state.open.values().filter(|link| state.is_used(link));
        let links = used.filter_map(|link| link.report()).collect();
        drop(state);
        let message = ControlMessage::RouterLinks(RouterLinks {
            links,
            is_full: true,
        });
        let to = Recipient::Only(controller.clone());
        let _is_gone = self.controllers.tell(&to, &message);
    }

    pub(super) fn report_new(&self, link: &OpenLink) {
        tracing::info!(
            link = %link.link.id,
            iteration = link.link.iteration,
            router = %link.key.peer(),
            address = link.dialed.as_deref().map(str::escape_debug).map(tracing::field::display),
            "a link is open"
        );
        if let Some(report) = link.report() {
            self.controllers
                .tell_all(&ControlMessage::RouterLinks(RouterLinks {
                    links: vec![report],
                    is_full: false,
                }));
        }
    }

    pub(super) fn report_connections(&self, link: &OpenLink) {
        if link.dialed.is_some() {
            self.controllers
                .tell_all(&ControlMessage::LinkState(link.state()));
        }
    }

    /// A link is lost. Controllers are told when it does not come back soon.
    pub(super) fn lose(self: &Arc<Self>, link: &OpenLink) {
        let mut state = self.state.lock();
        let status = state.links.status(&link.key);
        let has_come_back =
            matches!(&status, Some(LinkStatus::Linked(open)) if open.id == link.link.id);
        if has_come_back {
            return;
        }
        state.lost.insert(link.key.clone(), link.link.clone());
        drop(state);
        if status != Some(LinkStatus::Dialing) {
            self.report_lost(&link.key);
            return;
        }
        let (manager, key) = (Arc::clone(self), link.key.clone());
        tokio::spawn(async move {
            sleep(PATIENCE).await;
            manager.report_lost(&key);
        });
    }

    /// Tells controllers that a link is lost, unless it has come back.
    pub(super) fn report_lost(&self, key: &LinkKey) {
        let lost = self.state.lock().lost.remove(key);
        if let Some(link) = lost {
            let fault = fault(&link, FaultSubject::Link);
            self.faults.mark(1);
            self.controllers.tell_all(&ControlMessage::Fault(fault));
        }
    }
}
