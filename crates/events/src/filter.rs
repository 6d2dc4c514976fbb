//! Which events of a namespace somebody wants.

use crate::event::Body;
use crate::event::api_session::ApiSessionKind;
use crate::event::authentication::AuthenticationKind;
use crate::event::circuit::CircuitKind;
use crate::event::entity_change::ENTITY_TYPES;
use crate::event::session::SessionKind;
use crate::event::usage::USAGE_KINDS;
use crate::namespace::Namespace;
use crate::options::{OptionError, Options};
use crate::pattern::{Pattern, PatternBudget};
use std::collections::BTreeSet;
use std::time::Duration;

pub(crate) type Names = BTreeSet<&'static str>;

/// Which events of a namespace somebody wants, and in which form if there are several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Filter {
    Everything,
    /// Events of these kinds.
    Kinds(Names),
    EntityChanges {
        types: Option<Names>,
        with_parents: bool,
    },
    EntityCounts {
        interval: Duration,
    },
    Metrics(MetricFilter),
    /// A line for each kind of bytes.
    UsageByKind,
    /// One line with these kinds of bytes, or all.
    Usage {
        kinds: Option<Names>,
    },
}

/// Regular expressions that a metric has to match, as far as there are any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MetricFilter {
    /// For the id of who measured.
    source: Option<Pattern>,
    /// For the name and the part of the metric, as `link.latency.p50`.
    metric: Option<Pattern>,
}

impl MetricFilter {
    pub(crate) fn wants_source(&self, id: &str) -> bool {
        self.source.as_ref().is_none_or(|source| source.matches(id))
    }

    pub(crate) fn wants_part(&self, path: &str) -> bool {
        self.metric
            .as_ref()
            .is_none_or(|metric| metric.matches(path))
    }
}

const DEFAULT_COUNT_INTERVAL: Duration = Duration::from_mins(5);
const MIN_COUNT_INTERVAL: Duration = Duration::from_secs(1);

/// Names of the options of subscriptions to a namespace.
pub(crate) const fn option_names(namespace: Namespace) -> &'static [&'static str] {
    match namespace {
        Namespace::ApiSession
        | Namespace::Authentication
        | Namespace::Circuit
        | Namespace::Session => &["include"],
        Namespace::EntityChange => &["include", "propagateAlways", "includeParentEvents"],
        Namespace::EntityCount => &["interval", "propagateAlways"],
        Namespace::Metrics => &["sourceFilter", "metricFilter"],
        Namespace::Terminator => &["propagateAlways"],
        Namespace::Usage => &["version", "include"],
        Namespace::Alert
        | Namespace::Cluster
        | Namespace::Connect
        | Namespace::Link
        | Namespace::Router
        | Namespace::Sdk
        | Namespace::Service => &[],
    }
}

impl Filter {
    /// Whether the option has any effect on the filter.
    pub(crate) fn uses(&self, namespace: Namespace, option: &str) -> bool {
        match self {
            Self::UsageByKind => option == "version",
            _ => option_names(namespace).contains(&option),
        }
    }

    pub(crate) fn new(
        namespace: Namespace,
        options: Options<'_>,
        patterns: &mut PatternBudget,
    ) -> Result<Self, OptionError> {
        let kinds = |known: &[&'static str]| {
            let kinds = options.names("include", known)?;
            Ok(kinds.map_or(Self::Everything, Self::Kinds))
        };
        match namespace {
            Namespace::ApiSession => kinds(&ApiSessionKind::NAMES),
            Namespace::Authentication => kinds(&AuthenticationKind::NAMES),
            Namespace::Circuit => kinds(&CircuitKind::NAMES),
            Namespace::Session => kinds(&SessionKind::NAMES),
            Namespace::EntityChange => {
                // For members of a cluster of controllers that do not lead it.
                options.boolean("propagateAlways")?;
                Ok(Self::EntityChanges {
                    types: options.names("include", &ENTITY_TYPES)?,
                    with_parents: options.boolean("includeParentEvents")?,
                })
            },
            Namespace::EntityCount => {
                options.boolean("propagateAlways")?;
                let interval = options.duration("interval", MIN_COUNT_INTERVAL)?;
                Ok(Self::EntityCounts {
                    interval: interval.unwrap_or(DEFAULT_COUNT_INTERVAL),
                })
            },
            Namespace::Metrics => Ok(Self::Metrics(MetricFilter {
                source: pattern(options, "sourceFilter", patterns)?,
                metric: pattern(options, "metricFilter", patterns)?,
            })),
            Namespace::Terminator => {
                options.boolean("propagateAlways")?;
                Ok(Self::Everything)
            },
            Namespace::Usage => match options.version("version", &[2, 3])? {
                Some(3) => Ok(Self::Usage {
                    kinds: options.names("include", &USAGE_KINDS)?,
                }),
                _ => Ok(Self::UsageByKind),
            },
            Namespace::Alert
            | Namespace::Cluster
            | Namespace::Connect
            | Namespace::Link
            | Namespace::Router
            | Namespace::Sdk
            | Namespace::Service => Ok(Self::Everything),
        }
    }

    /// Whether an event of the namespace is wanted, at least in part.
    pub(crate) fn wants(&self, body: &Body) -> bool {
        match (self, body) {
            (Self::Kinds(kinds), Body::ApiSession(event)) => kinds.contains(event.kind.as_str()),
            (Self::Kinds(kinds), Body::Authentication(event)) => {
                kinds.contains(event.kind.as_str())
            },
            (Self::Kinds(kinds), Body::Circuit(event)) => kinds.contains(event.kind.as_str()),
            (Self::Kinds(kinds), Body::Session(event)) => kinds.contains(event.kind.as_str()),
            (Self::EntityChanges { .. }, Body::EntityChange(event)) => {
                self.wants_entity(event.entity_type, event.is_parent)
            },
            (Self::EntityChanges { .. }, Body::EntityCommit(event)) => {
                self.wants_entity(event.entity_type, event.is_parent)
            },
            (Self::Metrics(filter), Body::Metric(event)) => {
                filter.wants_source(&event.source_id) && event.has(|path| filter.wants_part(path))
            },
            (Self::Usage { kinds: Some(kinds) }, Body::Usage(event)) => {
                event.bytes.keys().any(|kind| kinds.contains(kind.as_str()))
            },
            _ => true,
        }
    }

    pub(crate) fn wants_entity(&self, entity_type: &str, is_parent: bool) -> bool {
        let Self::EntityChanges {
            types,
            with_parents,
        } = self
        else {
            return true;
        };
        let is_of_type = types
            .as_ref()
            .is_none_or(|types| types.contains(entity_type));
        is_of_type && (!is_parent || *with_parents)
    }
}

/// The regular expression that an option is, if it is set.
fn pattern(
    options: Options<'_>,
    name: &'static str,
    budget: &mut PatternBudget,
) -> Result<Option<Pattern>, OptionError> {
    let text = options.text(name)?;
    let pattern = text.map(|text| Pattern::new(text, budget));
    pattern
        .transpose()
        .map_err(|reason| OptionError { name, reason })
}
