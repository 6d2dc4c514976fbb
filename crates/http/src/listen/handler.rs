//! Between the HTTP library and the service: panics, tunnels, unread bodies.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, EXPECT, HOST, HeaderValue};
use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;

use super::activity::Activity;
use super::refusal::{Refusal, RefusedRequest};
use super::tracked::Tracked;
use super::{Answer, Body, Connection, Service, shielded, whole};

/// Answers the requests of one connection.
#[derive(Clone)]
pub(super) struct Handler {
    /// What answers them.
    pub(super) service: Arc<dyn Service>,
    /// Facts handed over with each.
    pub(super) connection: Arc<Connection>,
    /// State of the connection.
    pub(super) activity: Arc<Activity>,
    /// The request that the parser refused.
    pub(super) refused: Arc<RefusedRequest>,
}

impl hyper::service::Service<Request<Incoming>> for Handler {
    type Response = Response<Tracked>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let handler = self.clone();
        // Counted from here, not from the first poll: HTTP/2 polls in a task of its own.
        let (number, refusal) = self.refused.begin();
        let running = self.activity.begin(number);
        Box::pin(async move {
            let answer = match refusal.or_else(|| refusal_of(&request)) {
                Some(refusal) => handler.refuse(refusal),
                None => handler.answer(request).await,
            };
            Ok(answer.map(|body| Tracked::new(body, running)))
        })
    }
}

impl Handler {
    /// Answers a request that is not for the service, and ends the connection.
    fn refuse(&self, refusal: Refusal) -> Answer {
        self.activity.leave_body_unread();
        closing(self.service.refuse(&self.connection, refusal))
    }

    /// Answers one request.
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let is_http1 = request.version() < Version::HTTP_2;
        let is_tunnel = matches!(*request.method(), Method::CONNECT | Method::TRACE);
        let may_read = !request.headers().contains_key(EXPECT);
        let (parts, incoming) = request.into_parts();
        let (body, rest) = Body::arriving(incoming, is_http1);
        let mut answer = self.shielded(Request::from_parts(parts, body)).await;
        if is_tunnel && answer.status().is_success() {
            answer = bare(StatusCode::METHOD_NOT_ALLOWED);
        }
        let is_fit = rest.settle(may_read).await;
        if !is_fit {
            self.activity.leave_body_unread();
        }
        if is_http1 && (is_tunnel || !is_fit) {
            closing(answer)
        } else {
            answer
        }
    }

    /// Runs the service, turning a panic into a 500.
    async fn shielded(&self, request: Request<Body>) -> Answer {
        let method = request.method().clone();
        shielded(|| self.service.call(&self.connection, request))
            .await
            .unwrap_or_else(|panicked| {
                // No path: it may hold a token. A service that knows more says it itself.
                tracing::error!(%method, peer = %self.connection.peer, "{panicked}");
                bare(StatusCode::INTERNAL_SERVER_ERROR)
            })
    }
}

/// Looks for what the parser accepts and the service is not to see.
fn refusal_of(request: &Request<Incoming>) -> Option<Refusal> {
    // RFC 9112 section 3.2.
    let hosts = request.headers().get_all(HOST).iter().count();
    let is_addressed = hosts == 1 || request.version() != Version::HTTP_11;
    (!is_addressed).then_some(Refusal::Host)
}

/// Makes an answer without a body.
pub(super) fn bare(status: StatusCode) -> Answer {
    let mut answer = Response::new(whole(Bytes::new()));
    *answer.status_mut() = status;
    answer
}

/// Announces that the connection ends with this answer, which the HTTP library then sees to.
fn closing(mut answer: Answer) -> Answer {
    answer
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}
