//! The life of an open link.

use std::sync::Arc;

use portcullis_router::links::Admission;
use portcullis_transport::Inbox;

use super::LinkManager;
use crate::links::accept::GroupPlace;
use crate::links::open_link::OpenLink;
use crate::relay::Destination;

impl LinkManager {
    /// Runs a link to its end.
    pub(super) async fn carry(
        self: Arc<Self>,
        link: Arc<OpenLink>,
        inboxes: Vec<Inbox>,
        admission: Admission,
        place: Option<GroupPlace>,
    ) {
        let is_admitted = admission == Admission::Admitted;
        let destination: Arc<dyn Destination> = Arc::<OpenLink>::clone(&link);
        let hop = is_admitted.then(|| {
            let (hop, _before) = self
                .relay
                .attach(link.link.id.as_str(), Arc::clone(&destination));
            hop
        });
        if is_admitted {
            self.report_new(&link);
        }
        let reporting = async {
            loop {
                link.connections.changed().await;
                self.report_connections(&link);
            }
        };
        tokio::select! {
            () = link.carry(inboxes, hop, &self.relay) => {},
            () = reporting, if is_admitted => {},
        }
        if let Some(hop) = hop {
            self.relay.detach(hop, &destination);
        }
        self.give_back(place);
        self.closed(&link, is_admitted);
    }

    pub(super) fn give_back(&self, place: Option<GroupPlace>) {
        if let Some(place) = place {
            self.groups.close(place);
        }
    }

    fn closed(self: &Arc<Self>, link: &Arc<OpenLink>, is_reported: bool) {
        tracing::info!(
            link = %link.link.id,
            iteration = link.link.iteration,
            router = %link.key.peer(),
            "a link is closed"
        );
        self.act(|state, now| {
            let open = state.open.get(&link.link);
            if open.is_some_and(|open| Arc::ptr_eq(open, link)) {
                state.open.remove(&link.link);
                state.links.link_closed(&link.key, &link.link, now);
            }
        });
        if is_reported && link.dialed.is_some() {
            self.lose(link);
        }
    }
}
