use super::*;
use crate::tracer::ServedRequest;
use http::HeaderValue;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use portcullis_metrics::{Exposition, Labels, Page, Point, PointValue};
use portcullis_system::SystemClock;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Head and body of a message.
type Arrived = (String, Vec<u8>);

/// A receiver that gives these answers, and then none; and what it gets.
async fn receiver(answers: &'static [&'static str]) -> (Url, UnboundedReceiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (arrived, messages) = unbounded_channel();
    tokio::spawn(async move {
        let mut answers = answers.iter();
        let mut unanswered = Vec::new();
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(socket);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                stream.read_line(&mut head).await.unwrap();
            }
            let lower = head.to_ascii_lowercase();
            let (_, length) = lower.split_once("content-length: ").unwrap();
            let (length, _) = length.split_once("\r\n").unwrap();
            let mut body = vec![0; length.parse().unwrap()];
            stream.read_exact(&mut body).await.unwrap();
            arrived.send((head, body)).unwrap();
            match answers.next() {
                Some(answer) => {
                    let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                },
                None => unanswered.push(stream),
            }
        }
    });
    (url.parse().unwrap(), messages)
}

fn settings(endpoint: Url) -> ExporterSettings {
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static("Bearer x"));
    ExporterSettings {
        endpoint,
        headers,
        poster: Poster::new(
            Arc::new(rustls::RootCertStore::empty()),
            Duration::from_secs(10),
        )
        .unwrap(),
        service: Service {
            name: "tests",
            version: "1",
            instance_id: "i".to_owned(),
        },
        clock: Arc::new(SystemClock),
        metrics: None,
        traces: Some(SampleRatio::per_million(1_000_000)),
    }
}

fn record_request(exporter: &Exporter) {
    let span = exporter.tracer().unwrap().begin(None, None).unwrap();
    span.end(&ServedRequest {
        id: "r1",
        method: "GET",
        route: None,
        status: 200,
        peer: [127, 0, 0, 1].into(),
    });
}

/// The figures of the exporter, as a page.
fn page(exporter: &Exporter) -> String {
    let mut page = Page::new(Exposition::Prometheus);
    exporter.statistics().expose(&mut page, None);
    page.finish()
}

#[tokio::test]
async fn message_is_repeated_when_the_endpoint_says_so() {
    let answers = &["503 Unavailable\r\nRetry-After: 2", "200 OK"];
    let (url, mut messages) = receiver(answers).await;
    let exporter = Exporter::start(settings(url));
    record_request(&exporter);
    let first = messages.recv().await.unwrap();
    let begun = Instant::now();
    let second = messages.recv().await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(2));
    assert_eq!(first, second);
    let (head, body) = first;
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: Bearer x\r\n"), "{head}");
    let message = ExportTraceServiceRequest::decode(&*body).unwrap();
    let span = &message.resource_spans[0].scope_spans[0].spans[0];
    assert_eq!(span.name, "GET");
    assert!(exporter.stop(Duration::from_secs(5)).await);
    let page = page(&exporter);
    for line in [
        "portcullis_otlp_exports_total{outcome=\"success\",signal=\"traces\"} 1",
        "portcullis_otlp_exports_total{outcome=\"repeated\",signal=\"traces\"} 1",
        "portcullis_otlp_exports_total{outcome=\"failed\",signal=\"traces\"} 0",
        "portcullis_otlp_spans_dropped_total{reason=\"export_failed\"} 0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
}

#[tokio::test]
async fn what_is_refused_is_given_up_and_counted() {
    let (url, mut messages) = receiver(&["400 Bad Request", "200 OK"]).await;
    let exporter = Exporter::start(settings(url));
    record_request(&exporter);
    record_request(&exporter);
    messages.recv().await.unwrap();
    record_request(&exporter);
    assert!(exporter.stop(Duration::from_secs(5)).await);
    messages.recv().await.unwrap();
    assert!(messages.try_recv().is_err());
    let page = page(&exporter);
    let lost = "portcullis_otlp_spans_dropped_total{reason=\"export_failed\"} 2";
    assert!(page.contains(lost), "{page}");
}

#[tokio::test]
async fn the_last_spans_and_figures_are_sent_at_the_end() {
    let (url, mut messages) = receiver(&["200 OK", "200 OK"]).await;
    let mut settings = settings(url.join("base/").unwrap());
    settings.metrics = Some(MetricSettings {
        measurements: Arc::new(|| {
            vec![PointFamily {
                name: "a.b".to_owned(),
                help: String::new(),
                points: vec![Point {
                    labels: Labels::default(),
                    value: PointValue::Counter(1),
                    time: None,
                }],
            }]
        }),
        counting_since: Timestamp::UNIX_EPOCH,
        interval: Duration::from_hours(1),
    });
    let exporter = Exporter::start(settings);
    record_request(&exporter);
    assert!(exporter.stop(Duration::from_secs(5)).await);
    let mut arrived = [
        messages.recv().await.unwrap(),
        messages.recv().await.unwrap(),
    ];
    arrived.sort();
    let [(metrics, body), (traces, _)] = arrived;
    assert!(metrics.starts_with("POST /base/v1/metrics "), "{metrics}");
    assert!(traces.starts_with("POST /base/v1/traces "), "{traces}");
    let message = ExportMetricsServiceRequest::decode(&*body).unwrap();
    let metric = &message.resource_metrics[0].scope_metrics[0].metrics[0];
    assert_eq!(metric.name, "a.b");
}

#[tokio::test]
async fn endpoint_that_does_not_answer_delays_the_end_no_longer_than_allowed() {
    let (url, mut messages) = receiver(&[]).await;
    let exporter = Exporter::start(settings(url));
    record_request(&exporter);
    messages.recv().await.unwrap();
    record_request(&exporter);
    let begun = Instant::now();
    assert!(!exporter.stop(Duration::from_millis(300)).await);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn endpoint_that_is_away_does_not_delay_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let exporter = Exporter::start(settings(url.parse().unwrap()));
    record_request(&exporter);
    assert!(exporter.stop(Duration::from_secs(30)).await);
    let lost = "portcullis_otlp_spans_dropped_total{reason=\"export_failed\"} 1";
    assert!(page(&exporter).contains(lost));
}

#[test]
fn answers_may_take_a_part() {
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTracePartialSuccess;
    let answer = ExportTraceServiceResponse {
        partial_success: Some(ExportTracePartialSuccess {
            rejected_spans: 3,
            ..ExportTracePartialSuccess::default()
        }),
    };
    assert_eq!(rejected(&answer.encode_to_vec()), 3);
    assert_eq!(rejected(b""), 0);
    assert_eq!(rejected(b"nonsense"), 0);
}
