//! Records of routers, their sessions, and what they report about links.

use super::Fabric;
use crate::{
    LinkFault, LinkId, LinkReport, LinkState, Network, RouterSession, RouterSlot, RouterSpec,
};
use portcullis_channel::Moment;
use portcullis_domain::ids::RouterId;
use std::time::Duration;

impl Fabric {
    /// See [`Network::set_router`].
    pub fn set_router(&mut self, id: RouterId, spec: RouterSpec, now: Moment) -> RouterSlot {
        self.change(now, |network| network.set_router(id, spec))
    }

    /// Removes a router, its links and the circuits that begin or end there; others take other paths.
    pub fn remove_router(&mut self, id: &RouterId, now: Moment) {
        self.change(now, |network| network.remove_router(id));
    }

    /// See [`Network::connect`].
    pub fn connect(&mut self, id: &RouterId, now: Moment) -> Option<RouterSession> {
        self.change(now, |network| network.connect(id))
    }

    /// See [`Network::disconnect`].
    pub fn disconnect(&mut self, session: RouterSession, now: Moment) {
        self.change(now, |network| network.disconnect(session, now));
    }

    /// See [`Network::report_links`].
    pub fn report_links(
        &mut self,
        from: RouterSession,
        links: Vec<LinkReport>,
        is_full: bool,
        now: Moment,
    ) {
        self.change(now, |network| network.report_links(from, links, is_full));
    }

    /// See [`Network::report_link_state`].
    pub fn report_link_state(&mut self, from: RouterSession, state: LinkState, now: Moment) {
        self.change(now, |network| network.report_link_state(from, state));
    }

    /// See [`Network::report_link_fault`].
    pub fn report_link_fault(&mut self, from: RouterSession, fault: LinkFault, now: Moment) {
        self.change(now, |network| network.report_link_fault(from, fault));
    }

    /// See [`Network::report_latency`].
    pub fn report_latency(&mut self, from: RouterSession, link: &LinkId, latency: Duration) {
        self.network.report_latency(from, link, latency);
    }

    /// See [`Network::set_link_cost`].
    pub fn set_link_cost(&mut self, id: &LinkId, cost: u32) -> bool {
        self.network.set_link_cost(id, cost)
    }

    /// See [`Network::set_link_down`]. Circuits take other paths.
    pub fn set_link_down(&mut self, id: &LinkId, is_down: bool, now: Moment) -> bool {
        self.change(now, |network| network.set_link_down(id, is_down))
    }

    /// See [`Network::remove_link`].
    pub fn remove_link(&mut self, id: &LinkId, now: Moment) {
        self.change(now, |network| network.remove_link(id));
    }

    fn change<T>(&mut self, now: Moment, change: impl FnOnce(&mut Network) -> T) -> T {
        let result = change(&mut self.network);
        self.follow_network(now);
        result
    }
}
