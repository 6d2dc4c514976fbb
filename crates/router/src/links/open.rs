//! Links that are there, and which of two stays.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::links::names::{Link, LinkKey};

/// How many newcomers a link turns away before one takes its place: whoever dials that often has lost the
/// link that is there.
const TURNED_AWAY: u32 = 5;

/// Which side dialed a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Dialed,
    Accepted,
}

/// A link that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) link: Link,
    pub(super) origin: Origin,
    turned_away: u32,
}

/// The links that are there, one for each purpose.
#[derive(Debug, Default)]
pub(super) struct OpenLinks(BTreeMap<LinkKey, Open>);

/// What becomes of a newcomer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It stays.
    Stays,
    /// It stays, and takes the place of this one.
    Replaces(Open),
    /// It is a duplicate and has to go.
    Goes,
}

impl Origin {
    /// How long a duplicate that has just arrived is kept. Whoever dialed closes first, so that both sides
    /// see the same reason.
    pub(super) fn patience_with_newcomer(self) -> Duration {
        match self {
            Self::Dialed => Duration::ZERO,
            Self::Accepted => Duration::from_secs(30),
        }
    }

    /// How long a link that was replaced is kept, so that its circuits can move.
    pub(super) fn patience_with_replaced(self) -> Duration {
        match self {
            Self::Dialed => Duration::from_mins(1),
            Self::Accepted => Duration::from_secs(75),
        }
    }
}

impl OpenLinks {
    /// Decides about a newcomer: of two links the one with the lesser id stays, so that both sides agree
    /// without asking each other. An equal id is a new attempt of the same dialer, and the newer one stays.
    pub(super) fn arrive(&mut self, key: &LinkKey, link: Link, origin: Origin) -> Arrival {
        if let Some(open) = self.0.get_mut(key) {
            if open.link == link {
                return Arrival::Stays;
            }
            if open.link.id < link.id && open.turned_away < TURNED_AWAY {
                open.turned_away += 1;
                return Arrival::Goes;
            }
        }
        let newcomer = Open {
            link,
            origin,
            turned_away: 0,
        };
        self.0
            .insert(key.clone(), newcomer)
            .map_or(Arrival::Stays, Arrival::Replaces)
    }

    pub(super) fn get(&self, key: &LinkKey) -> Option<&Open> {
        self.0.get(key)
    }

    pub(super) fn contains(&self, key: &LinkKey) -> bool {
        self.0.contains_key(key)
    }

    /// Removes a link, unless another one has its place.
    pub(super) fn remove(&mut self, key: &LinkKey, link: &Link) -> bool {
        let is_this = self.0.get(key).is_some_and(|open| open.link == *link);
        if is_this {
            self.0.remove(key);
        }
        is_this
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&LinkKey, &Open)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::names::{LinkId, RouterId};

    fn link(id: &str, iteration: u32) -> Link {
        Link {
            id: LinkId::from_wire(id),
            iteration,
        }
    }

    #[test]
    fn of_two_links_the_lesser_id_stays() {
        let key = LinkKey::new(RouterId::from_wire("r"), "tls", None, None);
        let mut links = OpenLinks::default();
        let mut arrive = |id, iteration| links.arrive(&key, link(id, iteration), Origin::Dialed);
        assert_eq!(arrive("m", 1), Arrival::Stays);
        assert_eq!(arrive("m", 1), Arrival::Stays);
        assert_eq!(arrive("z", 1), Arrival::Goes);
        for (id, iteration, replaced) in [("a", 1, ("m", 1)), ("a", 2, ("a", 1))] {
            let Arrival::Replaces(open) = arrive(id, iteration) else {
                panic!("{id} {iteration} does not replace");
            };
            assert_eq!(open.link, link(replaced.0, replaced.1));
        }
    }

    #[test]
    fn the_sixth_newcomer_takes_the_place() {
        let key = LinkKey::new(RouterId::from_wire("r"), "tls", None, None);
        let mut links = OpenLinks::default();
        links.arrive(&key, link("a", 1), Origin::Accepted);
        for iteration in 1..=5 {
            let arrival = links.arrive(&key, link("b", iteration), Origin::Dialed);
            assert_eq!(arrival, Arrival::Goes);
        }
        let arrival = links.arrive(&key, link("b", 6), Origin::Dialed);
        assert!(matches!(arrival, Arrival::Replaces(_)));
        assert_eq!(links.get(&key).map(|open| &open.link), Some(&link("b", 6)));
    }
}
