//! Links.

mod connections;
mod disagreement;

pub use connections::LinkConnection;
pub use disagreement::LinkDisagreement;

use crate::answer::Answer;
use crate::bounded::{Listed, MAX_ENTRIES};
use crate::comparison::{Compared, Comparison, Known, Router};
use crate::finding::with_time;
use crate::inspection;
use connections::ToldLink;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{LinkId, RouterId};
use portcullis_wire::management::{LinkDetail, LinkDetails, LinkValidity};
use std::collections::BTreeSet;

/// What routers are asked for.
pub const LINKS: &str = "links";

/// A link as the controller knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownLink {
    /// The router that dialed.
    pub source: RouterId,
    pub destination: RouterId,
    /// Counts how often it was dialed.
    pub iteration: u32,
    /// Counts the changes of its connections.
    pub connections_iteration: u32,
    pub connections: Vec<LinkConnection>,
    pub since: Option<Timestamp>,
}

/// A link that one of the two has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedLink {
    pub link: LinkId,
    /// The other end.
    pub destination: RouterId,
    /// The controller has it.
    pub is_known: bool,
    /// The router has it.
    pub is_reported: bool,
    /// The other end has a control channel.
    pub is_destination_connected: bool,
    /// The router has dialed it.
    pub is_dialed: bool,
    pub disagreements: Vec<LinkDisagreement>,
}

impl Compared for ComparedLink {
    type Disagreement = LinkDisagreement;

    fn disagreements(&self) -> &[LinkDisagreement] {
        &self.disagreements
    }
}

/// Compares the links of a router with those that the controller knows, which may be those of others as well.
pub fn compare_links(
    router: &Router,
    known: &Known<LinkId, KnownLink>,
    is_connected: impl Fn(&RouterId) -> bool,
    answer: Answer<'_>,
) -> Comparison<ComparedLink> {
    let told = inspection::read::<Listed<ToldLink, MAX_ENTRIES>>(answer, LINKS);
    Comparison::of(router, told, |told, is_complete| {
        let told = told.kept.into_iter();
        let mut links: Vec<_> = told
            .map(|told| reported(router, known, &is_connected, told))
            .collect();
        if is_complete {
            let unreported = unreported(router, known, &is_connected, &links);
            links.extend(unreported);
        }
        links
    })
}

fn reported(
    router: &Router,
    known: &Known<LinkId, KnownLink>,
    is_connected: impl Fn(&RouterId) -> bool,
    told: ToldLink,
) -> ComparedLink {
    let link = LinkId::from_wire(told.id.as_str());
    let destination = RouterId::from_wire(told.dest.as_str());
    let known = known.get(&link);
    let is_destination_connected = is_connected(&destination);
    let is_dialed = told.dialed;
    let mut disagreements = Vec::new();
    match known {
        // The controller knows links only while both ends are connected.
        None if is_destination_connected => {
            disagreements.push(LinkDisagreement::UnknownToController {
                link: link.clone(),
                destination: destination.clone(),
            });
        },
        None => {},
        Some(known) => {
            if !is_destination_connected {
                disagreements.push(LinkDisagreement::DestinationNotConnected {
                    link: link.clone(),
                    destination: destination.clone(),
                    since: known.since,
                });
            }
            if is_dialed && router.tells_circuits {
                connections::compare(&link, known, told, &mut disagreements);
            }
        },
    }
    ComparedLink {
        is_known: known.is_some(),
        is_reported: true,
        is_destination_connected,
        is_dialed,
        link,
        destination,
        disagreements,
    }
}

/// Links of the router that only the controller has.
fn unreported(
    router: &Router,
    known: &Known<LinkId, KnownLink>,
    is_connected: impl Fn(&RouterId) -> bool,
    reported: &[ComparedLink],
) -> Vec<ComparedLink> {
    let reported: BTreeSet<_> = reported.iter().map(|reported| &reported.link).collect();
    let of_router = known.iter().filter_map(|(link, known)| {
        let is_dialed = known.source == router.id;
        let destination = if is_dialed {
            &known.destination
        } else {
            &known.source
        };
        let is_its_own = is_dialed || known.destination == router.id;
        (is_its_own && !reported.contains(link)).then(|| ComparedLink {
            link: link.clone(),
            destination: destination.clone(),
            is_known: true,
            is_reported: false,
            is_destination_connected: is_connected(destination),
            is_dialed,
            disagreements: vec![LinkDisagreement::UnknownToRouter {
                link: link.clone(),
                destination: destination.clone(),
                since: known.since,
            }],
        })
    });
    of_router.collect()
}

impl From<&ComparedLink> for LinkDetail {
    fn from(compared: &ComparedLink) -> Self {
        let state = |is_there| {
            if is_there {
                LinkValidity::Established
            } else {
                LinkValidity::Unknown
            }
        };
        let disagreements = &compared.disagreements;
        Self {
            link_id: compared.link.as_str().to_owned(),
            controller_state: state(compared.is_known),
            router_state: state(compared.is_reported),
            is_destination_connected: compared.is_destination_connected,
            is_valid: !disagreements.iter().any(LinkDisagreement::is_invalid),
            destination: compared.destination.as_str().to_owned(),
            is_dialed: compared.is_dialed,
            texts: disagreements.iter().map(|found| with_time(found)).collect(),
        }
    }
}

impl From<&Comparison<ComparedLink>> for LinkDetails {
    fn from(comparison: &Comparison<ComparedLink>) -> Self {
        let (is_success, text) = comparison.outcome("router not connected");
        Self {
            router_id: comparison.router.id.as_str().to_owned(),
            router_name: comparison.router.name.clone(),
            is_success,
            text,
            links: comparison
                .entries
                .iter()
                .flatten()
                .map(Into::into)
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
