//! Metrics of a controller as Prometheus scrapes them, and as a parser reads them that is not ours: that of the
//! Python package `prometheus_client`.

use crate::fabric_network::Doors;
use crate::overlay::echo::EchoServer;
use crate::overlay::load::Load;
use crate::overlay::{Overlay, PATIENCE};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;
use support::tools::{are_available, are_required, python_with};
use support::wait::until;
use support::{Controller, Curl, Openssl, TestDirectory, Tool, command};

/// Reads a page, and fails if it breaks a rule. Prints its families: their kinds, names and number of samples.
const SCRIPT: &str = r#"
import sys
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics

text = sys.stdin.read()
families = list((openmetrics if sys.argv[1] == "openmetrics" else parser).text_string_to_metric_families(text))
names = [family.name for family in families]
assert len(names) == len(set(names)), "a family comes twice"
for family in families:
    seen = set()
    for sample in family.samples:
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in seen, "a sample comes twice: %r" % (key,)
        seen.add(key)
    print(family.type, family.name, len(family.samples))
"#;

/// What the parsers are for, and how a scraper asks for it.
const FORMATS: [(&str, &str); 2] = [
    ("prometheus", "text/plain"),
    ("openmetrics", "application/openmetrics-text; version=1.0.0"),
];

/// Routers report every second.
const OFTEN: &str = "metrics: {reportInterval: 1s, intervalAgeThreshold: 1s}\n";

/// A controller that serves metrics beside its APIs, to the holder of a certificate.
struct Site {
    directory: TestDirectory,
    controller: Controller,
    scraper: (PathBuf, PathBuf),
    other: (PathBuf, PathBuf),
}

impl Site {
    fn start() -> Option<Self> {
        if !are_available(&[Tool::Curl, Tool::Openssl]) {
            return None;
        }
        let directory = TestDirectory::new();
        let openssl = Openssl::new(directory.work());
        let (scraper, other) = (openssl.self_signed("scraper"), openssl.self_signed("other"));
        let first = directory.quickstart().start();
        let url = first.url().to_owned();
        assert!(first.terminate().success());
        let config = config_file(&directory);
        let text = fs::read_to_string(&config).unwrap();
        let binding = text
            .lines()
            .find(|line| line.trim() == "- binding: edge-management")
            .expect("the file serves the API of administrators");
        let metrics = format!(
            "{}- {{binding: metrics, options: {{scrapeCert: {}, includeTimestamps: true}}}}",
            &binding[..binding.find('-').unwrap()],
            scraper.0.display()
        );
        let text = text.replacen(binding, &format!("{binding}\n{metrics}"), 1);
        let events = format!(
            "events: {{log: {{subscriptions: [{{type: entityChange}}], handler: {{type: file, format: json, path: {}}}}}}}\n",
            directory.file("events.log").display()
        );
        fs::write(&config, text + &events).unwrap();
        let controller = directory.run(&config).at(&url).start();
        Some(Self {
            directory,
            controller,
            scraper,
            other,
        })
    }

    fn curl(&self, path: &str) -> Curl {
        let url = format!("{}{path}", self.controller.url());
        Curl::new(&url, &self.controller.ca())
    }

    fn scrape(&self, accept: &str) -> String {
        let (certificate, key) = &self.scraper;
        let curl = self.curl("/metrics").certificate(certificate, key);
        let reply = curl.header(&format!("Accept: {accept}")).send();
        reply.expect_status(200).text()
    }
}

fn config_file(directory: &TestDirectory) -> PathBuf {
    let files = fs::read_dir(directory.home()).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    files
        .find(|file| file.extension().is_some_and(|ending| ending == "yml"))
        .expect("the home has a configuration")
}

#[test]
fn metrics_are_for_the_holder_of_the_certificate() {
    let Some(site) = Site::start() else { return };
    site.curl("/metrics").send().expect_status(401);
    let (certificate, key) = &site.other;
    let stranger = site.curl("/metrics").certificate(certificate, key);
    assert_eq!(stranger.send().expect_status(401).text(), "");
    let text = site.scrape("*/*");
    assert!(text.contains("\nportcullis_routers_connected 0 "), "{text}");
    let (certificate, key) = &site.scraper;
    let elsewhere = site.curl("/metric").certificate(certificate, key);
    elsewhere.send().expect_status(404);
    assert!(!site.directory.logged().contains("can read the metrics"));
    assert!(site.controller.terminate().success());
}

/// A Python that has the parsers.
fn python() -> Option<String> {
    let python = python_with("prometheus_client");
    if python.is_none() {
        assert!(
            !are_required(),
            "prometheus_client is not installed, and PORTCULLIS_REQUIRE_TOOLS=1"
        );
        println!("skipped: no Python with the package prometheus_client is installed");
    }
    python
}

/// The families of a page, each a line.
fn families(python: &str, format: &str, page: &str) -> String {
    let mut parser = Command::new(python);
    parser.args(["-c", SCRIPT, format]);
    let read = command::run_with(&mut parser, page.as_bytes(), Duration::from_mins(1));
    read.success().text()
}

#[test]
fn another_parser_reads_both_formats() {
    let Some(python) = python() else { return };
    let Some(site) = Site::start() else { return };
    // Something to measure.
    let api = support::Api::admin(&site.controller);
    api.get("/identities").expect_status(200);
    api.get("/nothing").expect_status(404);
    for (format, accept) in FORMATS {
        let families = families(&python, format, &site.scrape(accept));
        for family in [
            "histogram http_server_request_duration_seconds ",
            "histogram db_client_operation_duration_seconds ",
            "counter portcullis_logins 1",
            "gauge portcullis_entities ",
            "counter portcullis_events_written 1",
            "counter portcullis_events_dropped 1",
            "gauge portcullis_events_waiting 1",
            "counter portcullis_events_stream_dropped 1",
            "gauge portcullis_management_channels 1",
            "counter portcullis_channel_frames 2",
            "gauge portcullis_store_size_bytes 1",
            "summary ziti_api_session_create_seconds ",
        ] {
            let is_there = families.lines().any(|line| line.starts_with(family));
            assert!(is_there, "{format}: {family}\n{families}");
        }
    }
    assert!(site.controller.terminate().success());
}

/// What routers report is measured and reported while it is read, by many at once.
#[test]
fn another_parser_reads_what_routers_under_load_report() {
    let Some(python) = python() else { return };
    let Some(site) = Site::start() else { return };
    let overlay = Overlay::new(&site.directory, &site.controller);
    let server = EchoServer::start();
    let doors = Doors::open_with(&overlay, &server, OFTEN);
    let load = Load::start(doors.connect().unwrap());
    load.until_moved(4 << 20);
    // Labels of links and routers, and what only the controller and only routers have.
    let expected = [
        "counter ziti_link_tx_bytes 2",
        "summary ziti_link_latency_seconds ",
        "summary ziti_ctrl_latency_seconds ",
        "counter ziti_ingress_rx_bytes ",
        "gauge portcullis_routers_connected 1",
        "gauge portcullis_circuits 1",
        "gauge portcullis_store_size_bytes 1",
    ];
    let reported = until(PATIENCE, || {
        let found = families(&python, "prometheus", &site.scrape("text/plain"));
        let has = |family: &str| found.lines().any(|line| line.starts_with(family));
        let missing = expected.into_iter().find(|family| !has(family));
        missing.map_or(Ok(()), |family| Err(format!("{family}\n{found}")))
    });
    reported.unwrap();
    for _ in 0..3 {
        thread::scope(|scope| {
            for (format, accept) in FORMATS.into_iter().cycle().take(8) {
                let (site, python) = (&site, &python);
                scope.spawn(move || {
                    let found = families(python, format, &site.scrape(accept));
                    for family in expected {
                        let is_there = found.lines().any(|line| line.starts_with(family));
                        assert!(is_there, "{format}: {family}\n{found}");
                    }
                });
            }
        });
        load.until_moved(1 << 20);
    }
    load.finish();
    doors.close();
    assert!(site.controller.terminate().success());
}
