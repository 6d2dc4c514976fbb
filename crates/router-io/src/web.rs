//! Servers of the section `web`.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use portcullis_listener::{
    Body, Connection, Limits, ListenError, Listener, ResponseFuture, ServerTls, Service,
    ServiceResponse, TlsError, full_body,
};
use portcullis_metrics::{Exposition, MetricRegistry, expose};
use portcullis_router::health;
use portcullis_router::web::{BindPoint, TlsVersion, WebApi, WebOptions, WebServer};
use portcullis_router_config::model::Identity;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::health::Health;
use crate::listen_addresses::{listen_addresses, no_address, open_first};
use crate::tls::Tls;

/// A server of the section `web` cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("the interface `{0}` of the section `web` is no host and port that can be resolved")]
    Interface(String),
    #[error("the server `{name}` of the section `web`")]
    Listen {
        name: String,
        #[source]
        source: ListenError,
    },
    #[error("TLS of the server `{name}` cannot be set up")]
    Tls {
        name: String,
        #[source]
        source: TlsError,
    },
}

/// What is served.
#[derive(Clone)]
pub(crate) struct WebContent {
    pub(crate) health: Arc<Health>,
    pub(crate) metrics: Arc<MetricRegistry>,
    /// Id of the router.
    pub(crate) router: Arc<str>,
}

/// Servers whose sockets are bound.
pub(crate) struct WebServers {
    sockets: Vec<WebSocket>,
}

struct WebSocket {
    listener: Listener,
    tls: Arc<ServerTls>,
    limits: Limits,
    apis: Vec<WebApi>,
    bind_point: BindPoint,
}

impl WebServers {
    /// Binds the sockets of all servers. Their certificates are those of the router, or what
    /// `own_identity` loads for an entry that brings its own. Their options change `usual` limits.
    pub(crate) async fn bind<E: From<WebError>>(
        servers: Vec<WebServer<'_>>,
        router_tls: &Tls,
        usual: &Limits,
        own_identity: impl Fn(&Identity) -> Result<Arc<Tls>, E>,
    ) -> Result<Self, E> {
        let mut sockets = Vec::new();
        for server in servers {
            let own = server.identity.map(&own_identity).transpose()?;
            let tls = own.as_deref().unwrap_or(router_tls).server();
            let options = &server.options;
            let tls = tls
                .in_versions(
                    version(options.min_tls_version),
                    version(options.max_tls_version),
                )
                .map_err(|source| WebError::Tls {
                    name: server.name.to_owned(),
                    source,
                })?;
            let tls = Arc::new(tls);
            if server.apis.contains(&WebApi::Metrics) {
                tracing::warn!(
                    server = server.name,
                    "everybody who reaches this server can read the metrics of the router; let \
                     only Prometheus reach it"
                );
            }
            let apis: Vec<_> = server.apis.iter().map(|api| api.name()).collect();
            let apis = apis.join(", ");
            for bind_point in server.bind_points {
                let listener = open(server.name, bind_point.interface()).await?;
                tracing::info!(
                    server = server.name,
                    address = %listener.local_addr(),
                    apis,
                    "serving HTTPS"
                );
                sockets.push(WebSocket {
                    listener,
                    tls: Arc::clone(&tls),
                    limits: limits(options, usual),
                    apis: server.apis.clone(),
                    bind_point,
                });
            }
        }
        Ok(Self { sockets })
    }

    pub(crate) fn local_addresses(&self) -> Vec<SocketAddr> {
        let listeners = self.sockets.iter().map(|socket| &socket.listener);
        listeners.map(Listener::local_addr).collect()
    }

    /// Serves until `stop` is cancelled, each socket in a task of its own. HTTP/2 would bring nothing to clients
    /// that ask one thing at a time, and make the program larger.
    pub(crate) fn serve(self, content: &WebContent, tasks: &TaskTracker, stop: &CancellationToken) {
        for socket in self.sockets {
            let site = Site {
                content: content.clone(),
                apis: socket.apis,
                bind_point: socket.bind_point,
            };
            tasks.spawn(socket.listener.serve_http1(
                Arc::new(site),
                socket.tls,
                socket.limits,
                stop.clone(),
            ));
        }
    }
}

/// What is served at a bind point.
struct Site {
    content: WebContent,
    apis: Vec<WebApi>,
    bind_point: BindPoint,
}

impl Service for Site {
    fn call(&self, _connection: &Arc<Connection>, request: Request<Body>) -> ResponseFuture {
        Box::pin(std::future::ready(self.respond(&request)))
    }
}

impl Site {
    fn respond(&self, request: &Request<Body>) -> ServiceResponse {
        let is_metrics = matches!(request.uri().path(), "/metrics" | "/metrics/");
        if is_metrics && self.apis.contains(&WebApi::Metrics) {
            self.metrics(request)
        } else if self.apis.contains(&WebApi::HealthChecks) {
            self.health(request)
        } else {
            empty(StatusCode::NOT_FOUND)
        }
    }

    fn health(&self, request: &Request<Body>) -> ServiceResponse {
        let target = request.uri().path_and_query();
        let asked = health::Request {
            method: request.method().as_str(),
            target: target.map_or("/", |target| target.as_str()),
        };
        let answer = self.content.health.respond(asked, &self.bind_point);
        let mut response = Response::new(full_body(answer.body));
        *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
        for (name, value) in answer.headers {
            // A new address that is no value of a header is not announced.
            if let Ok(value) = HeaderValue::from_str(&value) {
                let name = HeaderName::from_static(name);
                response.headers_mut().insert(name, value);
            }
        }
        response
    }

    fn metrics(&self, request: &Request<Body>) -> ServiceResponse {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refusal = empty(StatusCode::METHOD_NOT_ALLOWED);
            let allowed = HeaderValue::from_static("GET, HEAD");
            refusal.headers_mut().insert(ALLOW, allowed);
            return refusal;
        }
        let accepted = request.headers().get(ACCEPT);
        let accepted = accepted.and_then(|accept| accept.to_str().ok());
        let format = Exposition::from_accept(accepted.unwrap_or_default());
        let text = expose(
            &self.content.metrics.snapshot(),
            &self.content.router,
            format,
        );
        let mut response = Response::new(full_body(text));
        let content_type = HeaderValue::from_static(format.content_type());
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        response
    }
}

fn empty(status: StatusCode) -> ServiceResponse {
    let mut response = Response::new(full_body(""));
    *response.status_mut() = status;
    response
}

fn limits(options: &WebOptions, usual: &Limits) -> Limits {
    Limits {
        idle: options.idle_timeout,
        header_read: options.read_timeout,
        write_stall: usual.write_stall.min(options.write_timeout),
        response_stall: usual.response_stall.min(options.write_timeout),
        response_total: usual.response_total.min(options.write_timeout),
        ..usual.clone()
    }
}

const fn version(version: TlsVersion) -> portcullis_listener::TlsVersion {
    match version {
        TlsVersion::Tls12 => portcullis_listener::TlsVersion::Tls12,
        TlsVersion::Tls13 => portcullis_listener::TlsVersion::Tls13,
    }
}

/// Listens at the interface of a bind point.
async fn open(name: &str, interface: &str) -> Result<Listener, WebError> {
    let unusable = || WebError::Interface(interface.escape_debug().to_string());
    let (host, port) = interface.rsplit_once(':').ok_or_else(unusable)?;
    let port: u16 = port.parse().map_err(|_not_a_port| unusable())?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let addresses = listen_addresses(host, port).await;
    let addresses = addresses.map_err(|_unknown| unusable())?;
    open_first(&addresses, no_address(), Listener::bind).map_err(|source| WebError::Listen {
        name: name.to_owned(),
        source,
    })
}

#[cfg(test)]
pub(crate) mod tests;
