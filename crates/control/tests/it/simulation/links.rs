//! Links as routers make and lose them.

use super::router::LinkEnd;
use super::world::{Due, World};
use portcullis_seeded_random::Random;
use std::time::Duration;
use tokio::time::Instant;

/// What two routers are connected by, whether they know or not.
#[derive(Debug)]
pub(crate) struct Cable {
    /// The one that dials comes first.
    pub(crate) ends: [usize; 2],
    pub(crate) id: String,
    pub(crate) iteration: u32,
    pub(crate) is_up: bool,
}

impl Cable {
    fn new(ends: [usize; 2]) -> Self {
        Self {
            ends,
            id: String::new(),
            iteration: 0,
            is_up: false,
        }
    }

    /// A chain of routers.
    pub(crate) fn chain(routers: usize) -> Vec<Self> {
        (1..routers).map(|to| Self::new([to - 1, to])).collect()
    }

    /// A chain of routers, and some cables more.
    pub(crate) fn between(routers: usize, random: &mut Random) -> Vec<Self> {
        let mut cables = Vec::new();
        for from in 0..routers {
            for to in 0..routers {
                if to == from + 1 || (from != to && random.one_in(4)) {
                    cables.push(Self::new([from, to]));
                }
            }
        }
        cables
    }
}

impl World {
    /// A router that has started dials its links under new ids.
    pub(crate) fn dial_anew(&mut self, router: usize) {
        for cable in 0..self.cables.len() {
            if self.cables[cable].ends[0] == router {
                let id = self.name("link");
                self.cables[cable].id.clone_from(&id);
                self.cables[cable].iteration = 0;
                let time = self.delay(2000, 5000);
                self.later(time, Due::Redial { cable, id });
            }
        }
    }

    pub(crate) fn redial(&mut self, cable: usize, id: &str) {
        let [source, destination] = self.cables[cable].ends;
        let Some(dialer) = self.router(source) else {
            return;
        };
        let has_link = dialer.with(|mind| mind.links.contains_key(id));
        if self.cables[cable].id != id || has_link {
            return;
        }
        let Some(acceptor) = self.router(destination) else {
            let id = id.to_owned();
            return self.later(Duration::from_secs(5), Due::Redial { cable, id });
        };
        let state = &mut self.cables[cable];
        state.iteration += 1;
        state.is_up = true;
        let end = |peer: usize| LinkEnd {
            peer,
            peer_id: self.sites[peer].id.clone(),
            iteration: self.cables[cable].iteration,
            is_source: peer == destination,
        };
        acceptor.gain_link(id, end(source));
        dialer.gain_link(id, end(destination));
    }

    /// A cable is down, which each end notices by itself.
    pub(crate) fn break_cable(&mut self, cable: usize) {
        self.cables[cable].is_up = false;
        for end in self.cables[cable].ends {
            self.notice_later(cable, end);
        }
    }

    fn notice_later(&mut self, cable: usize, end: usize) {
        let time = self.delay(500, 30_000);
        let Cable { id, iteration, .. } = &self.cables[cable];
        let (id, iteration) = (id.clone(), *iteration);
        let notice = Due::Notice {
            cable,
            end,
            id,
            iteration,
        };
        self.later(time, notice);
    }

    pub(crate) fn notice(&mut self, cable: usize, end: usize, id: &str, iteration: u32) {
        let Some(router) = self.router(end) else {
            return;
        };
        let is_source = self.cables[cable].ends[0] == end;
        if router.lose_link(id, iteration) && is_source {
            let time = self.delay(1000, 10_000);
            let id = id.to_owned();
            self.later(time, Due::Redial { cable, id });
        }
    }

    /// Routers close the links that the controller wants closed.
    pub(crate) fn close_links(&mut self) {
        for number in 0..self.sites.len() {
            let Some(router) = self.router(number) else {
                continue;
            };
            for (id, iteration) in router.with(|mind| std::mem::take(&mut mind.to_close)) {
                let known = router.with(|mind| mind.links.get(&id).map(|end| end.iteration));
                let Some(known) = known.filter(|known| iteration == 0 || *known <= iteration)
                else {
                    continue;
                };
                match self.cables.iter().position(|cable| cable.id == id) {
                    Some(cable) => {
                        self.cables[cable].is_up = false;
                        let [source, destination] = self.cables[cable].ends;
                        self.notice(cable, number, &id, known);
                        self.notice_later(cable, source + destination - number);
                    },
                    // Of a router that was restarted: nobody is at the other end.
                    None => {
                        router.lose_link(&id, known);
                    },
                }
            }
        }
    }

    /// Data flows in both directions of each circuit.
    pub(crate) fn send_data(&self) {
        for number in 0..self.sites.len() {
            let Some(router) = self.router(number) else {
                continue;
            };
            let circuits = router.with(|mind| {
                let circuits = mind.circuits.iter();
                let ends = circuits.flat_map(|(id, entry)| {
                    let ends = entry.ends().into_iter();
                    ends.map(|end| (id.clone(), end)).collect::<Vec<_>>()
                });
                ends.collect::<Vec<_>>()
            });
            for (circuit, end) in circuits {
                self.send(number, &circuit, &end);
            }
        }
    }

    /// Sends from an end of a circuit; where it arrives.
    pub(crate) fn send(&self, from: usize, circuit: &str, end: &str) -> Option<usize> {
        use super::circuits::Hop;
        let (mut number, mut address) = (from, end.to_owned());
        for _ in 0..20 {
            let router = self.router(number)?;
            let (hop, peer) = router.with(|mind| {
                let entry = mind.circuits.get(circuit);
                match entry.map_or(Hop::Fault, |entry| entry.next(&address)) {
                    Hop::Link(link) => match mind.links.get(&link).map(|end| end.peer) {
                        Some(peer) => (Hop::Link(link), peer),
                        None => (Hop::Fault, 0),
                    },
                    other => (other, 0),
                }
            });
            match hop {
                Hop::Arrived => return Some(number),
                Hop::Fault => {
                    router.report_forward_fault(circuit);
                    return None;
                },
                Hop::Link(link) => {
                    let is_up = |cable: &Cable| cable.id == link && cable.is_up;
                    if !self.cables.iter().any(is_up) {
                        return None;
                    }
                    (number, address) = (peer, link);
                },
            }
        }
        None
    }

    /// Whether nothing is due any more that could change a link.
    pub(crate) fn due_links(&self) -> Option<Instant> {
        let due = self.due.iter();
        due.filter(|(_, due)| matches!(due, Due::Notice { .. } | Due::Redial { .. }))
            .map(|(at, _)| *at)
            .min()
    }
}
