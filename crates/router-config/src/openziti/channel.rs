//! Channel options and heartbeats.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Field, Section};
use serde_json::{Value as Json, json};

use crate::openziti::loader::Loader;
use crate::openziti::value;
use crate::table::{CHANNEL, CHANNEL_CONNECT, CHANNEL_QUEUE, Key, KeyGroup};

/// Whether bounds are checked once the options are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundsCheck {
    Checked,
    Unchecked,
}

/// Reads the options of a channel and records them below `prefix`. A queue of the default length is
/// replaced by one of length `queue`.
pub(super) fn options(
    loader: &mut Loader<'_>,
    section: Option<&Section<'_>>,
    prefix: &str,
    bounds: BoundsCheck,
    queue: i64,
) {
    loader.keys(section, CHANNEL_QUEUE, prefix);
    let path = format!("{prefix}.outQueueSize");
    if let Some(setting) = loader.effective.get(&path).cloned()
        && setting.value == json!(4)
    {
        loader.effective.set(path, json!(queue), setting.source);
    }
    loader.keys(section, CHANNEL, prefix);
    let timeout = connect_timeout(loader, section, prefix);
    if bounds == BoundsCheck::Checked
        && let Some(section) = section
    {
        check(loader, section, timeout.as_ref());
    }
}

fn row(group: KeyGroup, name: &str) -> Option<&'static Key> {
    group.iter().find(|key| key.name == name)
}

/// Reads the connect timeout, in either spelling.
fn connect_timeout<'tree>(
    loader: &mut Loader<'_>,
    section: Option<&Section<'tree>>,
    prefix: &str,
) -> Option<(Field<'tree>, i64)> {
    let path = format!("{prefix}.connectTimeout");
    let get = |name: &str| section.and_then(|section| section.get(name));
    let read = if let Some(field) = get("connectTimeout") {
        let key = row(CHANNEL_CONNECT, "connectTimeout")?;
        let text = loader.value(&field, key)?;
        let duration: GoDuration = text.as_str()?.parse().ok()?;
        Some((field, duration.nanoseconds()))
    } else {
        get("connectTimeoutMs").and_then(|field| {
            let ms = value::integer(field.node())?;
            Some((field, ms.wrapping_mul(1_000_000)))
        })
    };
    match &read {
        Some((field, nanoseconds)) => {
            loader.set_from_file(path, value::duration(*nanoseconds), field);
        },
        None => loader.effective.set_default(&path, "5s"),
    }
    read
}

fn check(loader: &mut Loader<'_>, section: &Section<'_>, timeout: Option<&(Field<'_>, i64)>) {
    if let Some((field, nanoseconds)) = timeout {
        check_connect_timeout(loader, field, *nanoseconds);
    }
    for (name, most) in [
        ("maxOutstandingConnects", 1_000),
        ("maxQueuedConnects", 5_000),
    ] {
        let Some(field) = section.get(name) else {
            continue;
        };
        match value::integer(field.node()) {
            Some(number) if number < 1 => {
                loader.out_of_bounds(&field, &number.to_string(), "at least 1");
            },
            Some(number) if number > most => {
                loader.out_of_bounds(&field, &number.to_string(), &format!("at most {most}"));
            },
            _ => {},
        }
    }
}

/// Checks the bounds that hold for every channel.
pub(super) fn check_connect_timeout(loader: &mut Loader<'_>, field: &Field<'_>, nanoseconds: i64) {
    let written = GoDuration::from_nanoseconds(nanoseconds).to_string();
    if nanoseconds < 30_000_000 {
        loader.out_of_bounds(field, &written, "at least 30ms");
    } else if nanoseconds > 60_000_000_000 {
        loader.out_of_bounds(field, &written, "at most 1m");
    }
}

/// Records an effective value that was converted.
pub(super) fn record(
    loader: &mut Loader<'_>,
    path: String,
    value: Json,
    field: Option<&Field<'_>>,
) {
    match field {
        Some(field) => loader.set_from_file(path, value, field),
        None => loader.effective.set_default(&path, value),
    }
}
