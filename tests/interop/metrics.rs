//! Metrics of a controller as Prometheus scrapes them, and as a parser reads them that is not ours: that of the
//! Python package `prometheus_client`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use support::tools::{are_available, are_required, python_with};
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

#[test]
fn another_parser_reads_both_formats() {
    let Some(python) = python_with("prometheus_client") else {
        assert!(
            !are_required(),
            "prometheus_client is not installed, and PORTCULLIS_REQUIRE_TOOLS=1"
        );
        println!("skipped: no Python with the package prometheus_client is installed");
        return;
    };
    let Some(site) = Site::start() else { return };
    // Something to measure.
    let api = support::Api::admin(&site.controller);
    api.get("/identities").expect_status(200);
    api.get("/nothing").expect_status(404);
    for (format, accept) in [
        ("prometheus", "text/plain"),
        ("openmetrics", "application/openmetrics-text; version=1.0.0"),
    ] {
        let text = site.scrape(accept);
        let mut parser = Command::new(&python);
        parser.args(["-c", SCRIPT, format]);
        let read = command::run_with(
            &mut parser,
            text.as_bytes(),
            std::time::Duration::from_mins(1),
        );
        let families = read.success().text();
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
            "gauge portcullis_store_size_bytes 1",
            "summary ziti_api_session_create_seconds ",
        ] {
            let is_there = families.lines().any(|line| line.starts_with(family));
            assert!(is_there, "{format}: {family}\n{families}");
        }
    }
    assert!(site.controller.terminate().success());
}
