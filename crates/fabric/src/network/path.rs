//! Cheapest paths between routers.

use super::graph::Graph;
use super::{Network, RouterSlot};
use crate::LinkId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The routers that a circuit passes, and the link from each to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    routers: Vec<RouterSlot>,
    links: Vec<LinkId>,
}

impl Path {
    /// `None` unless there is one link between each two routers, and no router comes twice.
    pub fn new(routers: Vec<RouterSlot>, links: Vec<LinkId>) -> Option<Self> {
        let comes_again = |(place, router)| routers.iter().skip(place + 1).any(|it| it == router);
        let is_path =
            routers.len() == links.len() + 1 && !routers.iter().enumerate().any(comes_again);
        is_path.then_some(Self { routers, links })
    }

    pub fn routers(&self) -> &[RouterSlot] {
        &self.routers
    }

    pub fn links(&self) -> &[LinkId] {
        &self.links
    }

    /// The router where the circuit begins.
    pub fn first(&self) -> Option<RouterSlot> {
        self.routers.first().copied()
    }

    /// The router where the circuit ends.
    pub fn last(&self) -> Option<RouterSlot> {
        self.routers.last().copied()
    }

    pub fn passes(&self, router: RouterSlot) -> bool {
        self.routers.contains(&router)
    }

    pub fn uses(&self, link: &LinkId) -> bool {
        self.links.contains(link)
    }
}

/// The cheapest paths from one router to all others (Dijkstra's algorithm).
///
/// A path costs, for each router after the first, the cost of the link to it and the cost of entering
/// it, which is at least [`NetworkOptions::min_router_cost`](crate::NetworkOptions). Routers without traversal are only first or last.
#[derive(Debug)]
pub struct Paths<'a> {
    graph: &'a Graph,
    source: usize,
    reached: Vec<Reached>,
}

#[derive(Debug, Clone)]
struct Reached {
    cost: u64,
    /// The node before, and the edge from it.
    via: Option<(usize, usize)>,
}

impl<'a> Paths<'a> {
    fn new(graph: &'a Graph, source: usize) -> Self {
        let unreached = Reached {
            cost: u64::MAX,
            via: None,
        };
        let mut paths = Self {
            graph,
            source,
            reached: vec![unreached; graph.len()],
        };
        paths.search();
        paths
    }

    fn search(&mut self) {
        let graph = self.graph;
        let mut open = BinaryHeap::new();
        if let Some(source) = self.reached.get_mut(self.source) {
            source.cost = 0;
            open.push(Reverse((0, self.source)));
        }
        while let Some(Reverse((cost, from))) = open.pop() {
            let Some(node) = graph.node(from) else {
                continue;
            };
            let is_outdated = self.reached.get(from).is_none_or(|it| it.cost < cost);
            if is_outdated || (from != self.source && !node.is_passable) {
                continue;
            }
            for (index, edge) in graph.edges_from(node) {
                let cost = cost + edge.cost;
                if let Some(to) = self.reached.get_mut(edge.to)
                    && cost < to.cost
                {
                    to.cost = cost;
                    to.via = Some((from, index));
                    open.push(Reverse((cost, edge.to)));
                }
            }
        }
    }

    /// Cost of the cheapest path to a router; `None` if it cannot be reached.
    pub fn cost_to(&self, router: RouterSlot) -> Option<u64> {
        let index = router.index();
        let is_connected = self.graph.node(index)?.router == Some(router);
        let cost = self.reached.get(index)?.cost;
        (is_connected && cost != u64::MAX).then_some(cost)
    }

    /// The cheapest path to a router; `None` if it cannot be reached.
    pub fn path_to(&self, router: RouterSlot) -> Option<Path> {
        self.cost_to(router)?;
        let mut routers = vec![router];
        let mut links = Vec::new();
        let mut place = router.index();
        while let Some((before, edge)) = self.reached.get(place)?.via {
            links.push(self.graph.edge(edge)?.link.clone());
            routers.push(self.graph.node(before)?.router?);
            place = before;
        }
        routers.reverse();
        links.reverse();
        Some(Path { routers, links })
    }
}

impl Network {
    /// The cheapest paths from a router; `None` if it is not connected.
    pub fn paths_from(&self, router: RouterSlot) -> Option<Paths<'_>> {
        self.routers.session(router)?;
        let graph = self.graph.get_or_init(|| Graph::new(self));
        Some(Paths::new(graph, router.index()))
    }

    /// What a path costs now; `None` if a router of it is not connected or a link not usable.
    pub fn path_cost(&self, path: &Path) -> Option<u64> {
        for router in path.routers() {
            self.routers.session(*router)?;
        }
        let entered = path.routers().iter().skip(1);
        entered
            .zip(path.links())
            .try_fold(0, |sum, (router, link)| {
                let link = self.links.get(link).filter(|link| self.is_usable(link))?;
                let spec = self.routers.get(*router)?.spec;
                Some(sum + u64::from(link.cost()) + self.entry_cost(spec))
            })
    }
}
