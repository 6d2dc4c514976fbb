//! Routers and the links between them, as far as they are known.
//!
//! Links are made by routers; a controller records what is reported:
//!
//! | Report | from | Effect |
//! |---|---|---|
//! | links, each with its iteration | the router that dialed them | an unknown link is added, a higher iteration replaces a lower one, anything else is no news; links missing from a full report are gone |
//! | connections of a link | the same | recorded if they are of the same iteration of the link, and newer |
//! | fault, duplicate | either end | the link is gone unless its iteration is newer; the other end is told |
//! | latency | either end | the latency of that end |
//!
//! A router that loses its control channel is *held* for a while: its links and circuits stay as they
//! are, for it often returns at once and has carried on meanwhile. New paths avoid it.

mod graph;
mod link;
mod output;
mod path;
mod report;
mod routers;

pub use link::{
    FaultKind, Link, LinkConnection, LinkConnections, LinkFault, LinkReport, LinkState,
};
pub use output::{LinkEvent, LinkRefusal, NetworkOutput, RouterEvent};
pub use path::{Path, Paths};
pub use routers::{RouterSession, RouterSlot, RouterSpec};

use crate::LinkId;
use graph::Graph;
use portcullis_channel::Moment;
use portcullis_domain::ids::RouterId;
use routers::Routers;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Times and limits. Worst-case memory is proportional to the number of routers times
/// `max_links_per_router`, at most 300 KB for each link (200 connections with long addresses), and
/// usually 500 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkOptions {
    /// How long links and circuits of a router survive without its control channel.
    pub hold: Duration,
    /// Maximum number of links that one router may report.
    pub max_links_per_router: usize,
    /// Minimum cost of entering a router, so that a path over fewer routers is preferred.
    pub min_router_cost: u16,
    /// Latency of each end of a link until it is measured: long, so that other links are preferred.
    pub initial_link_latency: Duration,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        Self {
            hold: Duration::from_secs(10),
            max_links_per_router: 10_000,
            min_router_cost: 10,
            initial_link_latency: Duration::from_secs(65),
        }
    }
}

/// Routers and links.
#[derive(Debug)]
pub struct Network {
    options: NetworkOptions,
    routers: Routers,
    /// Shared with events that nobody has looked at yet.
    links: BTreeMap<LinkId, Arc<Link>>,
    /// Number of links that each router has reported.
    link_counts: BTreeMap<RouterSlot, usize>,
    /// Made from the rest when a path is searched, dropped when the rest changes.
    graph: OnceLock<Graph>,
    output: VecDeque<NetworkOutput>,
}

impl Network {
    pub fn new(options: NetworkOptions) -> Self {
        Self {
            options,
            routers: Routers::default(),
            links: BTreeMap::new(),
            link_counts: BTreeMap::new(),
            graph: OnceLock::new(),
            output: VecDeque::new(),
        }
    }

    /// Creates a router, or changes it.
    pub fn set_router(&mut self, id: RouterId, spec: RouterSpec) -> RouterSlot {
        let slot = self.routers.set(id, spec);
        self.add_paths();
        slot
    }

    /// Removes a router and its links.
    pub fn remove_router(&mut self, id: &RouterId) {
        let Some(router) = self.routers.find(id) else {
            return;
        };
        self.drop_links(|link| link.has_end(router));
        if let Some(session) = self.routers.session(router) {
            self.output.push_back(NetworkOutput::SessionEnded(session));
            self.announce_router(id.clone(), false);
        }
        self.routers.remove(router);
        self.graph.take();
        self.output.push_back(NetworkOutput::RouterLost(router));
    }

    /// Begins a session of a router, whose certificate was verified; it replaces the one before.
    /// `None` if the router is unknown.
    pub fn connect(&mut self, id: &RouterId) -> Option<RouterSession> {
        let router = self.routers.find(id)?;
        let (session, replaced) = self.routers.connect(router);
        match replaced {
            Some(replaced) => self.output.push_back(NetworkOutput::SessionEnded(replaced)),
            None => self.announce_router(id.clone(), true),
        }
        self.output.push_back(NetworkOutput::Connected(session));
        self.add_paths();
        Some(session)
    }

    /// Ends a session. Nothing happens if another has replaced it.
    pub fn disconnect(&mut self, session: RouterSession, now: Moment) {
        if self.routers.disconnect(session, now + self.options.hold) {
            self.graph.take();
            self.output.push_back(NetworkOutput::SessionEnded(session));
            if let Some(id) = self.router_id(session.router()) {
                self.announce_router(id.clone(), false);
            }
        }
    }

    pub fn is_current(&self, session: RouterSession) -> bool {
        self.routers.is_current(session)
    }

    /// The session of a connected router.
    pub fn session(&self, router: RouterSlot) -> Option<RouterSession> {
        self.routers.session(router)
    }

    pub fn find_router(&self, id: &RouterId) -> Option<RouterSlot> {
        self.routers.find(id)
    }

    pub fn router_id(&self, router: RouterSlot) -> Option<&RouterId> {
        self.routers.get(router).map(|router| &router.id)
    }

    /// The id of a router, also of one that was removed a short time ago, for those who tell of the past.
    pub fn past_router_id(&self, router: RouterSlot) -> Option<&RouterId> {
        let present = self.router_id(router);
        present.or_else(|| self.routers.removed(router))
    }

    pub fn link(&self, id: &LinkId) -> Option<&Link> {
        self.find_link(id.as_str())
    }

    /// The link with an id that may be of any length.
    pub fn find_link(&self, id: &str) -> Option<&Link> {
        self.links.get(id).map(Arc::as_ref)
    }

    /// All links, by id.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.values().map(Arc::as_ref)
    }

    /// Whether circuits may use the link: it is up, and both ends are connected.
    pub fn is_usable(&self, link: &Link) -> bool {
        let is_connected = |router| self.routers.session(router).is_some();
        !link.is_down && is_connected(link.source) && is_connected(link.destination)
    }

    /// Sets the cost of a link apart from its latencies; false if the link is unknown.
    pub fn set_link_cost(&mut self, id: &LinkId, cost: u32) -> bool {
        let link = self.links.get_mut(id).map(Arc::make_mut);
        let is_known = link.map(|link| link.static_cost = cost).is_some();
        self.graph.take();
        is_known
    }

    /// Keeps circuits off a link, or allows them again; false if the link is unknown.
    pub fn set_link_down(&mut self, id: &LinkId, is_down: bool) -> bool {
        let Some(link) = self.links.get_mut(id).map(Arc::make_mut) else {
            return false;
        };
        let was_down = std::mem::replace(&mut link.is_down, is_down);
        match (was_down, is_down) {
            (false, true) => {
                self.graph.take();
                self.output.push_back(NetworkOutput::LinkLost(id.clone()));
            },
            (true, false) => self.add_paths(),
            (true, true) | (false, false) => (),
        }
        true
    }

    /// Removes a link, and tells its ends to close it; all routers if it is unknown.
    pub fn remove_link(&mut self, id: &LinkId) {
        if let Some(link) = self.drop_link(id, None) {
            self.close_link(link.source, id, link.iteration);
            self.close_link(link.destination, id, link.iteration);
            return;
        }
        let all = self.routers.iter();
        let sessions: Vec<_> = all.filter_map(|(_, router)| router.session()).collect();
        self.output
            .extend(sessions.into_iter().map(|to| NetworkOutput::CloseLink {
                to,
                link: id.clone(),
                iteration: 0,
            }));
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.routers.next_deadline()
    }

    /// Gives up routers that have not come back.
    pub fn handle_timeout(&mut self, now: Moment) {
        while let Some(router) = self.routers.take_lost(now) {
            self.drop_links(|link| link.source == router);
            self.output.push_back(NetworkOutput::RouterLost(router));
        }
    }

    /// What is to be done, until there is nothing.
    pub fn poll_output(&mut self) -> Option<NetworkOutput> {
        self.output.pop_front()
    }

    fn entry_cost(&self, router: RouterSpec) -> u64 {
        u64::from(router.cost.max(self.options.min_router_cost))
    }

    fn links_of(&self, source: RouterSlot) -> usize {
        self.link_counts.get(&source).copied().unwrap_or_default()
    }

    fn drop_links(&mut self, is_gone: impl Fn(&Link) -> bool) {
        let all = self.links.values();
        let gone: Vec<_> = all
            .filter(|link| is_gone(link))
            .map(|link| link.id.clone())
            .collect();
        for link in gone {
            self.drop_link(&link, None);
        }
    }

    fn drop_link(&mut self, id: &LinkId, fault: Option<FaultKind>) -> Option<Arc<Link>> {
        let link = self.links.remove(id)?;
        if let Some(count) = self.link_counts.get_mut(&link.source) {
            *count -= 1;
            if *count == 0 {
                self.link_counts.remove(&link.source);
            }
        }
        self.graph.take();
        self.output.push_back(NetworkOutput::LinkLost(id.clone()));
        let gone = Arc::clone(&link);
        self.announce(LinkEvent::Removed { link: gone, fault });
        Some(link)
    }

    fn close_link(&mut self, router: RouterSlot, link: &LinkId, iteration: u32) {
        let session = self.routers.session(router);
        self.output
            .extend(session.map(|to| NetworkOutput::CloseLink {
                to,
                link: link.clone(),
                iteration,
            }));
    }

    fn announce_router(&mut self, router: RouterId, is_online: bool) {
        let event = RouterEvent { router, is_online };
        self.output.push_back(NetworkOutput::Router(event));
    }

    fn add_paths(&mut self) {
        self.graph.take();
        if self.output.back() != Some(&NetworkOutput::PathsAdded) {
            self.output.push_back(NetworkOutput::PathsAdded);
        }
    }
}
