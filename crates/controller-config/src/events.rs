//! Section `events`: what is told of the network, and where it is written.

mod handler;
mod subscription;

use portcullis_events::Subscription;
use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::items::read_all;
use crate::keys::{Key, KeyGroup, ValueType};
use crate::relative_paths::BaseFolders;

pub use crate::events::handler::{EventFileConfig, EventOutput, MIN_WAITING_EVENTS};

/// Section `events`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsConfig {
    /// In the order of the file, without those whose handlers have no effect here.
    pub sinks: Vec<EventSinkConfig>,
}

/// One entry of the section `events`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSinkConfig {
    /// Name of the entry.
    pub name: String,
    /// At least one.
    pub subscriptions: Vec<Subscription>,
    /// Maximum number of events that wait to be written, at least [`MIN_WAITING_EVENTS`].
    pub capacity: usize,
    pub output: EventOutput,
}

/// Name of the section.
pub(crate) const SECTION: &str = "events";
/// Key of the subscriptions of an entry.
pub(crate) const SUBSCRIPTIONS: &str = "subscriptions";
/// Key of the handler of an entry.
pub(crate) const HANDLER: &str = "handler";

pub(crate) const KEYS: KeyGroup = &[
    Key::new(
        SUBSCRIPTIONS,
        ValueType::MapList(&[subscription::KEYS]),
        "Which events are written, at least of one type.",
    )
    .required(),
    Key::new(
        HANDLER,
        ValueType::Map(&[handler::KEYS]),
        "Where they are written, one JSON object per line.",
    )
    .required(),
];

const HINTS: &[(&str, &str)] = &[
    (
        "type",
        "it belongs to `handler`, or to an item of `subscriptions`",
    ),
    ("format", "it belongs to `handler`"),
    ("path", "it belongs to `handler`"),
];

pub(crate) fn read(
    root: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<EventsConfig> {
    let Some(field) = root.get_non_null(SECTION) else {
        return Some(EventsConfig::default());
    };
    let mut config = EventsConfig::default();
    let mut is_right = true;
    for (name, entry) in field.section(diagnostics)?.fields() {
        let sink = read_entry(name, &entry, folders, diagnostics);
        is_right &= sink.is_some();
        config.sinks.extend(sink.into_iter().flatten());
    }
    is_right.then_some(config)
}

/// Reads an entry; there is no sink for one without effect.
fn read_entry(
    name: &str,
    entry: &Field<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<impl IntoIterator<Item = EventSinkConfig>> {
    let section = entry.section(diagnostics)?;
    section.check_keys_with_hints(KEYS, HINTS, diagnostics);
    let subscriptions = section
        .require(SUBSCRIPTIONS, "[{type: router}]", diagnostics)
        .and_then(|field| read_subscriptions(&field, diagnostics));
    let handler = section
        .require(
            HANDLER,
            "{type: file, format: json, path: events.json}",
            diagnostics,
        )
        .and_then(|field| handler::read(&field, folders, diagnostics));
    let (subscriptions, handler) = (subscriptions?, handler?);
    let sink = |output| EventSinkConfig {
        name: name.to_owned(),
        subscriptions,
        capacity: handler.capacity,
        output,
    };
    Some(handler.output.map(sink))
}

fn read_subscriptions(
    field: &Field<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Subscription>> {
    let items = field.list(diagnostics)?;
    if items.is_empty() {
        let message = format!("`{}` must name at least one type of event", field.path());
        field
            .error(codes::INVALID_VALUE, message, diagnostics)
            .help("write an item such as `- type: router`");
        return None;
    }
    read_all(&items, |item| subscription::read(item, diagnostics))
}

/// Keys of a handler or a subscription, at this path, that have no effect with its type.
pub(crate) fn unused_keys(path: &str, kind: &str) -> Vec<&'static str> {
    if path.ends_with(HANDLER) {
        handler::unused_keys(kind).to_vec()
    } else {
        subscription::unused_keys(kind)
    }
}

/// Path of the entry whose handler, at this path, makes it one without effect.
pub(crate) fn ignored_entry<'path>(path: &'path str, kind: &str) -> Option<&'path str> {
    let entry = path.strip_suffix(HANDLER)?.strip_suffix('.')?;
    handler::is_ignored(kind).then_some(entry)
}
