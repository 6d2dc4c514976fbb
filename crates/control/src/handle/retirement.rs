//! Routers whose operators take them out of use.

use super::Handler;
use portcullis_app::{hosting, routers};
use portcullis_channel::Frame;
use std::sync::Arc;

impl Handler {
    pub(super) fn handle_quiesce(&self, frame: &Frame) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let done = hosting::quiesce(&plane.app, &session.router).await;
            let done = done.map_err(|error| error.to_string());
            let text = done.as_ref().map(|()| "router quiesced");
            session.reply_result(&reply_to, text.map_err(String::as_str));
        });
    }

    pub(super) fn handle_dequiesce(&self, frame: &Frame) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let done = hosting::dequiesce(&plane.app, &session.router).await;
            let done = done.map_err(|error| error.to_string());
            let text = done.as_ref().map(|()| "router dequiesced");
            session.reply_result(&reply_to, text.map_err(String::as_str));
        });
    }

    /// Deletes the router. That its channel is closed is its answer; it is told only why it stays.
    pub(super) fn handle_decommission(&self, frame: &Frame) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            match routers::decommission(&plane.app, &session.router).await {
                Ok(()) => tracing::info!(router = %session.id(), "a router was decommissioned"),
                Err(refusal) => session.reply_result(&reply_to, Err(&refusal.to_string())),
            }
        });
    }
}
