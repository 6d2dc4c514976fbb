//! Metrics and traces that the controller exports, as a receiver gets them that knows OpenTelemetry's messages alone.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::json;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use support::api::MANAGEMENT;
use support::tools::are_available;
use support::wait::{DEFAULT_TIMEOUT, until};
use support::{Api, Controller, TestDirectory, Tool};

/// A header of the client that no log may show.
const TOKEN: &str = "collector-token-3141";

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A message as it arrived.
#[derive(Clone)]
struct Arrived {
    path: String,
    headers: Vec<String>,
    body: Vec<u8>,
    at: Instant,
}

/// What a receiver answers to the messages that it gets, by their number.
type Answer = fn(usize) -> Option<&'static str>;

/// A receiver on the loopback.
struct Receiver {
    url: String,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Receiver {
    /// Answers as `answer` says; where that is nothing, the connection stays open without an answer.
    fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/otlp/", listener.local_addr().unwrap());
        let arrived = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&arrived);
        thread::spawn(move || {
            let mut stalled = Vec::new();
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let Ok(message) = receive(&stream) else {
                    continue;
                };
                let mut all = all.lock().unwrap();
                let status = answer(all.len());
                all.push(message);
                drop(all);
                match status {
                    Some(status) => {
                        let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                    },
                    None => stalled.push(stream),
                }
            }
        });
        Self { url, arrived }
    }

    fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }

    fn of(&self, path: &str) -> Vec<Arrived> {
        let mut arrived = self.arrived();
        arrived.retain(|message| message.path == path);
        arrived
    }

    fn spans(&self) -> Vec<Span> {
        let messages = self.of("/otlp/v1/traces").into_iter().map(|message| {
            ExportTraceServiceRequest::decode(&*message.body).expect("the message is of OTLP")
        });
        let scopes = messages
            .flat_map(|message| message.resource_spans)
            .flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    fn metrics(&self) -> Vec<Metric> {
        let messages = self.of("/otlp/v1/metrics").into_iter().map(|message| {
            ExportMetricsServiceRequest::decode(&*message.body).expect("the message is of OTLP")
        });
        let scopes = messages
            .flat_map(|message| message.resource_metrics)
            .flat_map(|resource| resource.scope_metrics);
        scopes.flat_map(|scope| scope.metrics).collect()
    }

    /// Waits for a span.
    fn span(&self, wanted: impl Fn(&Span) -> bool) -> Span {
        let found = until(DEFAULT_TIMEOUT, || {
            let mut spans = self.spans().into_iter();
            spans.find(&wanted).ok_or("does not come")
        });
        found.unwrap_or_else(|_| panic!("no such span in {:#?}", self.spans()))
    }
}

fn receive(stream: &TcpStream) -> io::Result<Arrived> {
    stream.set_read_timeout(Some(DEFAULT_TIMEOUT))?;
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let request = lines.first().cloned().unwrap_or_default();
    let length = lines.iter().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    assert!(request.starts_with("POST "), "{request}");
    Ok(Arrived {
        path,
        headers: lines,
        body,
        at: Instant::now(),
    })
}

fn text<'a>(attributes: &'a [KeyValue], name: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|one| one.key == name)?;
    match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text),
        _ => None,
    }
}

fn route(span: &Span) -> Option<&str> {
    text(&span.attributes, "http.route")
}

fn hex(bytes: &[u8]) -> String {
    let digits = |text, byte| format!("{text}{byte:02x}");
    bytes.iter().fold(String::new(), digits)
}

/// A controller that exports to `receiver`, with further members of the section.
fn start(directory: &TestDirectory, receiver: &Receiver, further: &str) -> Controller {
    let first = directory.quickstart().start();
    assert!(first.terminate().success());
    let config = directory.home().join("controller.yml");
    let written = fs::read_to_string(&config).unwrap();
    let section = format!(
        "\notlp:\n  endpoint: {}\n  headers:\n    authorization: Bearer ${{COLLECTOR_TOKEN}}\n  {further}\n",
        receiver.url
    );
    fs::write(&config, written + &section).unwrap();
    directory
        .quickstart()
        .environment("COLLECTOR_TOKEN", TOKEN)
        .start()
}

#[test]
fn metrics_and_spans_arrive_with_their_values() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let receiver = Receiver::start(|_| Some("200 OK"));
    let directory = TestDirectory::new();
    let controller = start(&directory, &receiver, "interval: 1s");
    let admin = Api::admin(&controller);
    let reply = admin
        .curl(&format!("{MANAGEMENT}/identities?limit=1&filter=true"))
        .header(&format!("traceparent: 00-{TRACE}-{PARENT}-01"))
        .header("tracestate: vendor=1")
        .send();
    reply.expect_status(200);
    let lost = admin
        .curl(&format!("{MANAGEMENT}/identities/nobody?token=hunter2"))
        .send()
        .expect_status(404);
    spans(&receiver, &lost.text());
    metrics(&receiver);

    // The last request of all is told of as well.
    admin.get("/version").expect_status(200);
    assert!(controller.terminate().success());
    receiver.span(|span| route(span) == Some("/edge/management/v1/version"));
    for message in receiver.arrived() {
        let has = |line: &str| {
            message
                .headers
                .iter()
                .any(|one| one.eq_ignore_ascii_case(line))
        };
        assert!(has(&format!("authorization: Bearer {TOKEN}")));
        assert!(has("content-type: application/x-protobuf"));
        for secret in ["hunter2", admin.token()] {
            let is_there = message
                .body
                .windows(secret.len())
                .any(|part| part == secret.as_bytes());
            assert!(!is_there, "{secret} is in a message");
        }
    }
    assert!(!directory.logged().contains(TOKEN));
}

/// The span of a client's trace, and that of a request for what there is not, with the answer to it.
fn spans(receiver: &Receiver, lost: &str) {
    let continued = receiver.span(|span| hex(&span.trace_id) == TRACE);
    assert_eq!(hex(&continued.parent_span_id), PARENT);
    assert_eq!(continued.trace_state, "vendor=1");
    assert_eq!(route(&continued), Some("/edge/management/v1/identities"));
    assert_eq!(continued.name, "GET /edge/management/v1/identities");
    assert_eq!(continued.kind, 2, "it is the span of a server");
    assert!(continued.status.is_none());
    assert!(continued.start_time_unix_nano < continued.end_time_unix_nano);
    let failed = receiver.span(|span| route(span) == Some("/edge/management/v1/identities/{id}"));
    assert!(failed.parent_span_id.is_empty());
    assert_eq!((failed.trace_id.len(), failed.span_id.len()), (16, 8));
    let status = failed
        .attributes
        .iter()
        .find(|one| one.key == "http.response.status_code")
        .and_then(|one| one.value.clone()?.value);
    assert_eq!(status, Some(Value::IntValue(404)));
    let id = text(&failed.attributes, "portcullis.request.id").expect("the span has the id");
    assert!(lost.contains(id), "{id}: {lost}");
}

fn metrics(receiver: &Receiver) {
    let find = |name: &str| {
        let found = until(DEFAULT_TIMEOUT, || {
            let metrics = receiver.metrics().into_iter().rev();
            let mut metrics = metrics.filter(|metric| metric.name == name);
            metrics.next().ok_or("does not come")
        });
        found.unwrap_or_else(|_| panic!("no metric {name}"))
    };
    let Some(Data::Gauge(routers)) = find("portcullis.routers.connected").data else {
        panic!("the number of routers is a gauge");
    };
    let number = routers.data_points[0].value;
    let zero = opentelemetry_proto::tonic::metrics::v1::number_data_point::Value::AsInt(0);
    assert_eq!(number, Some(zero));
    let Some(Data::Sum(logins)) = find("portcullis.logins").data else {
        panic!("logins are a sum");
    };
    assert!(logins.is_monotonic);
    assert_eq!(logins.aggregation_temporality, 2, "it is cumulative");
    let point = &logins.data_points[0];
    assert_eq!(text(&point.attributes, "outcome"), Some("success"));
    assert!(point.start_time_unix_nano > 0 && point.start_time_unix_nano < point.time_unix_nano);
    let durations = until(DEFAULT_TIMEOUT, || {
        let metric = find("http.server.request.duration");
        assert_eq!(metric.unit, "s");
        let Some(Data::Histogram(durations)) = metric.data else {
            panic!("durations are a histogram");
        };
        let mut points = durations.data_points.into_iter();
        let lists = points.find(|point| {
            text(&point.attributes, "http.route") == Some("/edge/management/v1/identities")
        });
        lists.ok_or("is not measured yet")
    });
    let durations = durations.unwrap();
    assert_eq!(durations.count, 1);
    assert_eq!(durations.bucket_counts.iter().sum::<u64>(), 1);
    assert_eq!(
        durations.bucket_counts.len(),
        durations.explicit_bounds.len() + 1
    );
    let summary = find("ziti.api-session.create");
    assert!(
        matches!(summary.data, Some(Data::Summary(_))),
        "{summary:?}"
    );
}

#[test]
fn what_the_receiver_cannot_take_is_sent_again() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let receiver = Receiver::start(|number| {
        Some(if number == 0 {
            "503 Service Unavailable\r\nRetry-After: 3"
        } else {
            "200 OK"
        })
    });
    let directory = TestDirectory::new();
    let controller = start(&directory, &receiver, "metrics: false");
    Api::admin(&controller).get("/version").expect_status(200);
    let twice = until(DEFAULT_TIMEOUT, || match &*receiver.arrived() {
        [first, second, ..] => Ok((first.clone(), second.clone())),
        _ => Err("is not sent again"),
    });
    let (first, second) = twice.unwrap();
    assert!(first.body == second.body, "another message came first");
    assert!(second.at - first.at >= Duration::from_secs(3));
    until(DEFAULT_TIMEOUT, || {
        let is_over = directory.logged().contains("takes what it is sent again");
        is_over
            .then_some(())
            .ok_or("the log does not say that it is over")
    })
    .unwrap();
    assert!(controller.terminate().success());
    let logged = directory.logged();
    assert_eq!(logged.matches("does not take what it is sent").count(), 1);
    assert!(!logged.contains(TOKEN));
}

#[test]
fn nobody_waits_for_a_receiver_that_stalls() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let receiver = Receiver::start(|_| None);
    let directory = TestDirectory::new();
    let controller = start(&directory, &receiver, "interval: 1s");
    let admin = Api::admin(&controller);
    until(DEFAULT_TIMEOUT, || {
        let has_both = receiver.arrived().len() >= 2;
        has_both.then_some(()).ok_or("nothing is sent")
    })
    .unwrap();
    for _ in 0..20 {
        let begun = Instant::now();
        admin.get("/version").expect_status(200);
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
    let begun = Instant::now();
    assert!(controller.terminate().success());
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    assert!(directory.logged().contains("could not be exported"));
    assert!(!directory.logged().contains(TOKEN));
}

#[test]
fn mistakes_are_found_without_their_secrets() {
    let directory = TestDirectory::new();
    let first = directory.quickstart().start();
    assert!(first.terminate().success());
    let config = directory.home().join("controller.yml");
    let written = fs::read_to_string(&config).unwrap();
    let wrong = "\notlp:\n  endpoint: collector:4318\n  headers:\n    x-team: [hunter2]\n";
    fs::write(&config, format!("{written}{wrong}")).unwrap();
    let failed = directory.run(&config).run_expecting_failure();
    let said = format!("{}{}", failed.text(), failed.stderr);
    assert!(said.contains("otlp.endpoint"), "{said}");
    assert!(said.contains("otlp.headers.x-team"), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn nobody_who_looks_at_the_configuration_sees_the_headers() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let receiver = Receiver::start(|_| Some("200 OK"));
    let directory = TestDirectory::new();
    // Beside the one from the environment.
    let further = "  x-team: hunter2\n  interval: 1h";
    let controller = start(&directory, &receiver, further);
    let admin = Api::admin(&controller);
    let inspection = json!({"appRegex": ".*", "requestedValues": ["config"]});
    let shown = admin
        .curl("/fabric/v1/inspections")
        .json("POST", &inspection)
        .send();
    let shown = shown.expect_status(200).json();
    let otlp = &shown["values"][0]["value"]["otlp"];
    assert_eq!(otlp["endpoint"], receiver.url, "{shown}");
    assert_eq!(otlp["interval"], "1h", "{shown}");
    let hidden = "(a secret)";
    assert_eq!(
        otlp["headers"],
        json!({"authorization": hidden, "x-team": hidden})
    );
    for secret in [TOKEN, "hunter2", "Bearer"] {
        assert!(!shown.to_string().contains(secret), "{shown}");
    }
    assert!(controller.terminate().success());
}

/// What exports tells of itself from its start on, at `/metrics`.
#[test]
fn nothing_of_it_runs_without_the_section() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let directory = TestDirectory::new();
    let first = directory.quickstart().start();
    assert!(first.terminate().success());
    let config = directory.home().join("controller.yml");
    let written = fs::read_to_string(&config).unwrap();
    let management = written
        .lines()
        .find(|line| line.trim() == "- binding: edge-management")
        .expect("the file serves the API of administrators");
    let metrics = management.replace("edge-management", "metrics");
    let written = written.replacen(management, &format!("{management}\n{metrics}"), 1);
    for (section, is_expected) in [
        ("", false),
        ("otlp: {endpoint: \"http://127.0.0.1:9\"}\n", true),
    ] {
        fs::write(&config, format!("{written}\n{section}")).unwrap();
        let controller = directory.quickstart().start();
        let page = Api::admin(&controller).curl("/metrics").send();
        let page = page.expect_status(200).text();
        assert!(page.contains("portcullis_logins_total"), "{page}");
        let exports = page.contains("portcullis_otlp_exports_total");
        assert_eq!(exports, is_expected, "{section}");
        assert!(controller.terminate().success());
    }
}
