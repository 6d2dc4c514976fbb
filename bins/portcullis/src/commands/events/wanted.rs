//! Which events are asked for.

use crate::error::CliError;
use portcullis_events::{EventType, Namespace, Subscription, option_names};
use portcullis_wire::management::{ManagementMessage, StreamEvents};
use serde_json::{Map, Value, json};

/// An option of an event type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EventOption {
    namespace: Namespace,
    name: &'static str,
    value: Value,
}

/// Parses `TYPE.NAME=VALUE`.
pub(super) fn parse_option(text: &str) -> Result<EventOption, String> {
    let parts = text.split_once('=').and_then(|(option, value)| {
        let (event_type, name) = option.rsplit_once('.')?;
        Some((event_type, name, value))
    });
    let (event_type, name, value) = parts.ok_or("an option looks like `circuit.include=failed`")?;
    let known = event_type.parse::<EventType>();
    let namespace = known.map_err(|unknown| unknown.to_string())?.namespace;
    let names = option_names(namespace);
    let name = names.iter().find(|known| **known == name).ok_or_else(|| {
        let namespace = namespace.as_str();
        match names {
            [] => format!("`{namespace}` has no options"),
            _ => format!("`{namespace}` has the options {}", names.join(", ")),
        }
    })?;
    Ok(EventOption {
        namespace,
        name,
        value: parse_value(name, value),
    })
}

/// What lists is a list; controllers take numbers and truth values as texts, too.
fn parse_value(name: &str, text: &str) -> Value {
    match name {
        "include" => text.split(',').map(str::trim).collect(),
        "version" => text.parse().map_or_else(|_text| text.into(), u64::into),
        _ => text.into(),
    }
}

/// The subscriptions of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WantedEvents(Vec<(Namespace, Map<String, Value>)>);

impl WantedEvents {
    /// Events of these types, or of all but metrics, with options.
    pub(super) fn new(types: &[Namespace], options: &[EventOption]) -> Result<Self, CliError> {
        let has_option = |namespace| options.iter().any(|option| option.namespace == namespace);
        let is_wanted = |namespace: &Namespace| match types {
            [] => *namespace != Namespace::Metrics || has_option(*namespace),
            types => types.contains(namespace),
        };
        let mut wanted: Vec<_> = Namespace::ALL
            .into_iter()
            .filter(is_wanted)
            .map(|namespace| (namespace, defaults(namespace)))
            .collect();
        for option in options {
            let of_type = wanted
                .iter_mut()
                .find(|(namespace, _)| *namespace == option.namespace);
            let Some((_, values)) = of_type else {
                let name = option.namespace.as_str();
                return Err(CliError::usage(format!(
                    "`--option {name}.{}` has no effect: `--type` does not name `{name}`",
                    option.name
                )));
            };
            values.insert(option.name.to_owned(), option.value.clone());
        }
        wanted
            .iter()
            .try_for_each(|(namespace, options)| check(*namespace, options))?;
        Ok(Self(wanted))
    }

    pub(super) fn request(&self) -> ManagementMessage {
        let subscriptions = self.0.iter().map(|(namespace, options)| {
            let name = namespace.as_str();
            json!({"type": name, "options": options})
        });
        let subscriptions: Vec<_> = subscriptions.collect();
        let json = json!({"format": "json", "subscriptions": subscriptions}).to_string();
        ManagementMessage::StreamEvents(StreamEvents { json })
    }
}

/// What controllers are told if nothing else is said.
fn defaults(namespace: Namespace) -> Map<String, Value> {
    let version = (namespace == Namespace::Usage).then(|| ("version".to_owned(), 3.into()));
    version.into_iter().collect()
}

/// Finds mistakes before the controller does.
fn check(namespace: Namespace, options: &Map<String, Value>) -> Result<(), CliError> {
    let name = namespace.as_str();
    let subscription = Subscription::new(name, &Value::Object(options.clone()))
        .map_err(|error| CliError::usage(error.to_string()))?;
    match options.keys().find(|option| !subscription.uses(option)) {
        Some(option) => Err(CliError::usage(format!(
            "`--option {name}.{option}` has no effect beside the other options of `{name}`"
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(types: &[Namespace], options: &[&str]) -> Result<String, String> {
        let options: Result<Vec<_>, _> = options.iter().map(|text| parse_option(text)).collect();
        let wanted = WantedEvents::new(types, &options?).map_err(|error| error.message())?;
        match wanted.request() {
            ManagementMessage::StreamEvents(request) => Ok(request.json),
            other => Err(other.name().to_owned()),
        }
    }

    #[test]
    fn types_are_asked_for_with_their_options() {
        assert_eq!(
            wanted(&[Namespace::Router], &[]).unwrap(),
            r#"{"format":"json","subscriptions":[{"options":{},"type":"router"}]}"#
        );
        assert_eq!(
            wanted(
                &[Namespace::Circuit, Namespace::Usage],
                &["circuit.include=failed, created", "usage.version=2"]
            )
            .unwrap(),
            r#"{"format":"json","subscriptions":[{"options":{"include":["failed","created"]},"type":"circuit"},{"options":{"version":2},"type":"usage"}]}"#
        );
    }

    #[test]
    fn metrics_are_for_those_who_ask_for_them() {
        let all = wanted(&[], &[]).unwrap();
        assert!(all.contains("\"authentication\"") && !all.contains("\"metrics\""));
        assert!(all.contains(r#"{"options":{"version":3},"type":"usage"}"#));
        let filtered = wanted(&[], &["metrics.metricFilter=link.*"]).unwrap();
        assert!(filtered.contains(r#"{"options":{"metricFilter":"link.*"},"type":"metrics"}"#));
        assert!(filtered.contains("\"authentication\""));
    }

    #[test]
    fn mistakes_are_found_at_once() {
        for (option, expected) in [
            ("include", "an option looks like"),
            ("circuit.include", "an option looks like"),
            ("circuits.include=failed", "did you mean `circuit`?"),
            ("circuit.interval=5m", "`circuit` has the options include"),
            ("router.include=x", "`router` has no options"),
            ("circuit.include=ended", "option `include`: must be one of"),
            ("entityCount.interval=5", "option `interval`"),
            ("metrics.metricFilter=(", "option `metricFilter`"),
        ] {
            let error = wanted(&[], &[option]).unwrap_err();
            assert!(error.contains(expected), "{option}: {error}");
        }
        let error = wanted(&[Namespace::Link], &["circuit.include=failed"]).unwrap_err();
        assert!(
            error.contains("`--type` does not name `circuit`"),
            "{error}"
        );
        let idle = ["usage.version=2", "usage.include=ingress.rx"];
        let error = wanted(&[], &idle).unwrap_err();
        assert!(error.contains("usage.include` has no effect"), "{error}");
    }
}
