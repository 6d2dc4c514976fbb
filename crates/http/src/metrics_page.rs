//! Metrics for Prometheus, under a path of their own.
//!
//! However many ask at the same time, one page is written, for all of them: the next one a second later. The
//! thread that writes it holds the place of the page, so that those who ask and leave do not pile up work.

use crate::compress;
use bytes::Bytes;
use http::header::{ACCEPT, ALLOW, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, VARY};
use http::{Method, Request, Response, StatusCode};
use portcullis_app::metrics::Operation;
use portcullis_app::{App, monitoring, run_blocking};
use portcullis_domain::clock::Timestamp;
use portcullis_listener::{
    Body, Connection, DrainFuture, HeadRefusal, ResponseFuture, Service, ServiceResponse, full_body,
};
use portcullis_metrics::Exposition;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long a page is good for others who ask.
const LIFETIME: Duration = Duration::from_secs(1);

/// How requests are measured themselves.
const OPERATION: Operation = Operation {
    base_path: "",
    path: "/metrics",
};

/// Who may read metrics, and what they look like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsOptions {
    /// The certificate that a client must have; without one, everybody may read them.
    pub scraper: Option<ScraperCertificate>,
    /// Whether each sample has the time when it was measured.
    pub has_times: bool,
}

/// The certificate of a client that reads metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScraperCertificate {
    pub der: Vec<u8>,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
}

/// A service in front of which metrics are served, under `/metrics`.
pub struct WithMetrics {
    service: Arc<dyn Service>,
    metrics: Arc<MetricsPages>,
}

struct MetricsPages {
    app: Arc<App>,
    options: MetricsOptions,
    prometheus: Place,
    open_metrics: Place,
}

/// Where a page is, if one was written.
type Place = Arc<Mutex<Option<WrittenPage>>>;

#[derive(Clone)]
struct WrittenPage {
    at: Instant,
    text: Bytes,
    gzip: Option<Bytes>,
}

impl WithMetrics {
    /// Serves metrics, and `service` everywhere else.
    pub fn new(service: Arc<dyn Service>, app: Arc<App>, options: MetricsOptions) -> Self {
        Self {
            service,
            metrics: Arc::new(MetricsPages {
                app,
                options,
                prometheus: Place::default(),
                open_metrics: Place::default(),
            }),
        }
    }
}

impl Service for WithMetrics {
    fn call(&self, connection: &Arc<Connection>, request: Request<Body>) -> ResponseFuture {
        if !matches!(request.uri().path(), "/metrics" | "/metrics/") {
            return self.service.call(connection, request);
        }
        let (metrics, connection) = (Arc::clone(&self.metrics), Arc::clone(connection));
        Box::pin(async move {
            let begun = Instant::now();
            let (method, headers) = (request.method(), request.headers());
            let response = metrics.respond(&connection, method, headers).await;
            metrics.app.metrics().requests().record(
                Some(OPERATION),
                method.as_str(),
                response.status().as_u16(),
                begun.elapsed(),
            );
            response
        })
    }

    fn refuse(&self, connection: &Connection, refusal: HeadRefusal) -> ServiceResponse {
        self.service.refuse(connection, refusal)
    }

    fn drain(&self) -> DrainFuture<'_> {
        self.service.drain()
    }
}

impl MetricsPages {
    async fn respond(
        &self,
        connection: &Connection,
        method: &Method,
        headers: &HeaderMap,
    ) -> ServiceResponse {
        if !self.may_read(connection) {
            tracing::debug!(
                peer = %connection.peer,
                "metrics are refused to a client without the certificate of `scrapeCert`"
            );
            return with_type(empty(StatusCode::UNAUTHORIZED), Exposition::Prometheus);
        }
        if !matches!(*method, Method::GET | Method::HEAD) {
            let mut refusal = empty(StatusCode::METHOD_NOT_ALLOWED);
            let allowed = HeaderValue::from_static("GET, HEAD");
            refusal.headers_mut().insert(ALLOW, allowed);
            return refusal;
        }
        let accepted = headers.get_all(ACCEPT).iter();
        let accepted: Vec<_> = accepted.filter_map(|value| value.to_str().ok()).collect();
        let format = Exposition::from_accept(&accepted.join(","));
        let page = match self.page(format).await {
            Ok(page) => page,
            Err(error) => {
                tracing::error!(%error, "metrics cannot be written");
                return empty(StatusCode::INTERNAL_SERVER_ERROR);
            },
        };
        let gzip = page.gzip.filter(|_| compress::accepts_gzip(headers));
        let is_gzip = gzip.is_some();
        let body = full_body(gzip.unwrap_or(page.text));
        let mut response = with_type(Response::new(body), format);
        let answer = response.headers_mut();
        if is_gzip {
            answer.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        let varies = HeaderValue::from_static("accept, accept-encoding");
        answer.insert(VARY, varies);
        response
    }

    fn may_read(&self, connection: &Connection) -> bool {
        let Some(scraper) = &self.options.scraper else {
            return true;
        };
        let leaf = connection.client_certificates.first();
        let now = self.app.env().now();
        let is_in_time = scraper.not_before <= now && now <= scraper.not_after;
        is_in_time && leaf.is_some_and(|leaf| **leaf == *scraper.der)
    }

    /// A page that is not older than a second.
    async fn page(&self, format: Exposition) -> Result<WrittenPage, portcullis_app::AppError> {
        let place = match format {
            Exposition::Prometheus => &self.prometheus,
            Exposition::OpenMetrics => &self.open_metrics,
        };
        let mut place = Arc::clone(place).lock_owned().await;
        if let Some(page) = place.as_ref().filter(|page| page.at.elapsed() < LIFETIME) {
            return Ok(page.clone());
        }
        let (app, has_times) = (Arc::clone(&self.app), self.options.has_times);
        run_blocking(move || {
            let text = Bytes::from(monitoring::page(&app, format, has_times));
            let page = WrittenPage {
                at: Instant::now(),
                gzip: compress::gzip(&text),
                text,
            };
            *place = Some(page.clone());
            Ok(page)
        })
        .await
    }
}

fn with_type(mut response: ServiceResponse, format: Exposition) -> ServiceResponse {
    let content_type = HeaderValue::from_static(format.content_type());
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

fn empty(status: StatusCode) -> ServiceResponse {
    let mut response = Response::new(full_body(Bytes::new()));
    *response.status_mut() = status;
    response
}

impl std::fmt::Debug for WithMetrics {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("WithMetrics")
            .field("options", &self.metrics.options)
            .finish_non_exhaustive()
    }
}
