//! What routers report and measure of themselves.

use super::Handler;
use super::retry::Attempt;
use crate::events;
use crate::session;
use crate::translate;
use portcullis_app::routers::{self, RouterHello, RouterRefusal};
use portcullis_channel::Frame;
use portcullis_domain::router::NetworkInterface;
use portcullis_wire::control::address::Endpoint;
use portcullis_wire::control::interface::{Interface, RouterInterfaces};
use portcullis_wire::control::metrics::Metrics;
use std::sync::Arc;

impl Handler {
    /// Keeps what the router has said of itself in its hello.
    pub(super) fn keep_hello(&self) {
        let said = &self.session.hello;
        let hello = RouterHello {
            version: session::version(said),
            capabilities: said.capabilities.mask(),
            ctrl_chan_listeners: Some(said.control_listeners.iter().map(listener).collect()),
        };
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        self.until_done(move || {
            let (plane, session, hello) = (Arc::clone(&plane), Arc::clone(&session), hello.clone());
            async move {
                let kept = routers::report_hello(&plane.app, &session.router, hello).await;
                let Err(refusal) = kept else {
                    return Attempt::Done;
                };
                tracing::debug!(router = %session.id(), %refusal, "what a router says of itself is not kept");
                if refusal.is_temporary() {
                    Attempt::Again
                } else {
                    Attempt::Done
                }
            }
        });
    }

    pub(super) fn handle_interfaces(&self, frame: &Frame, interfaces: RouterInterfaces) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        let interfaces = interfaces.interfaces.into_iter().map(interface).collect();
        self.later(async move {
            let kept = routers::report_interfaces(&plane.app, &session.router, interfaces).await;
            match kept.map_err(|refusal: RouterRefusal| refusal.to_string()) {
                Ok(()) => session.reply_result(&reply_to, Ok("")),
                Err(reason) => session.reply_result(&reply_to, Err(&reason)),
            }
        });
    }

    pub(super) fn handle_metrics(&self, metrics: Metrics) {
        let from = self.session.network;
        let latencies: Vec<_> = translate::latencies(&metrics).collect();
        if !latencies.is_empty() {
            self.plane.network.change(|fabric, _| {
                for (link, latency) in &latencies {
                    fabric.report_latency(from, link, *latency);
                }
            });
        }
        events::publish_metrics(&self.plane, &self.session, metrics);
    }
}

fn listener(endpoint: &Endpoint) -> (String, Option<Vec<String>>) {
    let groups = (!endpoint.groups.is_empty()).then(|| endpoint.groups.clone());
    (endpoint.address.clone(), groups)
}

fn interface(interface: Interface) -> NetworkInterface {
    NetworkInterface {
        name: interface.name,
        hardware_address: interface.hardware_address,
        mtu: u32::try_from(interface.mtu).unwrap_or_default(),
        index: u32::try_from(interface.index).unwrap_or_default(),
        flags: interface.flags,
        addresses: interface.addresses,
    }
}
