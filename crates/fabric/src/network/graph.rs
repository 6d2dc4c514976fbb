//! Connected routers and usable links, laid out for searching.

use super::{Link, Network, RouterSlot};
use crate::LinkId;
use std::sync::Arc;

/// Routers are numbered as their slots are.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    /// The connected router, if there is one.
    pub(super) router: Option<RouterSlot>,
    /// Whether paths may lead on from here.
    pub(super) is_passable: bool,
    first_edge: usize,
    edge_count: usize,
}

/// One direction of a link.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) to: usize,
    /// Cost of the link and of entering the router.
    pub(super) cost: u64,
    pub(super) link: LinkId,
}

impl Graph {
    pub(super) fn new(network: &Network) -> Self {
        let mut nodes = vec![Node::default(); network.routers.places()];
        let mut entry_costs = vec![0; nodes.len()];
        for (slot, router) in network.routers.iter() {
            let index = slot.index();
            if let (Some(node), Some(cost)) = (nodes.get_mut(index), entry_costs.get_mut(index))
                && router.session().is_some()
            {
                node.router = Some(slot);
                node.is_passable = !router.spec.no_traversal;
                *cost = network.entry_cost(router.spec);
            }
        }
        let usable = network
            .links
            .values()
            .map(Arc::as_ref)
            .filter(|link| network.is_usable(link));
        let mut directed: Vec<_> = usable
            .flat_map(|link| {
                let (source, destination) = (link.source.index(), link.destination.index());
                [(source, destination, link), (destination, source, link)]
            })
            .collect();
        directed.sort_by_key(|(from, ..)| *from);
        for (place, (from, ..)) in directed.iter().enumerate() {
            if let Some(node) = nodes.get_mut(*from) {
                if node.edge_count == 0 {
                    node.first_edge = place;
                }
                node.edge_count += 1;
            }
        }
        let edge = |(_, to, link): (usize, usize, &Link)| Edge {
            to,
            cost: u64::from(link.cost()) + entry_costs.get(to).copied().unwrap_or_default(),
            link: link.id.clone(),
        };
        Self {
            nodes,
            edges: directed.into_iter().map(edge).collect(),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    pub(super) fn edge(&self, index: usize) -> Option<&Edge> {
        self.edges.get(index)
    }

    /// Edges that lead away from a node, with their indices.
    pub(super) fn edges_from(&self, node: &Node) -> impl Iterator<Item = (usize, &Edge)> {
        let all = self.edges.iter().enumerate();
        all.skip(node.first_edge).take(node.edge_count)
    }
}
