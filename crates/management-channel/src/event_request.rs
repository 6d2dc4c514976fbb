//! Which events a client asks for.

use portcullis_events::{PatternBudget, Subscription, SubscriptionError};
use serde::Deserialize;
use serde_json::Value;

/// A request for events. The regular expressions of its options are not compiled yet, which takes a while.
#[derive(Debug)]
pub(crate) struct EventRequest(Vec<Wanted>);

/// The body of a request for events.
#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    format: String,
    #[serde(default)]
    subscriptions: Option<Vec<Wanted>>,
}

#[derive(Debug, Deserialize)]
struct Wanted {
    #[serde(rename = "type")]
    event_type: String,
    #[serde(default)]
    options: Value,
}

impl EventRequest {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// A text for the client: what is wrong.
    pub(crate) fn read(json: &str) -> Result<Self, String> {
        let request: Body = serde_json::from_str(json)
            .map_err(|error| format!("the request cannot be read as JSON: {error}"))?;
        if request.format != "json" {
            return Err(format!("invalid format ['{}']", shown(&request.format)));
        }
        Ok(Self(request.subscriptions.unwrap_or_default()))
    }

    /// How many subscriptions it names.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// The subscriptions that it consists of. Types that do not exist are passed over: newer clients ask for them
    /// without being asked to.
    ///
    /// # Errors
    ///
    /// A text for the client: what is wrong first.
    pub(crate) fn subscriptions(&self) -> Result<Vec<Subscription>, String> {
        let mut patterns = PatternBudget::default();
        let mut subscriptions = Vec::new();
        for Wanted {
            event_type,
            options,
        } in &self.0
        {
            if !options.is_null() && !options.is_object() {
                let event_type = shown(event_type);
                return Err(format!("`options` of `{event_type}` must be an object"));
            }
            match Subscription::within(&mut patterns, event_type, options) {
                Ok(subscription) => subscriptions.push(subscription),
                Err(SubscriptionError::UnknownType(error)) => {
                    tracing::warn!(%error, "a client asks for events that do not exist");
                },
                Err(error @ SubscriptionError::Option { .. }) => return Err(error.to_string()),
            }
        }
        Ok(subscriptions)
    }
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
        let subscriptions = EventRequest::read(json)?.subscriptions()?;
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
        // Each may be there, but not all.
        let large = r#"{"type":"metrics","options":{"metricFilter":"\\w\\w\\w"}}"#;
        let large = [large; 20].join(",");
        let together = format!(r#"{{"format":"json","subscriptions":[{large}]}}"#);
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
            (
                &together,
                "option `metricFilter`: the regular expressions of a request take more than 1024 KiB together",
            ),
        ] {
            let error = namespaces(json).unwrap_err();
            assert!(error.contains(expected), "{json}: {error}");
        }
    }
}
