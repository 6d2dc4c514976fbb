//! Which events a client asks for.

use portcullis_events::{Subscription, SubscriptionError};
use serde::Deserialize;
use serde_json::Value;

/// The body of a request for events.
#[derive(Deserialize)]
struct EventRequest {
    #[serde(default)]
    format: String,
    #[serde(default)]
    subscriptions: Option<Vec<Wanted>>,
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(rename = "type")]
    event_type: String,
    #[serde(default)]
    options: Value,
}

/// The subscriptions that a request for events consists of. Types that do not exist are passed over:
/// newer clients ask for them without being asked to.
///
/// # Errors
///
/// A text for the client: what is wrong first.
pub(crate) fn subscriptions(json: &str) -> Result<Vec<Subscription>, String> {
    let request: EventRequest = serde_json::from_str(json)
        .map_err(|error| format!("the request cannot be read as JSON: {error}"))?;
    if request.format != "json" {
        return Err(format!("invalid format ['{}']", shown(&request.format)));
    }
    let mut subscriptions = Vec::new();
    for wanted in request.subscriptions.unwrap_or_default() {
        if !wanted.options.is_null() && !wanted.options.is_object() {
            let event_type = shown(&wanted.event_type);
            return Err(format!("`options` of `{event_type}` must be an object"));
        }
        match Subscription::new(&wanted.event_type, &wanted.options) {
            Ok(subscription) => subscriptions.push(subscription),
            Err(SubscriptionError::UnknownType(error)) => {
                tracing::warn!(%error, "a client asks for events that do not exist");
            },
            Err(error @ SubscriptionError::Option { .. }) => return Err(error.to_string()),
        }
    }
    Ok(subscriptions)
}

/// The beginning of a text of the client.
fn shown(text: &str) -> &str {
    const LONGEST: usize = 64;
    text.get(..text.floor_char_boundary(LONGEST))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_events::Namespace;

    fn namespaces(json: &str) -> Result<Vec<Namespace>, String> {
        let subscriptions = subscriptions(json)?;
        Ok(subscriptions.iter().map(Subscription::namespace).collect())
    }

    #[test]
    fn what_the_command_line_sends_is_understood() {
        let all = r#"{"format":"json","subscriptions":[
            {"type":"entityChange","options":null},
            {"type":"entityCount","options":{"interval":"5m"}},
            {"type":"metrics","options":{"metricFilter":"link.*","sourceFilter":"r1"}},
            {"type":"usage","options":{"version":3}},
            {"type":"router"}]}"#;
        let expected = [
            Namespace::EntityChange,
            Namespace::EntityCount,
            Namespace::Metrics,
            Namespace::Usage,
            Namespace::Router,
        ];
        assert_eq!(namespaces(all).unwrap(), expected);
    }

    #[test]
    fn types_that_do_not_exist_are_passed_over() {
        let json = r#"{"format":"json","subscriptions":[{"type":"tomorrow"},{"type":"sdk"}]}"#;
        assert_eq!(namespaces(json).unwrap(), [Namespace::Sdk]);
        assert_eq!(namespaces(r#"{"format":"json"}"#).unwrap(), []);
        assert_eq!(
            namespaces(r#"{"format":"json","subscriptions":null}"#).unwrap(),
            []
        );
    }

    #[test]
    fn first_mistake_is_told() {
        for (json, expected) in [
            ("", "the request cannot be read as JSON"),
            (r#"{"format":"plain"}"#, "invalid format ['plain']"),
            (r#"{"subscriptions":[]}"#, "invalid format ['']"),
            (
                r#"{"format":"json","subscriptions":[{"type":"link","options":[1]}]}"#,
                "`options` of `link` must be an object",
            ),
            (
                r#"{"format":"json","subscriptions":[{"type":"circuit","options":{"include":"bad"}}]}"#,
                "option `include`",
            ),
            (
                r#"{"format":"json","subscriptions":[{"type":"entityCount","options":{"interval":5}}]}"#,
                "option `interval`",
            ),
            (
                r#"{"format":"json","subscriptions":[{"type":"metrics","options":{"metricFilter":"(a{1000}){1000}"}}]}"#,
                "option `metricFilter`",
            ),
        ] {
            let error = namespaces(json).unwrap_err();
            assert!(error.contains(expected), "{json}: {error}");
        }
    }
}
