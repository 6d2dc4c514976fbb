//! Links that open: dialed by this router, or accepted from another one.

use std::sync::Arc;

use portcullis_forwarding::Hop;
use portcullis_router::links::{Admission, Dial, DialFailure, Link, LinkId, LinkKey};
use portcullis_transport::Inbox;

use super::{LinkManager, State};
use crate::links::accept::{GroupPlace, MAX_ACCEPTED, NotAccepted};
use crate::links::dial::{Dialed, LinkDialError};
use crate::links::open_link::OpenLink;
use portcullis_domain::error_sources::with_sources;

impl LinkManager {
    /// Dials, and tells the state machine what has become of it.
    pub(super) async fn dial(self: Arc<Self>, dial: Dial) {
        let dialing = self.dialing.dial(&dial);
        match self.stopping.run_until_cancelled(dialing).await {
            Some(Ok(dialed)) => self.open_dialed(dial, dialed),
            Some(Err(error)) => self.fail_dial(dial, &error),
            None => {},
        }
    }

    fn fail_dial(self: &Arc<Self>, dial: Dial, error: &LinkDialError) {
        let ticket = dial.ticket;
        tracing::warn!(
            router = %ticket.key().peer(),
            address = %ticket.address().escape_debug(),
            error = with_sources(error),
            "a link cannot be dialed"
        );
        let key = ticket.key().clone();
        self.act(|state, now| {
            state.dials.finish();
            state.links.dial_failed(ticket, error.failure(), now);
        });
        self.report_lost(&key);
    }

    fn open_dialed(self: &Arc<Self>, dial: Dial, dialed: Dialed) {
        let ticket = dial.ticket;
        let link = Arc::new(OpenLink {
            key: ticket.key().clone(),
            link: ticket.link().clone(),
            dialed: Some(ticket.address().to_owned()),
            channels: dialed.channels,
            connections: dialed.connections,
            counters: self.counters(),
        });
        let inboxes = dialed.inboxes;
        self.act(|state, now| {
            state.dials.finish();
            if link.is_closed() {
                // Closed before it was in use: most likely the other router has dialed, too.
                let failure = DialFailure::Duplicate;
                state.links.dial_failed(ticket, failure, now);
                return;
            }
            let admission = state.links.dial_succeeded(ticket, now);
            self.open(state, link, inboxes, admission, None);
        });
    }

    /// Whether another link of a router is accepted; why not, otherwise. Whoever verifies the router asks
    /// before.
    pub(in crate::links) fn may_accept(
        &self,
        key: &LinkKey,
        id: &LinkId,
    ) -> Result<(), NotAccepted> {
        let state = self.state.lock();
        let is_taken = |open: &OpenLink| open.link.id == *id && open.key.peer() != key.peer();
        if state.open.values().any(|open| is_taken(open)) {
            return Err(NotAccepted::IdTaken);
        }
        let of_router = state.open.values();
        let of_router =
            of_router.filter(|open| open.dialed.is_none() && open.key.peer() == key.peer());
        if of_router.count() >= MAX_ACCEPTED {
            return Err(NotAccepted::TooMany);
        }
        Ok(())
    }

    /// Handles a link that a verified router has dialed.
    pub(in crate::links) fn open_accepted(
        self: &Arc<Self>,
        link: Arc<OpenLink>,
        inboxes: Vec<Inbox>,
        place: Option<GroupPlace>,
    ) {
        // Meanwhile others may have come.
        if let Err(reason) = self.may_accept(&link.key, &link.link.id) {
            tracing::debug!(link = %link.link.id, %reason, "a link is closed");
            link.close();
            self.give_back(place);
            return;
        }
        self.act(|state, now| {
            let accepted = link.link.clone();
            let admission = state.links.link_accepted(&link.key, accepted, now);
            self.open(state, link, inboxes, admission, place);
        });
    }

    fn open(
        self: &Arc<Self>,
        state: &mut State,
        link: Arc<OpenLink>,
        inboxes: Vec<Inbox>,
        admission: Admission,
        place: Option<GroupPlace>,
    ) {
        if let Some(same) = state.open.insert(link.link.clone(), Arc::clone(&link)) {
            same.close();
        }
        if self.stopping.is_cancelled() {
            link.close();
        }
        let hop = (admission == Admission::Admitted).then(|| self.admit(state, &link));
        self.tasks
            .spawn(Arc::clone(self).carry(link, inboxes, hop, place));
    }

    /// Lets a link carry circuits, and tells controllers of it. While the state is locked, so that nobody is
    /// told before that the link is a duplicate.
    fn admit(&self, state: &mut State, link: &Arc<OpenLink>) -> Hop {
        let is_back = |lost: &Link| lost.id == link.link.id;
        if state.lost.get(&link.key).is_some_and(is_back) {
            state.lost.remove(&link.key);
        }
        let destination = Arc::<OpenLink>::clone(link);
        let (hop, _before) = self.relay.attach(link.link.id.as_str(), destination);
        self.report_new(link);
        hop
    }
}
