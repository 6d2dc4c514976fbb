//! A link in words of the router, and its connections.

use super::{KnownLink, LinkDisagreement};
use crate::bounded::Listed;
use crate::text::Shown;
use portcullis_domain::ids::LinkId;
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Connections that are read of a link; routers have a few.
const MAX_CONNECTIONS: usize = 16;

/// A connection of a link, as the router that dialed sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(default)]
pub struct LinkConnection {
    /// `link.default`, `link.ack` or `single`.
    #[serde(rename = "Type")]
    pub kind: String,
    #[serde(rename = "Source")]
    pub local_address: String,
    #[serde(rename = "Dest")]
    pub remote_address: String,
}

impl fmt::Display for LinkConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kind, local, remote] =
            [&self.kind, &self.local_address, &self.remote_address].map(|text| Shown(text));
        write!(formatter, "{kind} {local} -> {remote}")
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToldLink {
    pub(super) id: String,
    iteration: u64,
    pub(super) dest: String,
    pub(super) dialed: bool,
    /// Absent at routers that do not tell them; `null` for none.
    #[serde(deserialize_with = "told")]
    connections: Option<Listed<LinkConnection, MAX_CONNECTIONS>>,
    conn_state_iteration: u64,
}

fn told<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// How the connections of a link that the router has dialed differ, and how often they have changed.
pub(super) fn compare(
    link: &LinkId,
    known: &KnownLink,
    told: ToldLink,
    disagreements: &mut Vec<LinkDisagreement>,
) {
    let link = || link.clone();
    if u64::from(known.iteration) != told.iteration {
        disagreements.push(LinkDisagreement::Iteration {
            link: link(),
            controller: known.iteration,
            router: told.iteration,
        });
    }
    let Some(connections) = told.connections else {
        return;
    };
    if u64::from(known.connections_iteration) != told.conn_state_iteration {
        disagreements.push(LinkDisagreement::ConnectionsIteration {
            link: link(),
            controller: known.connections_iteration,
            router: told.conn_state_iteration,
        });
    }
    if known.connections.len() != connections.len() {
        disagreements.push(LinkDisagreement::ConnectionCount {
            link: link(),
            controller: known.connections.len(),
            router: connections.len(),
        });
        return;
    }
    if connections.left_out > 0 {
        return;
    }
    let (mut of_controller, mut of_router) = (known.connections.clone(), connections.kept);
    of_controller.sort();
    of_router.sort();
    let pairs = of_controller.into_iter().zip(of_router);
    let differing = pairs.filter(|(controller, router)| controller != router);
    disagreements.extend(
        differing.map(|(controller, router)| LinkDisagreement::Connection {
            link: link(),
            controller,
            router,
        }),
    );
}
