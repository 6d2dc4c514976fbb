//! Cheapest paths, against a search that tries everything.

use crate::support::{link, report, router};
use portcullis_fabric::{
    LinkId, Network, NetworkOptions, Path, RouterSession, RouterSlot, RouterSpec,
};
use proptest::prelude::{Strategy, any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};
use std::collections::BTreeSet;
use std::time::Duration;

/// A link of a drawn network: its ends, its cost, and whether it is down.
#[derive(Debug, Clone)]
struct Wire {
    ends: (usize, usize),
    cost: u32,
    is_down: bool,
}

/// A router of a drawn network.
#[derive(Debug, Clone)]
struct Site {
    cost: u16,
    no_traversal: bool,
    is_connected: bool,
}

#[derive(Debug)]
struct Drawn {
    sites: Vec<Site>,
    wires: Vec<Wire>,
    network: Network,
    slots: Vec<RouterSlot>,
}

fn name(index: usize) -> String {
    format!("r{index}")
}

fn build(sites: Vec<Site>, wires: Vec<Wire>) -> Drawn {
    let mut network = Network::new(NetworkOptions::default());
    let mut slots = Vec::new();
    for (index, site) in sites.iter().enumerate() {
        let spec = RouterSpec {
            cost: site.cost,
            no_traversal: site.no_traversal,
        };
        slots.push(network.set_router(router(&name(index)), spec));
    }
    let sessions: Vec<_> = (0..sites.len())
        .map(|index| network.connect(&router(&name(index))).unwrap())
        .collect();
    for (index, wire) in wires.iter().enumerate() {
        let (from, to) = wire.ends;
        let id = format!("l{index}");
        network.report_links(sessions[from], vec![report(&id, &name(to), 1)], false);
        for end in [from, to] {
            network.report_latency(sessions[end], &link(&id), Duration::ZERO);
        }
        network.set_link_cost(&link(&id), wire.cost);
        network.set_link_down(&link(&id), wire.is_down);
    }
    for (site, session) in sites.iter().zip(sessions) {
        if !site.is_connected {
            network.disconnect(session, crate::support::at(0));
        }
    }
    Drawn {
        sites,
        wires,
        network,
        slots,
    }
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let site = (
        0_u16..40,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.9),
    );
    let sites = prop::collection::vec(site, 1..7);
    let wire = (
        any::<usize>(),
        any::<usize>(),
        0_u32..60,
        prop::bool::weighted(0.1),
    );
    let wires = prop::collection::vec(wire, 0..14);
    (sites, wires).prop_map(|(sites, wires)| {
        let count = sites.len();
        let sites = sites
            .into_iter()
            .map(|(cost, no_traversal, is_connected)| Site {
                cost,
                no_traversal,
                is_connected,
            })
            .collect();
        let wires = wires
            .into_iter()
            .map(|(from, to, cost, is_down)| Wire {
                ends: (from % count, to % count),
                cost,
                is_down,
            })
            .filter(|wire| wire.ends.0 != wire.ends.1)
            .collect();
        build(sites, wires)
    })
}

impl Drawn {
    /// The cost of the cheapest path, found by walking all that meet no router twice.
    fn search(&self, from: usize, to: usize, seen: &mut BTreeSet<usize>) -> Option<u64> {
        if !self.sites[from].is_connected || !self.sites[to].is_connected {
            return None;
        }
        if from == to {
            return Some(0);
        }
        if !seen.is_empty() && self.sites[from].no_traversal {
            return None;
        }
        seen.insert(from);
        let mut best: Option<u64> = None;
        for wire in self.wires.iter().filter(|wire| !wire.is_down) {
            let (a, b) = wire.ends;
            let next = match from {
                it if it == a => b,
                it if it == b => a,
                _ => continue,
            };
            if seen.contains(&next) {
                continue;
            }
            let step = u64::from(wire.cost) + u64::from(self.sites[next].cost.max(10));
            let rest = self.search(next, to, seen);
            let cost = rest.map(|rest| rest + step);
            best = best.into_iter().chain(cost).min();
        }
        seen.remove(&from);
        best
    }
}

proptest! {
    #[test]
    fn a_path_is_as_cheap_as_any(drawn in drawn()) {
        for from in 0..drawn.sites.len() {
            let paths = drawn.network.paths_from(drawn.slots[from]);
            prop_assert_eq!(paths.is_some(), drawn.sites[from].is_connected);
            for to in 0..drawn.sites.len() {
                let expected = drawn.search(from, to, &mut BTreeSet::new());
                let slot = drawn.slots[to];
                let cost = paths.as_ref().and_then(|paths| paths.cost_to(slot));
                prop_assert_eq!(cost, expected, "{} to {}", from, to);
                let path = paths.as_ref().and_then(|paths| paths.path_to(slot));
                prop_assert_eq!(path.is_some(), expected.is_some());
                if let Some(path) = path {
                    // Sums up what the path says about itself, and checks that links join its routers.
                    prop_assert_eq!(drawn.network.path_cost(&path), expected);
                    prop_assert_eq!(path.first(), Some(drawn.slots[from]));
                    prop_assert_eq!(path.last(), Some(slot));
                    for (ends, link) in path.routers().windows(2).zip(path.links()) {
                        let link = drawn.network.link(link).unwrap();
                        let joined = BTreeSet::from([link.source, link.destination]);
                        prop_assert_eq!(joined, BTreeSet::from([ends[0], ends[1]]));
                    }
                    let inner = path.routers().iter().skip(1).rev().skip(1);
                    for router in inner {
                        let place = drawn.slots.iter().position(|slot| slot == router).unwrap();
                        prop_assert!(!drawn.sites[place].no_traversal);
                    }
                }
            }
        }
    }
}

fn three() -> (Network, [RouterSession; 3]) {
    let (mut network, sessions) = crate::support::network(["a", "b", "c"]);
    let [a, b, _] = sessions;
    network.report_links(a, vec![report("ab", "b", 1), report("ac", "c", 1)], false);
    network.report_links(b, vec![report("bc", "c", 1)], false);
    (network, sessions)
}

fn links(network: &Network, from: RouterSession, to: RouterSession) -> Option<Vec<LinkId>> {
    let paths = network.paths_from(from.router())?;
    Some(paths.path_to(to.router())?.links().to_vec())
}

#[test]
fn a_path_to_oneself_costs_nothing() {
    let (network, [a, ..]) = three();
    let paths = network.paths_from(a.router()).unwrap();
    assert_eq!(paths.cost_to(a.router()), Some(0));
    let path = paths.path_to(a.router()).unwrap();
    assert_eq!(path, Path::new(vec![a.router()], Vec::new()).unwrap());
}

#[test]
fn a_change_of_any_kind_is_seen_at_once() {
    let (mut network, [a, b, c]) = three();
    assert_eq!(links(&network, a, c), Some(vec![link("ac")]));
    network.set_link_cost(&link("ac"), 300_000);
    assert_eq!(links(&network, a, c), Some(vec![link("ab"), link("bc")]));
    for session in [a, c] {
        network.report_latency(session, &link("ac"), Duration::ZERO);
    }
    network.set_link_cost(&link("ac"), 1);
    assert_eq!(links(&network, a, c), Some(vec![link("ac")]));
    network.set_link_down(&link("ac"), true);
    assert_eq!(links(&network, a, c), Some(vec![link("ab"), link("bc")]));
    let no_traversal = RouterSpec {
        cost: 0,
        no_traversal: true,
    };
    network.set_router(router("b"), no_traversal);
    assert_eq!(links(&network, a, c), None);
    network.set_router(router("b"), RouterSpec::default());
    assert_eq!(links(&network, a, c), Some(vec![link("ab"), link("bc")]));
    network.disconnect(b, crate::support::at(0));
    assert_eq!(links(&network, a, c), None);
    network.connect(&router("b")).unwrap();
    assert_eq!(links(&network, a, c), Some(vec![link("ab"), link("bc")]));
    network.remove_link(&link("bc"));
    assert_eq!(links(&network, a, c), None);
    network.set_link_down(&link("ac"), false);
    network.remove_router(&router("c"));
    assert_eq!(links(&network, a, c), None);
}

#[test]
fn costs_do_not_wrap() {
    let (mut network, [a, _, c]) = three();
    for id in ["ab", "ac", "bc"] {
        network.set_link_cost(&link(id), u32::MAX);
    }
    let paths = network.paths_from(a.router()).unwrap();
    assert_eq!(paths.cost_to(c.router()), Some(u64::from(u32::MAX) + 10));
}

#[test]
fn a_path_has_a_link_between_each_two_routers() {
    let (_, [a, b, _]) = three();
    let (a, b) = (a.router(), b.router());
    assert_eq!(Path::new(vec![a, b], Vec::new()), None);
    assert_eq!(Path::new(Vec::new(), Vec::new()), None);
    assert_eq!(Path::new(vec![a, a], vec![link("l")]), None);
    assert!(Path::new(vec![a, b], vec![link("l")]).is_some());
}
