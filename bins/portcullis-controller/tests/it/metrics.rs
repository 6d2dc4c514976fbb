//! What a controller tells of its own figures, as its file asks for it.

use crate::in_process::{end, env_at, new_home, start};
use portcullis_app::monitoring;
use portcullis_controller::RunningController;
use portcullis_controller::home::Home;
use portcullis_metrics::Exposition;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// Long enough for a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(1);

/// Starts a new controller whose file has these sections as well.
async fn start_with(folder: &Path, sections: &str) -> (Home, RunningController) {
    let env = env_at("2026-01-01T00:00:00Z");
    let (home, listener) = new_home(folder, &env);
    let mut file = OpenOptions::new().append(true).open(&home.config).unwrap();
    writeln!(file, "\n{sections}").unwrap();
    let running = start(&home, env, vec![listener]).await.unwrap();
    (home, running)
}

/// The line of a gauge (observability, section 2.4), whose id is as the line itself says.
fn gauge_line(line: &str, controller: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap();
    let id = event.get("source_event_id").unwrap();
    format!(
        concat!(
            r#"{{"namespace":"metrics","event_src_id":"{}","timestamp":"2026-01-01T00:00:00Z","#,
            r#""metric_type":"intValue","source_id":"{}","version":3,"#,
            r#""metric":"auth.limiter.queued_count","metrics":{{"value":0}},"source_event_id":{}}}"#
        ),
        controller, controller, id
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_become_events_at_the_interval_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.json");
    let wanted = json!({"type": "metrics", "metricFilter": "^auth\\.limiter\\.queued_count"});
    let own = json!({
        "subscriptions": [wanted],
        "handler": {"type": "file", "format": "json", "path": path},
    });
    let begun = Instant::now();
    let sections = format!("events: {{own: {own}}}\nnetwork: {{metricsReportInterval: 1s}}");
    let (_home, running) = start_with(folder.path(), &sections).await;
    let written = || fs::read_to_string(&path).unwrap_or_default();
    let waiting = async {
        while written().lines().count() < 3 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    let is_written = timeout(PATIENCE, waiting).await.is_ok();
    assert!(is_written, "{}", written());
    // There is nothing to tell at the start.
    assert!(begun.elapsed() >= Duration::from_secs(3));
    let serving = running.app().network().serving_state();
    let controller = serving.controller.id.to_string();
    end(running).await;
    let mut reports = BTreeSet::new();
    for line in written().lines() {
        assert_eq!(line, gauge_line(line, &controller));
        assert!(reports.insert(line.to_owned()), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_exported_unless_the_file_asks_for_it() {
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    collector.set_nonblocking(true).unwrap();
    let endpoint = format!("endpoint: 'http://{}'", collector.local_addr().unwrap());
    for (section, is_exported) in [
        (String::new(), false),
        (
            format!("otlp: {{{endpoint}, metrics: false, traces: false}}"),
            false,
        ),
        (format!("otlp: {{{endpoint}, traces: false}}"), true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (_home, running) = start_with(folder.path(), &section).await;
        let page = monitoring::page(running.app(), Exposition::Prometheus, false);
        assert_eq!(page.contains("portcullis_otlp_"), is_exported, "{section}");
        let reports = running.app().metrics().reports();
        assert_eq!(reports.are_kept(), is_exported, "{section}");
        // What is left is sent at the end.
        end(running).await;
        let connected = collector.accept().map(drop);
        let connected = connected.map_err(|error| error.kind());
        let expected = if is_exported {
            Ok(())
        } else {
            Err(ErrorKind::WouldBlock)
        };
        assert_eq!(connected, expected, "{section}");
    }
}
