//! What happens in the network, brought to the files that the configuration names.

use crate::audit::AuditDestination;
use anyhow::{Context as _, bail};
use portcullis_app::{App, database, health};
use portcullis_controller_config::{EventFileConfig, EventOutput, EventSinkConfig, EventsConfig};
use portcullis_domain::clock::Clock;
use portcullis_event_sinks::{EventBus, EventSinks, FileSettings, SinkOutput, SinkSettings};
use portcullis_events::{Body, Namespace};
use portcullis_metrics::{Labels, Page, Point, PointValue};
use portcullis_program::BlockingWriter;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Name of the health check of events.
const EVENTS_CHECK: &str = "events.write";

/// Time for which a file or stream may take nothing until the check fails.
const STUCK_AFTER: Duration = Duration::from_secs(5);

/// Refuses a file for events that is that of the audit trail, as `--audit-file` may name it.
///
/// # Errors
///
/// A message that names the file.
pub(super) fn refuse_audit_file(
    config: &EventsConfig,
    audit: &AuditDestination,
) -> anyhow::Result<()> {
    let AuditDestination::File(audit) = audit else {
        return Ok(());
    };
    let audit = std::path::absolute(audit)?;
    for sink in &config.sinks {
        if let EventOutput::File(file) = &sink.output
            && std::path::absolute(&file.path)? == audit
        {
            bail!(
                "the events `{}` cannot be written to {}, which is the file of the audit trail; give them a \
                 file of their own",
                sink.name,
                audit.display()
            );
        }
    }
    Ok(())
}

/// Starts to write events. Those of `app` go out from here on.
///
/// # Errors
///
/// When a thread cannot be started.
pub(super) fn start(
    app: &Arc<App>,
    bus: &EventBus,
    config: &EventsConfig,
) -> anyhow::Result<Arc<EventSinks>> {
    let settings = config.sinks.iter().map(settings).collect();
    let clock: &Arc<dyn Clock> = &app.env().clock;
    let sinks = EventSinks::start(bus, settings, clock)
        .context("a thread that writes events cannot be started")?;
    let sinks = Arc::new(sinks);
    app.attach_event_publisher(Arc::new(bus.clone()));
    if !config.sinks.is_empty() {
        let watched = Arc::clone(&sinks);
        health::add_check(app, EVENTS_CHECK, Box::new(move || find_problem(&watched)));
    }
    measure(app, &sinks);
    measure_streams(app, bus);
    Ok(sinks)
}

fn settings(sink: &EventSinkConfig) -> SinkSettings {
    SinkSettings {
        name: sink.name.clone(),
        subscriptions: sink.subscriptions.clone(),
        capacity: sink.capacity,
        output: match &sink.output {
            EventOutput::File(EventFileConfig {
                path,
                max_bytes,
                max_backups,
            }) => SinkOutput::File(FileSettings {
                path: path.clone(),
                max_bytes: *max_bytes,
                max_backups: *max_backups,
            }),
            EventOutput::Stdout => SinkOutput::Stream(Box::new(StandardOutput)),
        },
    }
}

/// Standard output, also where a reader has made it non-blocking.
struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        BlockingWriter(io::stdout().lock()).write(lines)
    }

    fn flush(&mut self) -> io::Result<()> {
        BlockingWriter(io::stdout().lock()).flush()
    }
}

/// What keeps events from being written, if anything does. The reason is in the log only: the health check
/// is public, file names are not.
fn find_problem(sinks: &EventSinks) -> Option<String> {
    let statuses = sinks.statuses();
    if statuses.iter().any(|status| status.failure.is_some()) {
        return Some("some events cannot be written; see the log for the reason".to_owned());
    }
    let stuck = statuses.iter().filter_map(|status| status.stuck_for).max();
    stuck.filter(|&stuck| stuck > STUCK_AFTER).map(|stuck| {
        let seconds = stuck.as_secs();
        format!("a destination of events has not accepted any for {seconds} s")
    })
}

/// Has Prometheus know how many events were written and lost, by the name that the file gives to their destination.
fn measure(app: &App, sinks: &Arc<EventSinks>) {
    let sinks = Arc::clone(sinks);
    let figures = move |page: &mut Page, time| {
        for status in sinks.statuses() {
            let labels = || Labels::default().with("sink", &status.name);
            let mut add = |name, help, value| {
                let point = Point {
                    labels: labels(),
                    value,
                    time,
                };
                page.add(name, help, &point);
            };
            add(
                "portcullis.events.written",
                "Events that were written, by their destination.",
                PointValue::Counter(status.written),
            );
            add(
                "portcullis.events.dropped",
                "Events that were lost since the queue of their destination was full.",
                PointValue::Counter(status.dropped),
            );
            add(
                "portcullis.events.waiting",
                "Events that wait to be written.",
                PointValue::number_of(status.waiting),
            );
        }
    };
    app.metrics().add_further(Box::new(figures));
}

/// Has Prometheus know how many events were lost by those who follow them over management channels.
fn measure_streams(app: &App, bus: &EventBus) {
    let bus = bus.clone();
    app.metrics().add_figure(
        "portcullis.events.stream.dropped",
        "Events that management channels have lost since their client took them too slowly.",
        move || Some(PointValue::Counter(bus.lost_by_streams())),
    );
}

/// Counts entities whenever somebody wants that.
pub(super) async fn count_entities(app: Arc<App>, bus: EventBus, stop: CancellationToken) {
    while let Some(()) = stop.run_until_cancelled(bus.entity_count_due()).await {
        app.publish(Namespace::EntityCount, || {
            Body::EntityCount(database::entity_count(&app))
        });
    }
}
