//! Open links, and resolution of duplicates.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::links::names::{Link, LinkKey};

/// Maximum number of newcomers that a link rejects before one replaces it: whoever dials that often
/// has lost the existing link.
const MAX_REJECTED: u32 = 5;

/// The side that dialed a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Dialed,
    Accepted,
}

/// An open link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenLink {
    pub(super) link: Link,
    pub(super) origin: Origin,
    rejected: u32,
}

/// The open links by key.
#[derive(Debug, Default)]
pub(super) struct OpenLinks(BTreeMap<LinkKey, OpenLink>);

/// Decision about a new link.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arbitration {
    /// It is accepted.
    Accept,
    /// It is accepted and replaces this one.
    Replace(OpenLink),
    /// It is a duplicate and must be closed.
    Reject,
}

impl Origin {
    /// Delay before a rejected duplicate is closed. The dialer closes first, so that both sides see
    /// the same reason.
    pub(super) fn rejected_close_delay(self) -> Duration {
        match self {
            Self::Dialed => Duration::ZERO,
            Self::Accepted => Duration::from_secs(30),
        }
    }

    /// Delay before a replaced link is closed, so that its circuits can move.
    pub(super) fn replaced_close_delay(self) -> Duration {
        match self {
            Self::Dialed => Duration::from_mins(1),
            Self::Accepted => Duration::from_secs(75),
        }
    }
}

impl OpenLinks {
    /// Decides about a new link: the link with the lesser id stays, so that both sides agree without
    /// negotiation. An equal id is a new attempt of the same dialer, and the newer one stays.
    pub(super) fn arbitrate(&mut self, key: &LinkKey, link: Link, origin: Origin) -> Arbitration {
        if let Some(open) = self.0.get_mut(key) {
            if open.link == link {
                return Arbitration::Accept;
            }
            if open.link.id < link.id && open.rejected < MAX_REJECTED {
                open.rejected += 1;
                return Arbitration::Reject;
            }
        }
        let newcomer = OpenLink {
            link,
            origin,
            rejected: 0,
        };
        self.0
            .insert(key.clone(), newcomer)
            .map_or(Arbitration::Accept, Arbitration::Replace)
    }

    pub(super) fn get(&self, key: &LinkKey) -> Option<&OpenLink> {
        self.0.get(key)
    }

    pub(super) fn contains(&self, key: &LinkKey) -> bool {
        self.0.contains_key(key)
    }

    /// Removes a link, unless another one has replaced it.
    pub(super) fn remove(&mut self, key: &LinkKey, link: &Link) -> bool {
        let is_this = self.0.get(key).is_some_and(|open| open.link == *link);
        if is_this {
            self.0.remove(key);
        }
        is_this
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&LinkKey, &OpenLink)> {
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
        let mut arrive = |id, iteration| links.arbitrate(&key, link(id, iteration), Origin::Dialed);
        assert_eq!(arrive("m", 1), Arbitration::Accept);
        assert_eq!(arrive("m", 1), Arbitration::Accept);
        assert_eq!(arrive("z", 1), Arbitration::Reject);
        for (id, iteration, replaced) in [("a", 1, ("m", 1)), ("a", 2, ("a", 1))] {
            let Arbitration::Replace(open) = arrive(id, iteration) else {
                panic!("{id} {iteration} does not replace");
            };
            assert_eq!(open.link, link(replaced.0, replaced.1));
        }
    }

    #[test]
    fn the_sixth_newcomer_takes_the_place() {
        let key = LinkKey::new(RouterId::from_wire("r"), "tls", None, None);
        let mut links = OpenLinks::default();
        links.arbitrate(&key, link("a", 1), Origin::Accepted);
        for iteration in 1..=5 {
            let arrival = links.arbitrate(&key, link("b", iteration), Origin::Dialed);
            assert_eq!(arrival, Arbitration::Reject);
        }
        let arrival = links.arbitrate(&key, link("b", 6), Origin::Dialed);
        assert!(matches!(arrival, Arbitration::Replace(_)));
        assert_eq!(links.get(&key).map(|open| &open.link), Some(&link("b", 6)));
    }
}
