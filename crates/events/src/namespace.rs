//! Kinds of events by name.

use std::fmt;
use std::str::FromStr;

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Namespace {
    Alert,
    ApiSession,
    Authentication,
    Circuit,
    Cluster,
    Connect,
    EntityChange,
    EntityCount,
    Link,
    Metrics,
    Router,
    Sdk,
    Service,
    Session,
    Terminator,
    Usage,
}

/// A namespace as a subscriber named it, which may be by the name that it had before OpenZiti 1.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventType {
    pub namespace: Namespace,
    pub is_former_name: bool,
}

/// All names that subscriptions may have namespaces by, the former ones last.
pub const EVENT_TYPE_NAMES: [&str; 26] = [
    "alert",
    "apiSession",
    "authentication",
    "circuit",
    "cluster",
    "connect",
    "entityChange",
    "entityCount",
    "link",
    "metrics",
    "router",
    "sdk",
    "service",
    "session",
    "terminator",
    "usage",
    "edge.apiSessions",
    "edge.authentications",
    "fabric.circuits",
    "edge.entityCounts",
    "fabric.links",
    "fabric.routers",
    "services",
    "edge.sessions",
    "fabric.terminators",
    "fabric.usage",
];

/// There is no event type of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownType(pub String);

impl Namespace {
    pub const ALL: [Self; 16] = [
        Self::Alert,
        Self::ApiSession,
        Self::Authentication,
        Self::Circuit,
        Self::Cluster,
        Self::Connect,
        Self::EntityChange,
        Self::EntityCount,
        Self::Link,
        Self::Metrics,
        Self::Router,
        Self::Sdk,
        Self::Service,
        Self::Session,
        Self::Terminator,
        Self::Usage,
    ];

    /// The name in subscriptions and events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::ApiSession => "apiSession",
            Self::Authentication => "authentication",
            Self::Circuit => "circuit",
            Self::Cluster => "cluster",
            Self::Connect => "connect",
            Self::EntityChange => "entityChange",
            Self::EntityCount => "entityCount",
            Self::Link => "link",
            Self::Metrics => "metrics",
            Self::Router => "router",
            Self::Sdk => "sdk",
            Self::Service => "service",
            Self::Session => "session",
            Self::Terminator => "terminator",
            Self::Usage => "usage",
        }
    }

    /// The name that subscriptions may have it by as well.
    pub const fn former_name(self) -> Option<&'static str> {
        match self {
            Self::ApiSession => Some("edge.apiSessions"),
            Self::Authentication => Some("edge.authentications"),
            Self::Circuit => Some("fabric.circuits"),
            Self::EntityCount => Some("edge.entityCounts"),
            Self::Link => Some("fabric.links"),
            Self::Router => Some("fabric.routers"),
            Self::Service => Some("services"),
            Self::Session => Some("edge.sessions"),
            Self::Terminator => Some("fabric.terminators"),
            Self::Usage => Some("fabric.usage"),
            Self::Alert
            | Self::Cluster
            | Self::Connect
            | Self::EntityChange
            | Self::Metrics
            | Self::Sdk => None,
        }
    }

    /// The name in the header of streamed events. Usage of version 3 has its own.
    pub(crate) const fn stream_name(self) -> &'static str {
        match self {
            Self::EntityChange => "entity.change",
            other => other.as_str(),
        }
    }
}

impl EventType {
    /// The namespace that events have for who named them so.
    pub(crate) fn json_namespace(self) -> &'static str {
        let name = self.namespace.as_str();
        match (self.is_former_name, self.namespace) {
            (false, _) | (true, Namespace::Authentication) => name,
            (true, Namespace::Service) => "service.events",
            (true, other) => other.former_name().unwrap_or(name),
        }
    }
}

impl From<Namespace> for EventType {
    fn from(namespace: Namespace) -> Self {
        Self {
            namespace,
            is_former_name: false,
        }
    }
}

impl FromStr for EventType {
    type Err = UnknownType;

    fn from_str(name: &str) -> Result<Self, UnknownType> {
        let named = |&namespace: &Namespace| {
            let is_former_name = namespace.former_name() == Some(name);
            let is_named = is_former_name || namespace.as_str() == name;
            is_named.then_some(Self {
                namespace,
                is_former_name,
            })
        };
        let unknown = || UnknownType(name.to_owned());
        Namespace::ALL.iter().find_map(named).ok_or_else(unknown)
    }
}

impl UnknownType {
    /// The name that was probably meant: it differs in case, or by an `s` at its end.
    fn meant(&self) -> Option<&'static str> {
        let plain = |name: &str| name.trim_end_matches('s').to_ascii_lowercase();
        let given = plain(&self.0);
        let mut names = Namespace::ALL.iter().map(|namespace| namespace.as_str());
        names.find(|name| plain(name) == given)
    }
}

impl fmt::Display for UnknownType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "there is no event type `{}`; ",
            self.0.escape_debug()
        )?;
        if let Some(name) = self.meant() {
            return write!(formatter, "did you mean `{name}`?");
        }
        let names: Vec<&str> = Namespace::ALL
            .iter()
            .map(|namespace| namespace.as_str())
            .collect();
        write!(formatter, "there are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownType {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_means_its_namespace() {
        for namespace in Namespace::ALL {
            let parsed: EventType = namespace.as_str().parse().expect("known");
            assert_eq!(parsed, EventType::from(namespace));
            assert_eq!(parsed.json_namespace(), namespace.as_str());
            if let Some(former) = namespace.former_name() {
                let parsed: EventType = former.parse().expect("known");
                assert_eq!(parsed.namespace, namespace);
                assert!(parsed.is_former_name);
            }
        }
    }

    #[test]
    fn all_names_are_listed() {
        let present = Namespace::ALL.map(Namespace::as_str);
        let former = Namespace::ALL
            .into_iter()
            .filter_map(Namespace::former_name);
        let names: Vec<_> = present.into_iter().chain(former).collect();
        assert_eq!(names, EVENT_TYPE_NAMES);
    }

    #[test]
    fn events_keep_the_former_name_with_two_exceptions() {
        let json = |name: &str| name.parse::<EventType>().expect("known").json_namespace();
        assert_eq!(json("fabric.circuits"), "fabric.circuits");
        assert_eq!(json("edge.authentications"), "authentication");
        assert_eq!(json("services"), "service.events");
    }

    #[test]
    fn unknown_types_name_the_likely_one_or_all() {
        let error = |name: &str| name.parse::<EventType>().expect_err("unknown").to_string();
        assert_eq!(
            error("Links"),
            "there is no event type `Links`; did you mean `link`?"
        );
        assert!(
            error("x\n").starts_with("there is no event type `x\\n`; there are alert, apiSession,")
        );
    }
}
