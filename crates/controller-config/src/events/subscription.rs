//! Items of `events.NAME.subscriptions`: which events are written.

use portcullis_events::{
    EVENT_TYPE_NAMES, EventType, Namespace, Subscription, SubscriptionError, option_names,
};
use portcullis_key_table::{SECOND, to_json};
use portcullis_yaml::{Diagnostics, Field, codes};
use serde_json::{Map, Value as Json};

use crate::items::read_all;
use crate::keys::{Key, KeyGroup, StringFormat, ValueType};
use crate::store::NO_CLUSTER;

/// Options of subscriptions that have an effect with some type of event.
const OPTIONS: [&str; 6] = [
    "version",
    "include",
    "includeParentEvents",
    "interval",
    "sourceFilter",
    "metricFilter",
];

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "type",
        ValueType::Enum(&EVENT_TYPE_NAMES),
        "Type of the events. Those with a dot, and `services`, are former names, and most events then have them as their \
         namespace.",
    )
    .required()
    .example("router"),
    Key::new(
        "include",
        ValueType::StringOrList(StringFormat::NonEmpty),
        "Which events of the type are written: `created`, `deleted` and so on for `apiSession`, `authentication`, \
         `circuit` and `session`, types of entities such as `services` for `entityChange`, kinds of traffic such as \
         `ingress.rx` for `usage` of version 3. By default, all are.",
    )
    .example("[created, deleted]"),
    Key::new(
        "includeParentEvents",
        ValueType::Bool,
        "For `entityChange`: whether the fabric's half of services and routers is told of too.",
    )
    .default("false")
    .example("true"),
    Key::duration(
        "interval",
        "For `entityCount`: how often entities are counted.",
    )
    .within(SECOND, i64::MAX)
    .default("5m")
    .example("1h"),
    Key::new(
        "sourceFilter",
        ValueType::String(StringFormat::NonEmpty),
        "For `metrics`: a regular expression that the id of the router or controller must match.",
    )
    .example("'^r1$'"),
    Key::new(
        "metricFilter",
        ValueType::String(StringFormat::NonEmpty),
        "For `metrics`: a regular expression that the name of a metric with a dot and the name of a value must \
         match, as in `link.latency.p99`.",
    )
    .example("'^link[.]latency'"),
    Key::count(
        "version",
        2,
        3,
        "For `usage`: version of the events. With 2, each kind of traffic has an event of its own, with 3 each \
         circuit.",
    )
    .default("2")
    .example("3"),
    Key::dead("propagateAlways", NO_CLUSTER),
];

/// Options that have no effect with a type of event.
pub(super) fn unused_keys(event_type: &str) -> Vec<&'static str> {
    let Ok(EventType { namespace, .. }) = event_type.parse() else {
        return Vec::new();
    };
    let known = option_names(namespace);
    OPTIONS
        .into_iter()
        .filter(|name| !known.contains(name))
        .collect()
}

pub(super) fn read(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<Subscription> {
    let section = item.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let event_type = section
        .require("type", "router", diagnostics)
        .and_then(|field| field.one_of(&EVENT_TYPE_NAMES.map(|name| (name, name)), diagnostics));
    let written = OPTIONS
        .iter()
        .filter_map(|name| Some((*name, section.get_non_null(name)?)));
    let options: Vec<_> = written.collect();
    let mut right = SubscriptionOptions::new(event_type);
    let mut are_right = true;
    for (name, field) in &options {
        are_right &= right.add(name, field, diagnostics).is_some();
    }
    let subscription = Subscription::new(event_type?, &Json::Object(right.options)).ok();
    let subscription = subscription.filter(|_| are_right)?;
    for (name, field) in &options {
        if !subscription.uses(name) {
            warn_of_unused(name, field, subscription.namespace(), diagnostics);
        }
    }
    Some(subscription)
}

/// Options that were found right.
struct SubscriptionOptions {
    /// The type of event, if that is right.
    event_type: Option<&'static str>,
    options: Map<String, Json>,
}

impl SubscriptionOptions {
    fn new(event_type: Option<&'static str>) -> Self {
        Self {
            event_type,
            options: Map::new(),
        }
    }

    /// Adds an option, or reports what is wrong with it; of a list, with each item.
    fn add(&mut self, name: &str, field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<()> {
        let mut check = |field: &Field<'_>| {
            let checked = has_right_type(name, field, diagnostics);
            (checked && self.has_right_value(name, field, diagnostics)).then_some(())
        };
        if let Some(items) = field.items().filter(|_| is_list(name)) {
            read_all(&items, &mut check)?;
        }
        check(field)?;
        self.options.insert(name.to_owned(), to_json(field.node()));
        Some(())
    }

    /// Whether events of the type take the option with this value, which is reported otherwise.
    fn has_right_value(
        &self,
        name: &str,
        field: &Field<'_>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let Some(event_type) = self.event_type else {
            return true;
        };
        let mut options = self.options.clone();
        options.insert(name.to_owned(), to_json(field.node()));
        let reason = match Subscription::new(event_type, &Json::Object(options)) {
            Ok(_) => return true,
            Err(SubscriptionError::Option { error, .. }) => error.reason,
            Err(SubscriptionError::UnknownType(unknown)) => unknown.to_string(),
        };
        let colon = if reason.starts_with("must ") { "" } else { ":" };
        let message = format!("`{}`{colon} {reason}", field.path());
        field.error(codes::INVALID_VALUE, message, diagnostics);
        false
    }
}

fn value_type(name: &str) -> Option<ValueType> {
    let key = KEYS.iter().find(|key| key.name == name);
    key.map(|key| key.value_type)
}

fn is_list(name: &str) -> bool {
    matches!(value_type(name), Some(ValueType::StringOrList(_)))
}

/// Whether the value is of the type of its key, which is reported otherwise.
fn has_right_type(name: &str, field: &Field<'_>, diagnostics: &mut Diagnostics) -> bool {
    match value_type(name) {
        Some(ValueType::Bool) => field.boolean(diagnostics).is_some(),
        Some(ValueType::Duration { .. }) => field.duration(diagnostics).is_some(),
        // What comes from an environment variable is a text.
        Some(ValueType::Integer { .. }) if field.node().as_str().is_some() => true,
        Some(ValueType::Integer { .. }) => {
            field.integer(i64::MIN..=i64::MAX, diagnostics).is_some()
        },
        // Each item is asked for by itself.
        Some(ValueType::StringOrList(_)) if field.items().is_some() => true,
        _ => field.string(diagnostics).is_some(),
    }
}

fn warn_of_unused(
    name: &str,
    field: &Field<'_>,
    namespace: Namespace,
    diagnostics: &mut Diagnostics,
) {
    let written = namespace.as_str();
    let known = option_names(namespace);
    let useful: Vec<_> = known
        .iter()
        .filter(|known| OPTIONS.contains(known))
        .copied()
        .collect();
    let help = match useful.as_slice() {
        [] => format!("`{written}` has no options"),
        useful if useful.contains(&name) => "it has one with `version: 3`".to_owned(),
        useful => format!("options of `{written}`: {}", useful.join(", ")),
    };
    let message = format!("`{}` has no effect on `{written}`", field.path());
    let place = field.key_location();
    let warning = diagnostics.warning(codes::IGNORED_KEY, field.path(), place, message);
    warning.help(help);
}
