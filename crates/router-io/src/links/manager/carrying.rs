//! The life of an open link.

use std::sync::Arc;

use portcullis_forwarding::Hop;
use portcullis_router::control::Pipe;
use portcullis_transport::Inbox;

use super::LinkManager;
use crate::links::accept::GroupPlace;
use crate::links::open_link::OpenLink;
use crate::relay::Destination;

impl LinkManager {
    /// Runs a link to its end; one without a hop carries nothing.
    pub(super) async fn carry(
        self: Arc<Self>,
        link: Arc<OpenLink>,
        inboxes: Vec<Inbox>,
        hop: Option<Hop>,
        place: Option<GroupPlace>,
    ) {
        let (id, peer) = (link.link.id.as_str(), link.key.peer().as_str());
        let channels = link.channels.all();
        let traced = channels.map(|channel| self.traces.opened(channel.id(), Pipe::link(id, peer)));
        let _traced: Vec<_> = traced.collect();
        let reporting = async {
            loop {
                link.connections.changed().await;
                self.report_connections(&link);
            }
        };
        tokio::select! {
            () = link.carry(inboxes, hop, &self.relay) => {},
            () = reporting, if hop.is_some() => {},
        }
        if let Some(hop) = hop {
            let destination: Arc<dyn Destination> = Arc::<OpenLink>::clone(&link);
            self.relay.detach(hop, &destination);
        }
        self.give_back(place);
        self.closed(&link, hop.is_some());
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
