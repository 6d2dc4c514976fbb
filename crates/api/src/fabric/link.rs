//! Links in the fabric API.

use super::router;
use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::link::EntityRef;
use portcullis_domain::FieldError;
use portcullis_domain::ids::LinkId;
use portcullis_domain::view::{LinkChange, LinkView, NamedLink};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// A link between two routers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkDetail {
    /// Its network connections.
    pub connections: Vec<LinkConnection>,
    /// Cost of a circuit over the link: the static cost and both latencies in milliseconds.
    pub cost: u32,
    /// Latency in nanoseconds as measured by the router that was dialed.
    pub dest_latency: i64,
    /// The router that was dialed.
    pub dest_router: EntityRef,
    /// Whether an administrator keeps circuits off the link.
    pub down: bool,
    /// Its id, chosen by the router that dialed.
    #[schemars(with = "String")]
    pub id: LinkId,
    /// How often the router has dialed the link.
    pub iteration: u32,
    /// Protocol of its connections, such as `tls`.
    pub protocol: String,
    /// Latency in nanoseconds as measured by the router that dialed.
    pub source_latency: i64,
    /// The router that dialed.
    pub source_router: EntityRef,
    /// `Connected`.
    pub state: Cow<'static, str>,
    /// Cost that administrators set.
    pub static_cost: u32,
}

/// A network connection of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkConnection {
    /// Address at the router that was dialed.
    pub dest: String,
    /// Address at the router that dialed.
    pub source: String,
    /// What it carries, such as `link.default`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The body of PATCH `/links/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkPatch {
    /// Whether the link is treated as down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down: Option<bool>,
    /// Static cost of the link, added to its latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_cost: Option<u32>,
}

impl Decode for LinkPatch {
    const BODY_NAME: &'static str = "link";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("down", "Whether the link is treated as down."),
        (
            "staticCost",
            "Static cost of the link, added to its latency.",
        ),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            down: members.optional_bool("down")?,
            static_cost: match members.optional_integer("staticCost")? {
                Some(cost) => Some(static_cost(cost)?),
                None => None,
            },
        })
    }
}

/// Validates a static cost.
fn static_cost(cost: i64) -> Result<u32, FieldError> {
    u32::try_from(cost).map_err(|_out_of_range| {
        let reason = format!("must be between 0 and {}", u32::MAX);
        FieldError::new("staticCost", reason, cost.to_string())
    })
}

impl From<LinkPatch> for LinkChange {
    fn from(patch: LinkPatch) -> Self {
        Self {
            static_cost: patch.static_cost,
            is_down: patch.down,
        }
    }
}

impl From<NamedLink> for LinkDetail {
    fn from(named: NamedLink) -> Self {
        let link = named.link;
        let connections = link.connections.into_iter();
        Self {
            connections: connections
                .map(|connection| LinkConnection {
                    dest: connection.remote_address,
                    source: connection.local_address,
                    kind: connection.kind,
                })
                .collect(),
            cost: link.cost,
            dest_latency: nanoseconds(link.destination_latency),
            dest_router: router::reference(&named.destination.id, named.destination.name),
            down: link.is_down,
            id: link.id,
            iteration: link.iteration,
            protocol: link.protocol,
            source_latency: nanoseconds(link.source_latency),
            source_router: router::reference(&named.source.id, named.source.name),
            state: Cow::Borrowed(LinkView::STATE),
            static_cost: link.static_cost,
        }
    }
}

fn nanoseconds(latency: Duration) -> i64 {
    i64::try_from(latency.as_nanos()).unwrap_or(i64::MAX)
}

/// A reference to a link, which has no name but its id.
pub(super) fn reference(id: &LinkId) -> EntityRef {
    EntityRef::new("links", id.as_str(), id.as_str())
}
