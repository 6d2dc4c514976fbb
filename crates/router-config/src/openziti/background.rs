//! What starts beside links and listeners: checks, queues, timers.

use portcullis_yaml::{Field, Section};

use crate::codes;
use crate::finding::Stage;
use crate::openziti::loader::{Loader, lenient_section};
use crate::openziti::sections::plugin_paths;
use crate::openziti::{pool, value};
use crate::table::Wrong;

/// The queue of measurements is made before anything else; a short one is made longer.
pub(super) fn queues(loader: &mut Loader<'_>, root: &Section<'_>) {
    if let Some((field, size)) = queue_size(root, "eventQueueSize") {
        pool::queue(loader, &field, size);
    }
}

fn queue_size<'tree>(root: &Section<'tree>, name: &str) -> Option<(Field<'tree>, i64)> {
    let field = lenient_section(root, "metrics")?.get(name)?;
    let size = value::integer(field.node())?;
    Some((field, size))
}

pub(super) fn health_checks(loader: &mut Loader<'_>, root: &Section<'_>) {
    for part in ["ctrlPingCheck", "linkCheck"] {
        let path = format!("healthChecks.{part}.interval");
        let field = lenient_section(root, "healthChecks")
            .and_then(|section| section.get(part)?.as_section()?.get("interval"));
        if let Some(field) = field
            && let Some(written) = not_positive(loader, &path)
        {
            loader.out_of_bounds(&field, &written, "longer than zero");
        }
    }
}

/// Gives a duration in effect that is zero or negative.
fn not_positive(loader: &Loader<'_>, path: &str) -> Option<String> {
    let text = loader.effective.get(path)?.value.as_str()?;
    (text.starts_with('-') || text == "0s").then(|| text.to_owned())
}

/// Links and edge listeners add their protocol to the one that is given.
pub(super) fn transport(loader: &mut Loader<'_>, root: &Section<'_>) {
    let protocol = lenient_section(root, "transport").and_then(|section| section.get("protocol"));
    if let Some(field) = protocol
        && let Some(text) = loader.text(&field, Wrong::Crash)
    {
        loader.sockets.set_protocol(text);
    }
}

/// A shared object without a name is never there; whether others are is not looked at.
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

/// Measurements are sent from the moment controllers are dialed.
pub(super) fn reports(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some((field, size)) = queue_size(root, "messageQueueSize") else {
        return;
    };
    if size < 0 {
        let message = format!("the size of a queue cannot be {size}");
        return loader.crash(&field, codes::OUT_OF_BOUNDS, message);
    }
    pool::queue(loader, &field, size);
}

/// Timers that cannot run end the process from the background.
pub(super) fn run(loader: &mut Loader<'_>, root: &Section<'_>) {
    let metrics = lenient_section(root, "metrics");
    let report = metrics.and_then(|section| section.get("reportInterval"));
    let memory =
        lenient_section(root, "profile").and_then(|section| section.get("memory")?.as_section());
    let has_path = memory
        .as_ref()
        .and_then(|s| s.get("path")?.node().as_str())
        .is_some_and(|p| !p.is_empty());
    let profile = memory
        .and_then(|s| s.get("intervalMs"))
        .filter(|_| has_path);
    // Links are watched by other means.
    let heartbeats = lenient_section(root, "ctrl").and_then(|section| {
        section
            .get("heartbeats")?
            .as_section()?
            .get("checkInterval")
    });
    loader.take_verdict(Stage::Run, |loader| {
        for (field, path) in [
            (heartbeats, "ctrl.heartbeats.checkInterval"),
            (report, "metrics.reportInterval"),
            (profile, "profile.memory.interval"),
        ] {
            if let Some(field) = field
                && let Some(written) = not_positive(loader, path)
            {
                let message = format!("`{}` must be longer than zero, not {written}", field.path());
                loader.crash(&field, codes::OUT_OF_BOUNDS, message);
            }
        }
    });
}
