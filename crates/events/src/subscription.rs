//! What somebody subscribes to, and the lines that follow from it.

use crate::event::{Body, Event};
use crate::filter::{self, Filter};
use crate::namespace::{EventType, Namespace, UnknownType};
use crate::options::{OptionError, Options};
use crate::pattern::PatternBudget;
use serde_json::Value;
use std::time::Duration;

/// What somebody wants to know: events of a namespace that pass its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    event_type: EventType,
    filter: Filter,
}

/// An event as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// In the header of a streamed event.
    pub event_type: &'static str,
    /// An object, without a line break.
    pub json: String,
}

/// There is no such subscription.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionError {
    #[error(transparent)]
    UnknownType(UnknownType),
    #[error("subscription to `{}`: {error}", namespace.as_str())]
    Option {
        namespace: Namespace,
        error: OptionError,
    },
}

/// Names of the options that a subscription to the namespace may have.
pub const fn option_names(namespace: Namespace) -> &'static [&'static str] {
    filter::option_names(namespace)
}

impl Subscription {
    /// A subscription to events of a type, by its present or former name. Options that the type does not have
    /// are passed over; [`option_names`] has those that it has.
    ///
    /// # Errors
    ///
    /// If there is no such type, or if an option has a value that it may not have.
    pub fn new(event_type: &str, options: &Value) -> Result<Self, SubscriptionError> {
        Self::within(&mut PatternBudget::default(), event_type, options)
    }

    /// The same for one of several that come together, whose regular expressions have one budget.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), and if there is no room for its regular expressions.
    pub fn within(
        patterns: &mut PatternBudget,
        event_type: &str,
        options: &Value,
    ) -> Result<Self, SubscriptionError> {
        let event_type: EventType = event_type.parse().map_err(SubscriptionError::UnknownType)?;
        let namespace = event_type.namespace;
        let filter = Filter::new(namespace, Options(options), patterns)
            .map_err(|error| SubscriptionError::Option { namespace, error })?;
        Ok(Self { event_type, filter })
    }

    pub const fn namespace(&self) -> Namespace {
        self.event_type.namespace
    }

    /// Whether an option has any effect on the subscription. `include`, for example, has one on `usage` of
    /// version 3 alone.
    pub fn uses(&self, option: &str) -> bool {
        self.filter.uses(self.namespace(), option)
    }

    /// How often entities are to be counted for it, if it wants that.
    pub const fn count_interval(&self) -> Option<Duration> {
        match self.filter {
            Filter::EntityCounts { interval } => Some(interval),
            _ => None,
        }
    }

    /// Whether [`lines`](Self::lines) has any of the event.
    pub fn wants(&self, event: &Event) -> bool {
        event.body.namespace() == self.namespace() && self.filter.wants(&event.body)
    }

    /// Whether it wants changes of entities of a type, or of the fabric's half of them.
    pub fn wants_entities(&self, entity_type: &str, is_parent: bool) -> bool {
        self.namespace() == Namespace::EntityChange
            && self.filter.wants_entity(entity_type, is_parent)
    }

    /// The event as the subscriber wants it: mostly one line, none if it is not wanted.
    pub fn lines(&self, event: &Event) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut text = Vec::with_capacity(USUAL_LINE);
        self.write(event, &mut text, |event_type, text| {
            // Names, texts and numbers are UTF-8 as JSON, too.
            let json = String::from_utf8(std::mem::take(text)).unwrap_or_default();
            lines.push(Line { event_type, json });
        });
        lines
    }

    /// Adds the same lines to a text, each with a line break.
    pub fn write_lines(&self, event: &Event, text: &mut Vec<u8>) {
        self.write(event, text, |_, text| text.push(b'\n'));
    }

    /// Writes the lines of an event, with what follows each of them.
    fn write(
        &self,
        event: &Event,
        text: &mut Vec<u8>,
        mut end_line: impl FnMut(&'static str, &mut Vec<u8>),
    ) {
        if !self.wants(event) {
            return;
        }
        let namespace = self.event_type.json_namespace();
        match (&self.filter, &event.body) {
            (Filter::UsageByKind, Body::Usage(usage)) => {
                for (kind, bytes) in &usage.bytes {
                    event.write_enveloped(namespace, &usage.one_kind(kind, *bytes), text);
                    end_line("usage", text);
                }
            },
            (Filter::Usage { kinds }, Body::Usage(usage)) => {
                let is_wanted =
                    |kind: &str| kinds.as_ref().is_none_or(|kinds| kinds.contains(kind));
                event.write_enveloped(namespace, &usage.kinds(is_wanted), text);
                end_line("usage.v3", text);
            },
            (Filter::Metrics(filter), Body::Metric(metric)) => {
                let metric = metric.filtered(|path| filter.wants_part(path));
                event.write_enveloped(namespace, &metric, text);
                end_line("metrics", text);
            },
            _ => {
                event.write_json(namespace, text);
                end_line(self.namespace().stream_name(), text);
            },
        }
    }
}

/// What most lines take, in bytes.
const USUAL_LINE: usize = 512;

#[cfg(test)]
mod tests;
