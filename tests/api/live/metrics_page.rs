//! Metrics on a listener, for Prometheus.

use super::Live;
use futures_util::future::join_all;
use http::header::{ACCEPT, ACCEPT_ENCODING, ALLOW, CONTENT_ENCODING, CONTENT_TYPE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use portcullis_domain::clock::SignedDuration;
use portcullis_http::{MetricsOptions, ScraperCertificate, WithMetrics};
use portcullis_listener::{
    Body, Connection, ResponseFuture, Service, ServiceResponse, TlsVersion, full_body,
};
use rustls_pki_types::CertificateDer;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stands for the APIs beside the metrics.
#[derive(Debug)]
struct Others;

impl Service for Others {
    fn call(&self, _connection: &Arc<Connection>, _request: Request<Body>) -> ResponseFuture {
        Box::pin(std::future::ready(others_answer()))
    }
}

fn others_answer() -> ServiceResponse {
    let mut response = Response::new(full_body("others"));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

struct Site {
    live: Live,
    service: WithMetrics,
}

/// What a client sends.
#[derive(Clone, Copy)]
struct Scrape<'a> {
    method: &'a str,
    path: &'a str,
    accept: &'a str,
    accepts_gzip: bool,
    certificate: &'a [u8],
}

const SCRAPE: Scrape<'_> = Scrape {
    method: "GET",
    path: "/metrics",
    accept: "*/*",
    accepts_gzip: false,
    certificate: &[],
};

impl Site {
    async fn start(options: MetricsOptions) -> Self {
        let live = Live::start().await;
        let app = Arc::clone(&live.controller.app);
        let service = WithMetrics::new(Arc::new(Others), app, options);
        Self { live, service }
    }

    async fn scrape(&self, scrape: Scrape<'_>) -> (http::response::Parts, Vec<u8>) {
        let address = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 40_000);
        let certificates = [scrape.certificate].into_iter();
        let certificates = certificates.filter(|der| !der.is_empty());
        let connection = Arc::new(Connection {
            peer: address,
            local: address,
            client_certificates: certificates
                .map(|der| CertificateDer::from(der.to_vec()))
                .collect(),
            server_name: None,
            alpn: None,
            tls_version: TlsVersion::Tls13,
            is_resumed: false,
        });
        let mut request = Request::builder()
            .method(Method::from_bytes(scrape.method.as_bytes()).unwrap())
            .uri(scrape.path)
            .header(ACCEPT, scrape.accept);
        if scrape.accepts_gzip {
            request = request.header(ACCEPT_ENCODING, "gzip");
        }
        let request = request.body(Body::from(bytes::Bytes::new())).unwrap();
        let response = self.service.call(&connection, request).await;
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        (head, body)
    }

    async fn status(&self, scrape: Scrape<'_>) -> u16 {
        self.scrape(scrape).await.0.status.as_u16()
    }
}

#[tokio::test]
async fn only_its_path_has_metrics_and_only_for_reading() {
    let site = Site::start(MetricsOptions::default()).await;
    for path in ["/metrics", "/metrics/", "/metrics?collect=all"] {
        assert_eq!(site.status(Scrape { path, ..SCRAPE }).await, 200, "{path}");
    }
    for path in ["/", "/metrics/more", "/metricsmore", "/version"] {
        let (head, body) = site.scrape(Scrape { path, ..SCRAPE }).await;
        assert_eq!(
            (head.status.as_u16(), &*body),
            (404, &b"others"[..]),
            "{path}"
        );
    }
    for method in ["POST", "DELETE"] {
        let (head, body) = site.scrape(Scrape { method, ..SCRAPE }).await;
        assert_eq!((head.status.as_u16(), &*body), (405, &b""[..]));
        assert_eq!(head.headers[ALLOW], "GET, HEAD");
    }
    let method = "HEAD";
    assert_eq!(site.status(Scrape { method, ..SCRAPE }).await, 200);
}

#[tokio::test]
async fn format_and_encoding_are_negotiated() {
    let site = Site::start(MetricsOptions::default()).await;
    let (head, body) = site.scrape(SCRAPE).await;
    assert_eq!(
        head.headers[CONTENT_TYPE],
        "text/plain; version=0.0.4; charset=utf-8"
    );
    assert!(!head.headers.contains_key(CONTENT_ENCODING));
    assert!(!String::from_utf8(body).unwrap().contains("# EOF"));
    let (head, body) = site
        .scrape(Scrape {
            accept: "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.2",
            accepts_gzip: true,
            ..SCRAPE
        })
        .await;
    assert_eq!(
        head.headers[CONTENT_TYPE],
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    assert_eq!(head.headers[CONTENT_ENCODING], "gzip");
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&*body);
    std::io::Read::read_to_string(&mut decoder, &mut text).unwrap();
    assert!(text.ends_with("\n# EOF\n"), "{text}");
}

#[tokio::test]
async fn with_a_certificate_in_the_file_no_other_client_reads_metrics() {
    let live = Live::start().await;
    let now = live.controller.app.env().now();
    let day = SignedDuration::from_hours(24);
    let scraper = |not_before, not_after| MetricsOptions {
        scraper: Some(ScraperCertificate {
            der: b"scraper".to_vec(),
            not_before,
            not_after,
        }),
        has_times: false,
    };
    let site = Site::start(scraper(now - day, now + day)).await;
    for (certificate, status) in [(&b""[..], 401), (b"other", 401), (b"scraper", 200)] {
        let scrape = Scrape {
            certificate,
            ..SCRAPE
        };
        let (head, body) = site.scrape(scrape).await;
        assert_eq!(head.status.as_u16(), status);
        assert_eq!(body.is_empty(), status == 401);
        assert_eq!(
            head.headers[CONTENT_TYPE],
            "text/plain; version=0.0.4; charset=utf-8"
        );
    }
    for (not_before, not_after) in [(now + day, now + day * 2), (now - day * 2, now - day)] {
        let site = Site::start(scraper(not_before, not_after)).await;
        let scrape = Scrape {
            certificate: b"scraper",
            ..SCRAPE
        };
        assert_eq!(site.status(scrape).await, 401);
    }
}

#[tokio::test]
async fn times_are_there_if_they_are_wanted() {
    for has_times in [false, true] {
        let options = MetricsOptions {
            has_times,
            ..MetricsOptions::default()
        };
        let site = Site::start(options).await;
        let now = site.live.controller.app.env().now().as_millisecond();
        let (_, body) = site.scrape(SCRAPE).await;
        let text = String::from_utf8(body).unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("portcullis_links"));
        let expected = if has_times {
            format!("portcullis_links 0 {now}")
        } else {
            "portcullis_links 0".to_owned()
        };
        assert_eq!(line, Some(&*expected));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_scrapes_at_once_write_one_page() {
    let site = Site::start(MetricsOptions::default()).await;
    let written = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&written);
    let figures = move |_page: &mut _, _time| {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    site.live
        .controller
        .app
        .metrics()
        .add_further(Box::new(figures));
    // Some leave before their answer; what was begun for them is not begun again.
    for _ in 0..20 {
        let begun = site.scrape(SCRAPE);
        let _left = tokio::time::timeout(std::time::Duration::ZERO, begun).await;
    }
    let statuses = join_all((0..100).map(|_| site.status(SCRAPE))).await;
    assert_eq!(statuses, [200; 100]);
    // Another one is only written if writing and answering take longer than a second.
    let written = written.load(Ordering::Relaxed);
    assert!((1..=5).contains(&written), "{written}");
}
