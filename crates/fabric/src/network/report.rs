//! What routers report about links.

use super::{
    Link, LinkEvent, LinkFault, LinkRefusal, LinkReport, LinkState, Network, NetworkOutput,
    RouterSession, RouterSlot,
};
use crate::LinkId;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

impl Network {
    /// Handles the links that a router has dialed. With `is_full`, those are all.
    pub fn report_links(&mut self, from: RouterSession, links: Vec<LinkReport>, is_full: bool) {
        if !self.is_current(from) {
            return;
        }
        let source = from.router();
        if is_full {
            let reported: BTreeSet<_> = links.iter().map(|link| &link.id).collect();
            let known = self.links.values();
            let gone: Vec<_> = known
                .filter(|link| link.source == source && !reported.contains(&link.id))
                .map(|link| link.id.clone())
                .collect();
            for link in gone {
                self.drop_link(&link, None);
            }
        }
        for report in links {
            let id = report.id.clone();
            if let Err(reason) = self.report_link(source, report) {
                self.refuse(id, source, reason);
            }
        }
    }

    fn report_link(&mut self, source: RouterSlot, report: LinkReport) -> Result<(), LinkRefusal> {
        let id = report.id.clone();
        let known = self.links.get(&id);
        if let Some(known) = known {
            if known.source != source {
                return Err(LinkRefusal::NotAnEnd);
            }
            if report.iteration <= known.iteration {
                let known = Arc::clone(known);
                self.announce(LinkEvent::Known(known));
                return Ok(());
            }
        }
        if !report.is_small() {
            return Err(LinkRefusal::TooLong);
        }
        let destination = self
            .routers
            .find(&report.destination)
            .ok_or(LinkRefusal::UnknownDestination)?;
        if destination == source {
            return Err(LinkRefusal::ToItself);
        }
        if known.is_none() && self.links_of(source) >= self.options.max_links_per_router {
            return Err(LinkRefusal::TooMany);
        }
        let latency = self.options.initial_link_latency;
        self.replace_link(Link::new(source, destination, report, latency));
        Ok(())
    }

    fn replace_link(&mut self, mut link: Link) {
        let id = link.id.clone();
        if self.routers.session(link.destination).is_none() {
            self.announce(LinkEvent::DestinationUnconnected(id.clone()));
        }
        let moved = self
            .links
            .get(&id)
            .is_some_and(|known| known.destination != link.destination);
        if moved {
            self.drop_link(&id, None);
        }
        let is_redialed = if let Some(known) = self.links.get(&id) {
            link.static_cost = known.static_cost;
            link.is_down = known.is_down;
            true
        } else {
            *self.link_counts.entry(link.source).or_default() += 1;
            false
        };
        let link = Arc::new(link);
        self.links.insert(id, Arc::clone(&link));
        self.announce(if is_redialed {
            LinkEvent::Redialed(link)
        } else {
            LinkEvent::Added(link)
        });
        self.add_paths();
    }

    /// Handles a changed list of connections of a link.
    pub fn report_link_state(&mut self, from: RouterSession, state: LinkState) {
        if !self.is_current(from) {
            return;
        }
        let Some(link) = self.links.get_mut(&state.id) else {
            return;
        };
        let refusal = if link.source != from.router() {
            LinkRefusal::NotAnEnd
        } else if !state.connections.is_small() {
            LinkRefusal::TooLong
        } else {
            let is_news = link.iteration == state.link_iteration
                && link.connections.iteration < state.connections.iteration;
            if is_news {
                Arc::make_mut(link).connections = state.connections;
                let changed = Arc::clone(link);
                self.announce(LinkEvent::ConnectionsChanged(changed));
            }
            return;
        };
        self.refuse(state.id, from.router(), refusal);
    }

    /// Handles the loss of a link as one of its ends reports it. The other end is told, also if circuits
    /// may not use the link: it would keep a link that nobody else knows.
    pub fn report_link_fault(&mut self, from: RouterSession, fault: LinkFault) {
        if !self.is_current(from) {
            return;
        }
        let LinkFault {
            id,
            iteration,
            kind,
        } = fault;
        let Some(link) = self.links.get(&id) else {
            self.announce(LinkEvent::UnknownFaulted { link: id, kind });
            return;
        };
        if !link.has_end(from.router()) {
            self.refuse(id, from.router(), LinkRefusal::NotAnEnd);
            return;
        }
        if iteration != 0 && iteration < link.iteration {
            return;
        }
        let other = link.other_end(from.router());
        let known_iteration = link.iteration;
        self.drop_link(&id, Some(kind));
        self.close_link(other, &id, known_iteration.max(iteration));
    }

    /// Handles the latency of a link as one of its ends measures it: round trip and time in queues.
    pub fn report_latency(&mut self, from: RouterSession, link: &LinkId, latency: Duration) {
        if !self.is_current(from) {
            return;
        }
        let Some(link) = self.links.get_mut(link) else {
            return;
        };
        let is_source = link.source == from.router();
        if !is_source && link.destination != from.router() {
            return;
        }
        let known = if is_source {
            link.source_latency
        } else {
            link.destination_latency
        };
        if known == latency {
            return;
        }
        let link = Arc::make_mut(link);
        if is_source {
            link.source_latency = latency;
        } else {
            link.destination_latency = latency;
        }
        self.graph.take();
    }

    fn refuse(&mut self, link: LinkId, by: RouterSlot, reason: LinkRefusal) {
        self.announce(LinkEvent::Refused { link, by, reason });
    }

    pub(super) fn announce(&mut self, event: LinkEvent) {
        self.output.push_back(NetworkOutput::Link(event));
    }
}
