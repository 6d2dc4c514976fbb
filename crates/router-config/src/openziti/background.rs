//! Background components: health checks, queues, timers.

use portcullis_yaml::{Field, Section};

use crate::codes;
use crate::finding::Stage;
use crate::openziti::loader::{Loader, section_if_map};
use crate::openziti::sections::plugin_paths;
use crate::openziti::{queue_memory, value};
use crate::table::OnMistake;

/// Checks the queue of metric events, which is allocated before anything else. Short ones are extended.
pub(super) fn check_event_queue(loader: &mut Loader<'_>, root: &Section<'_>) {
    if let Some((field, size)) = queue_size(root, "eventQueueSize") {
        queue_memory::check_queue(loader, &field, size);
    }
}

fn queue_size<'tree>(root: &Section<'tree>, name: &str) -> Option<(Field<'tree>, i64)> {
    let field = section_if_map(root, "metrics")?.get(name)?;
    let size = value::integer(field.node())?;
    Some((field, size))
}

pub(super) fn health_checks(loader: &mut Loader<'_>, root: &Section<'_>) {
    for part in ["ctrlPingCheck", "linkCheck"] {
        let path = format!("healthChecks.{part}.interval");
        let field = section_if_map(root, "healthChecks")
            .and_then(|section| section.get(part)?.as_section()?.get("interval"));
        if let Some(field) = field
            && let Some(written) = non_positive_duration(loader, &path)
        {
            loader.out_of_bounds(&field, &written, "longer than zero");
        }
    }
}

/// Returns an effective duration that is zero or negative.
fn non_positive_duration(loader: &Loader<'_>, path: &str) -> Option<String> {
    let text = loader.effective.get(path)?.value.as_str()?;
    (text.starts_with('-') || text == "0s").then(|| text.to_owned())
}

/// Links and edge listeners add their ALPN protocol to the configured one.
pub(super) fn transport(loader: &mut Loader<'_>, root: &Section<'_>) {
    let protocol = section_if_map(root, "transport").and_then(|section| section.get("protocol"));
    if let Some(field) = protocol
        && let Some(text) = loader.text(&field, OnMistake::Crash)
    {
        loader.sockets.set_alpn_protocol(text);
    }
}

/// Refuses a shared object without a name; whether others exist is not checked.
pub(super) fn plugins(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(list) = root.get("plugins") else {
        return;
    };
    for item in plugin_paths(root) {
        if item.node().as_str() == Some("") {
            let message = "this cannot be the name of a file";
            loader.item(&list, &item, |loader| {
                loader.refuse(&item, codes::INVALID_VALUE, message);
            });
        }
    }
}

/// Checks the queue of metric reports, which are sent as soon as controllers are dialed.
pub(super) fn check_report_queue(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some((field, size)) = queue_size(root, "messageQueueSize") else {
        return;
    };
    if size < 0 {
        let message = format!("the size of a queue cannot be {size}");
        return loader.crash(&field, codes::OUT_OF_BOUNDS, message);
    }
    queue_memory::check_queue(loader, &field, size);
}

/// Invalid timers crash the process from the background.
pub(super) fn run(loader: &mut Loader<'_>, root: &Section<'_>) {
    let metrics = section_if_map(root, "metrics");
    let report = metrics.and_then(|section| section.get("reportInterval"));
    let memory =
        section_if_map(root, "profile").and_then(|section| section.get("memory")?.as_section());
    let has_path = memory
        .as_ref()
        .and_then(|s| s.get("path")?.node().as_str())
        .is_some_and(|p| !p.is_empty());
    let profile = memory
        .and_then(|s| s.get("intervalMs"))
        .filter(|_| has_path);
    // Links do not use this timer.
    let heartbeats = section_if_map(root, "ctrl").and_then(|section| {
        section
            .get("heartbeats")?
            .as_section()?
            .get("checkInterval")
    });
    loader.with_stage(Stage::Run, |loader| {
        for (field, path) in [
            (heartbeats, "ctrl.heartbeats.checkInterval"),
            (report, "metrics.reportInterval"),
            (profile, "profile.memory.interval"),
        ] {
            if let Some(field) = field
                && let Some(written) = non_positive_duration(loader, path)
            {
                let message = format!("`{}` must be longer than zero, not {written}", field.path());
                loader.crash(&field, codes::OUT_OF_BOUNDS, message);
            }
        }
    });
}
