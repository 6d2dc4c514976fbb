//! Adapter from hyper to the service: panics, tunnels, unread bodies.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, EXPECT, HOST, HeaderValue};
use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;

use crate::activity::Activity;
use crate::refusal::{HeadRefusal, RefusedRequest};
use crate::tracked_body::TrackedBody;
use crate::upgrade::{Upgrade, UpgradeSlot};
use crate::{Body, Connection, Service, ServiceResponse, catch_panic, full_body};

/// Handles the requests of one connection.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) service: Arc<dyn Service>,
    /// Passed to the service with each request.
    pub(crate) connection: Arc<Connection>,
    pub(crate) activity: Arc<Activity>,
    /// The request that the parser refused.
    pub(crate) refused: Arc<RefusedRequest>,
    /// What becomes of the connection after a 101.
    pub(crate) upgrade: UpgradeSlot,
}

impl hyper::service::Service<Request<Incoming>> for Handler {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let handler = self.clone();
        // Counted from here, not from the first poll: HTTP/2 polls in a task of its own.
        let (number, refusal) = self.refused.begin();
        let running_request = self.activity.begin_request(number);
        Box::pin(async move {
            let response = match refusal.or_else(|| find_refusal(&request)) {
                Some(refusal) => handler.refuse(refusal),
                None => handler.handle(request).await,
            };
            Ok(response.map(|body| TrackedBody::new(body, running_request)))
        })
    }
}

impl Handler {
    /// Responds to a request that the service does not see, and closes the connection.
    fn refuse(&self, refusal: HeadRefusal) -> ServiceResponse {
        self.activity.record_unread_body();
        with_connection_close(self.service.refuse(&self.connection, refusal))
    }

    async fn handle(&self, request: Request<Incoming>) -> ServiceResponse {
        let is_http1 = request.version() < Version::HTTP_2;
        let is_tunnel = matches!(*request.method(), Method::CONNECT | Method::TRACE);
        let may_read = !request.headers().contains_key(EXPECT);
        let (mut parts, incoming) = request.into_parts();
        let asked = parts.extensions.remove::<OnUpgrade>();
        let (body, remainder) = Body::from_incoming(incoming, is_http1);
        let mut response = self.call_service(Request::from_parts(parts, body)).await;
        if is_tunnel && response.status().is_success() {
            response = empty_response(StatusCode::METHOD_NOT_ALLOWED);
        }
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            response = self.switch_protocols(response, asked);
        }
        let is_reusable = remainder.discard(may_read).await;
        if !is_reusable {
            self.activity.record_unread_body();
        }
        if is_http1 && (is_tunnel || !is_reusable) {
            with_connection_close(response)
        } else {
            response
        }
    }

    /// Takes note of what serves the connection after a 101.
    fn switch_protocols(
        &self,
        mut response: ServiceResponse,
        asked: Option<OnUpgrade>,
    ) -> ServiceResponse {
        let upgrade = response.extensions_mut().remove::<Upgrade>();
        if upgrade.is_some_and(|upgrade| self.upgrade.accept(asked, &upgrade)) {
            return response;
        }
        tracing::error!(peer = %self.connection.peer, "a connection cannot be upgraded that the service wanted to");
        empty_response(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Calls the service, turning a panic into a 500.
    async fn call_service(&self, request: Request<Body>) -> ServiceResponse {
        let method = request.method().clone();
        catch_panic(|| self.service.call(&self.connection, request))
            .await
            .unwrap_or_else(|panic| {
                // No path: it may hold a token. A service that knows more logs it itself.
                tracing::error!(%method, peer = %self.connection.peer, "{panic}");
                empty_response(StatusCode::INTERNAL_SERVER_ERROR)
            })
    }
}

/// Finds requests that the parser accepts but the service must not see.
fn find_refusal(request: &Request<Incoming>) -> Option<HeadRefusal> {
    // RFC 9112 section 3.2.
    let hosts = request.headers().get_all(HOST).iter().count();
    let has_valid_host = hosts == 1 || request.version() != Version::HTTP_11;
    (!has_valid_host).then_some(HeadRefusal::Host)
}

/// Creates a response without a body.
pub(crate) fn empty_response(status: StatusCode) -> ServiceResponse {
    let mut response = Response::new(full_body(Bytes::new()));
    *response.status_mut() = status;
    response
}

/// Adds `Connection: close`, upon which hyper closes the connection.
fn with_connection_close(mut response: ServiceResponse) -> ServiceResponse {
    response
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
