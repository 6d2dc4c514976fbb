//! The connections of a channel and their assigned priorities.

use crate::channel_kind::{ChannelKind, Priority, Role};
use crate::outbox::Lane;
use std::collections::BTreeMap;

/// Id of a connection of a channel. Numbers are not reused within a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnderlayId(u64);

#[derive(Debug)]
pub(crate) struct Underlay {
    pub(crate) role: Role,
    pub(crate) phase: Phase,
    /// What it carries of each priority.
    high: Option<Lane>,
    default: Option<Lane>,
}

/// Phase of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Carries frames.
    Open,
    /// Carries no more frames; its writer has not been told yet.
    Closing,
    /// Its writer has been told to close it.
    CloseSignaled,
}

#[derive(Debug)]
pub(crate) struct Underlays {
    kind: ChannelKind,
    /// Oldest first.
    by_id: BTreeMap<UnderlayId, Underlay>,
    next: u64,
}

impl Underlay {
    /// The part of a priority that it carries, if it does.
    pub(crate) const fn lane(&self, priority: Priority) -> Option<Lane> {
        match priority {
            Priority::High => self.high,
            Priority::Default => self.default,
        }
    }

    fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }
}

impl Underlays {
    pub(crate) const fn new(kind: ChannelKind) -> Self {
        Self {
            kind,
            by_id: BTreeMap::new(),
            next: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(crate) fn get(&self, id: UnderlayId) -> Option<&Underlay> {
        self.by_id.get(&id)
    }

    pub(crate) fn roles(&self) -> impl Iterator<Item = Role> {
        self.by_id.values().map(|underlay| underlay.role)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = UnderlayId> {
        self.by_id.keys().copied()
    }

    pub(crate) fn has_default(&self) -> bool {
        self.by_id
            .values()
            .any(|underlay| underlay.role == Role::Default)
    }

    pub(crate) fn insert(&mut self, role: Role) -> UnderlayId {
        let id = UnderlayId(self.next);
        self.next += 1;
        let underlay = Underlay {
            role,
            phase: Phase::Open,
            high: None,
            default: None,
        };
        self.by_id.insert(id, underlay);
        self.assign_priorities();
        id
    }

    pub(crate) fn remove(&mut self, id: UnderlayId) -> Option<Underlay> {
        let removed = self.by_id.remove(&id);
        self.assign_priorities();
        removed
    }

    /// Stops a connection from carrying frames. Phases only advance.
    pub(crate) fn advance_phase(&mut self, id: UnderlayId, phase: Phase) {
        let Some(underlay) = self.by_id.get_mut(&id) else {
            return;
        };
        if underlay.phase != Phase::CloseSignaled {
            underlay.phase = phase;
        }
        self.assign_priorities();
    }

    /// How many connections carry a priority.
    pub(crate) fn lanes(&self, priority: Priority) -> usize {
        let carrying = |underlay: &&Underlay| underlay.lane(priority).is_some();
        self.by_id.values().filter(carrying).count()
    }

    /// Assigns priorities to connections. It runs when one is added or removed, so that sending a
    /// frame takes no computation.
    fn assign_priorities(&mut self) {
        let (kind, mut is_first) = (self.kind, true);
        let open = || self.by_id.values().filter(|underlay| underlay.is_open());
        let has_high = open().any(|underlay| underlay.role == Role::High);
        let (mut high, mut default) = (Vec::new(), Vec::new());
        for underlay in self.by_id.values_mut() {
            let is_default = underlay.is_open() && underlay.role == Role::Default;
            let is_chosen = is_default && (is_first || !kind.keeps_order());
            is_first &= !is_default;
            let carries_high = match underlay.role {
                Role::High => underlay.is_open(),
                Role::Default => is_chosen && (!has_high || kind.default_always_carries_high()),
            };
            (underlay.high, underlay.default) = (None, None);
            if carries_high {
                high.push(&mut underlay.high);
            }
            if is_chosen {
                default.push(&mut underlay.default);
            }
        }
        for carrying in [high, default] {
            let lanes = Lane::all(carrying.len());
            carrying
                .into_iter()
                .zip(lanes)
                .for_each(|(underlay, lane)| *underlay = Some(lane));
        }
    }
}
