//! What edge routers need for SDKs: sessions, and the data model.

use super::Handler;
use portcullis_domain::view::SyncStatus;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::edge_hello::{ClientHello, ServerHello, ServerHelloBody};
use std::collections::BTreeMap;

impl Handler {
    /// Tells an edge router what it gets from this controller. It answers with a [`ClientHello`].
    pub(super) fn greet_edge_router(&self) {
        if !self.session.router.is_edge() {
            return;
        }
        let data = ["instant", "routerModel"].map(|name| (name.to_owned(), "true".to_owned()));
        let hello = ServerHello {
            hello: ServerHelloBody {
                version: self.plane.hello.version.version.clone(),
                data: BTreeMap::from(data),
                byte_data: BTreeMap::new(),
            },
            has_data_model: true,
        };
        self.session.send(&ControlMessage::ServerHello(hello));
        self.session.set_sync_status(SyncStatus::Hello);
    }

    pub(super) fn handle_client_hello(&self, hello: ClientHello) {
        self.session.set_client_hello(hello.hello);
        self.session.set_sync_status(SyncStatus::HelloWait);
    }
}
