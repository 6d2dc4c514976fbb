//! Routers: records, and which of them are connected.

use portcullis_channel::Moment;
use portcullis_domain::ids::RouterId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Routers that were removed, and whose ids are known still: those of circuits that are being moved from them.
const MAX_REMOVED: usize = 256;

/// A known router. The slot of a removed router never stands for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterSlot {
    pub(super) index: u32,
    generation: u32,
}

impl RouterSlot {
    pub(crate) const fn index(self) -> usize {
        self.index as usize
    }
}

/// One control channel of a verified router, from its accepted hello to its end.
///
/// Only [`Network::connect`](super::Network::connect) makes one, which is called once the certificate
/// of the channel has been verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterSession {
    router: RouterSlot,
    number: u64,
}

impl RouterSession {
    pub const fn router(self) -> RouterSlot {
        self.router
    }
}

/// What the record of a router says about paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RouterSpec {
    /// Cost of entering the router.
    pub cost: u16,
    /// Whether circuits may only begin or end at the router, not pass it.
    pub no_traversal: bool,
}

#[derive(Debug)]
pub(super) struct Router {
    pub(super) id: RouterId,
    pub(super) spec: RouterSpec,
    presence: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Connected(RouterSession),
    /// Lost its control channel a short time ago. It may still carry circuits.
    Held(Moment),
    Offline,
}

impl Router {
    pub(super) const fn session(&self) -> Option<RouterSession> {
        match self.presence {
            Presence::Connected(session) => Some(session),
            Presence::Held(_) | Presence::Offline => None,
        }
    }
}

/// Place of a router, which is used again after the router was removed.
#[derive(Debug, Default)]
struct Place {
    generation: u32,
    router: Option<Router>,
}

#[derive(Debug, Default)]
pub(super) struct Routers {
    places: Vec<Place>,
    free: Vec<u32>,
    by_id: BTreeMap<RouterId, RouterSlot>,
    held: BTreeSet<(Moment, RouterSlot)>,
    sessions: u64,
    /// Those that were removed last.
    removed: VecDeque<(RouterSlot, RouterId)>,
}

impl Routers {
    pub(super) fn get(&self, slot: RouterSlot) -> Option<&Router> {
        let place = self.places.get(slot.index())?;
        let router = place.router.as_ref()?;
        (place.generation == slot.generation).then_some(router)
    }

    fn get_mut(&mut self, slot: RouterSlot) -> Option<&mut Router> {
        let place = self.places.get_mut(slot.index())?;
        let router = place.router.as_mut()?;
        (place.generation == slot.generation).then_some(router)
    }

    pub(super) fn find(&self, id: &RouterId) -> Option<RouterSlot> {
        self.by_id.get(id).copied()
    }

    /// Number of places, used or not: one more than the highest index.
    pub(super) const fn places(&self) -> usize {
        self.places.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (RouterSlot, &Router)> {
        let slots = self.by_id.values();
        slots.filter_map(|slot| Some((*slot, self.get(*slot)?)))
    }

    /// Creates the router, or changes it.
    pub(super) fn set(&mut self, id: RouterId, spec: RouterSpec) -> RouterSlot {
        if let Some(slot) = self.find(&id) {
            if let Some(router) = self.get_mut(slot) {
                router.spec = spec;
            }
            return slot;
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place::default());
            u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
        });
        let mut generation = 0;
        if let Some(place) = self.places.get_mut(index as usize) {
            generation = place.generation;
            place.router = Some(Router {
                id: id.clone(),
                spec,
                presence: Presence::Offline,
            });
        }
        let slot = RouterSlot { index, generation };
        self.by_id.insert(id, slot);
        slot
    }

    pub(super) fn remove(&mut self, slot: RouterSlot) {
        self.release(slot);
        let Some(place) = self.places.get_mut(slot.index()) else {
            return;
        };
        if place.generation == slot.generation
            && let Some(router) = place.router.take()
        {
            place.generation = place.generation.wrapping_add(1);
            self.free.push(slot.index);
            self.by_id.remove(&router.id);
            if self.removed.len() == MAX_REMOVED {
                self.removed.pop_front();
            }
            self.removed.push_back((slot, router.id));
        }
    }

    /// The id of a router that was removed, unless many others were since.
    pub(super) fn removed(&self, slot: RouterSlot) -> Option<&RouterId> {
        let removed = self.removed.iter().find(|(removed, _)| *removed == slot);
        removed.map(|(_, id)| id)
    }

    /// Begins a session, and returns the one that it replaces.
    pub(super) fn connect(&mut self, slot: RouterSlot) -> (RouterSession, Option<RouterSession>) {
        self.release(slot);
        self.sessions += 1;
        let session = RouterSession {
            router: slot,
            number: self.sessions,
        };
        let mut replaced = None;
        if let Some(router) = self.get_mut(slot) {
            replaced = router.session();
            router.presence = Presence::Connected(session);
        }
        (session, replaced)
    }

    /// Ends a session; false if it is not the current one of its router.
    pub(super) fn disconnect(&mut self, session: RouterSession, hold_until: Moment) -> bool {
        let is_current = self.is_current(session);
        if is_current && let Some(router) = self.get_mut(session.router) {
            router.presence = Presence::Held(hold_until);
            self.held.insert((hold_until, session.router));
        }
        is_current
    }

    pub(super) fn is_current(&self, session: RouterSession) -> bool {
        self.session(session.router) == Some(session)
    }

    pub(super) fn session(&self, slot: RouterSlot) -> Option<RouterSession> {
        self.get(slot).and_then(Router::session)
    }

    pub(super) fn next_deadline(&self) -> Option<Moment> {
        self.held.first().map(|(until, _)| *until)
    }

    /// A router that was held for long enough, and is offline from now on.
    pub(super) fn take_lost(&mut self, now: Moment) -> Option<RouterSlot> {
        let (until, slot) = *self.held.first()?;
        if until > now {
            return None;
        }
        self.release(slot);
        if let Some(router) = self.get_mut(slot) {
            router.presence = Presence::Offline;
        }
        Some(slot)
    }

    /// Ends the hold of a router, if there is one.
    fn release(&mut self, slot: RouterSlot) {
        if let Some(Presence::Held(until)) = self.get(slot).map(|router| router.presence) {
            self.held.remove(&(until, slot));
        }
    }
}
