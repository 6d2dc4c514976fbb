//! What edge routers need for SDKs: sessions, and the data model.

use super::Handler;
use crate::model::ModelOutlet;
use portcullis_app::service_sessions;
use portcullis_app::sessions::for_routers;
use portcullis_domain::view::SyncStatus;
use portcullis_wire::Token;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::Subscription;
use portcullis_wire::control::edge_hello::{ClientHello, ServerHello, ServerHelloBody};
use portcullis_wire::control::session::{
    ApiSessionHeartbeat, ApiSessionsRemoved, ResynchronizationRequest, SessionsRemoved,
    ValidateSessions,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tokens in one message; routers send no more.
const MAX_TOKENS: usize = 10_000;

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
        self.plane.client_sessions.synchronize(&self.session);
    }

    /// The router wants to follow the data model, or to go on doing so.
    pub(super) fn handle_subscription(&self, subscription: Subscription) {
        let subscriber = self.model.get_or_init(|| {
            let outlet = Arc::clone(&self.session) as Arc<dyn ModelOutlet>;
            self.plane.model.connect(self.session.id().clone(), outlet)
        });
        subscriber.subscribe(subscription);
    }

    /// The router has not got all sessions.
    pub(super) fn handle_resynchronization(&self, request: &ResynchronizationRequest) {
        let router = self.session.id();
        tracing::info!(%router, reason = request.reason, "a router wants all sessions again");
        self.plane.client_sessions.synchronize(&self.session);
    }

    /// Clients of the router use these sessions.
    pub(super) fn handle_session_heartbeat(&self, heartbeat: ApiSessionHeartbeat) {
        let mut tokens = heartbeat.tokens;
        tokens.truncate(MAX_TOKENS);
        let texts: Vec<_> = tokens.iter().map(Token::expose).collect();
        let over = for_routers::heartbeat(&self.plane.app, &self.session.router, &texts);
        match over {
            Ok(over) if over.is_empty() => {},
            Ok(over) => {
                let gone = over.into_iter().filter_map(|at| tokens.get(at).cloned());
                let removed = ApiSessionsRemoved {
                    tokens: gone.collect(),
                    ids: Vec::new(),
                };
                let removed = ControlMessage::ApiSessionsRemoved(removed);
                self.session.send(&removed);
            },
            Err(error) => {
                let router = self.session.id();
                tracing::debug!(%router, %error, "the use of sessions is not recorded");
            },
        }
    }

    /// A router asks which of the sessions for services that it knows of are over.
    pub(super) fn handle_validate_sessions(&self, validate: ValidateSessions) {
        let mut known = validate.session_tokens;
        known.truncate(MAX_TOKENS);
        let ids: Vec<_> = known.iter().map(Token::expose).collect();
        let router = &self.session.router;
        match service_sessions::find_ended(&self.plane.app, router, &ids) {
            Ok(ended) if ended.is_empty() => {},
            Ok(ended) => {
                let ended = ended.into_iter().filter_map(|at| known.get(at).cloned());
                let tokens: Vec<_> = ended.collect();
                let removed = SessionsRemoved {
                    ids: tokens.iter().map(|id| id.expose().clone()).collect(),
                    tokens,
                };
                self.session.send(&ControlMessage::SessionsRemoved(removed));
            },
            Err(error) => {
                let router = self.session.id();
                tracing::debug!(%router, %error, "sessions are not validated");
            },
        }
    }
}
