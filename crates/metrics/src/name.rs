//! Names of metrics.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Name of a metric: a fixed text around the id of what it is about, if any.
///
/// Ordered by their fixed texts, so that the metrics of a family stand together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetricName {
    before: Cow<'static, str>,
    after: &'static str,
    entity: Option<Arc<str>>,
}

impl MetricName {
    /// A metric of a whole router or controller, such as `fabric.tx.bytesrate`.
    pub const fn plain(name: &'static str) -> Self {
        Self {
            before: Cow::Borrowed(name),
            after: "",
            entity: None,
        }
    }

    /// A metric of an operation of an API, such as `/fabric/v1/links/:id.GET`. There must be few.
    pub const fn of_operation(name: String) -> Self {
        Self {
            before: Cow::Owned(name),
            after: "",
            entity: None,
        }
    }

    /// A metric of a link, such as `link.<id>.latency`.
    pub const fn of_link(link: Arc<str>, what: &'static str) -> Self {
        Self {
            before: Cow::Borrowed("link"),
            after: what,
            entity: Some(link),
        }
    }

    /// A metric with the id at the end, such as `link.dropped_msgs:<id>`.
    pub const fn of(name: &'static str, entity: Arc<str>) -> Self {
        Self {
            before: Cow::Borrowed(name),
            after: "",
            entity: Some(entity),
        }
    }

    /// Id of what it is about.
    pub fn entity(&self) -> Option<&str> {
        self.entity.as_deref()
    }

    /// The fixed texts alone: `link.latency`. Two names of one family differ in their entities only.
    pub fn family(&self) -> String {
        if self.after.is_empty() {
            self.before.to_string()
        } else {
            format!("{}.{}", self.before, self.after)
        }
    }
}

/// The name as controllers know it.
impl fmt::Display for MetricName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.before)?;
        match (&self.entity, self.after) {
            (None, _) => Ok(()),
            (Some(entity), "") => write!(formatter, ":{entity}"),
            (Some(entity), after) => write!(formatter, ".{entity}.{after}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_controllers_know() {
        let id: Arc<str> = "4f".into();
        for (name, text, family) in [
            (
                MetricName::plain("faults.link"),
                "faults.link",
                "faults.link",
            ),
            (
                MetricName::of_link(Arc::clone(&id), "tx.bytesrate"),
                "link.4f.tx.bytesrate",
                "link.tx.bytesrate",
            ),
            (
                MetricName::of("link.dropped_msgs", id),
                "link.dropped_msgs:4f",
                "link.dropped_msgs",
            ),
        ] {
            assert_eq!(name.to_string(), text);
            assert_eq!(name.family(), family);
        }
    }
}
