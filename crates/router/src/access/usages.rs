//! What rights are used for.

use super::deadlines::Deadlines;
use crate::edge::{ChannelId, CircuitId, ServiceId, ServiceSessionId, TerminatorId};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use std::collections::{BTreeMap, BTreeSet};

/// Something for which a channel needs a right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usage {
    pub channel: ChannelId,
    /// [`ServiceGrant::Bind`] for what serves, which includes circuits to a terminator.
    pub grant: ServiceGrant,
    pub subject: UsageSubject,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsageSubject {
    Circuit(CircuitId),
    Terminator(TerminatorId),
}

/// What a right is needed to, and by which session for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedService {
    pub service: ServiceId,
    pub session: Option<ServiceSessionId>,
}

/// All that rights are used for, and when those end.
#[derive(Debug, Clone, Default)]
pub(super) struct Usages {
    all: BTreeMap<Usage, UsedService>,
    by_service: BTreeMap<ServiceId, BTreeSet<Usage>>,
    by_session: BTreeMap<ServiceSessionId, BTreeSet<Usage>>,
    ends: Deadlines<Usage>,
}

impl Usages {
    pub(super) fn begin(&mut self, usage: Usage, used: UsedService, ends_at: Option<Timestamp>) {
        self.end(&usage);
        let of_service = self.by_service.entry(used.service.clone()).or_default();
        of_service.insert(usage.clone());
        if let Some(session) = &used.session {
            let of_session = self.by_session.entry(session.clone()).or_default();
            of_session.insert(usage.clone());
        }
        self.ends.set(usage.clone(), ends_at);
        self.all.insert(usage, used);
    }

    pub(super) fn end(&mut self, usage: &Usage) {
        let Some(used) = self.all.remove(usage) else {
            return;
        };
        self.ends.clear(usage);
        unlink(&mut self.by_service, &used.service, usage);
        if let Some(session) = &used.session {
            unlink(&mut self.by_session, session, usage);
        }
    }

    pub(super) fn end_channel(&mut self, channel: ChannelId) {
        for usage in self.of_channel(channel) {
            self.end(&usage);
        }
    }

    pub(super) fn get(&self, usage: &Usage) -> Option<&UsedService> {
        self.all.get(usage)
    }

    /// When the right to it ends if nothing changes.
    pub(super) fn set_end(&mut self, usage: &Usage, ends_at: Option<Timestamp>) {
        if self.all.contains_key(usage) {
            self.ends.set(usage.clone(), ends_at);
        }
    }

    pub(super) fn of_channel(&self, channel: ChannelId) -> Vec<Usage> {
        let usages = self.entries_of(channel);
        usages.map(|(usage, _)| usage.clone()).collect()
    }

    pub(super) fn of_service(&self, service: &str) -> Vec<Usage> {
        let usages = self.by_service.get(service).into_iter().flatten();
        usages.cloned().collect()
    }

    pub(super) fn of_session(&self, session: &str) -> Vec<Usage> {
        let usages = self.by_session.get(session).into_iter().flatten();
        usages.cloned().collect()
    }

    /// The sessions for services that a channel uses.
    pub(super) fn sessions_of(&self, channel: ChannelId) -> BTreeSet<&ServiceSessionId> {
        let usages = self.entries_of(channel);
        usages
            .filter_map(|(_, used)| used.session.as_ref())
            .collect()
    }

    fn entries_of(&self, channel: ChannelId) -> impl Iterator<Item = (&Usage, &UsedService)> {
        // No usage of the channel comes before it.
        let first = Usage {
            channel,
            grant: ServiceGrant::Dial,
            subject: UsageSubject::Circuit("".into()),
        };
        let usages = self.all.range(first..);
        usages.take_while(move |(usage, _)| usage.channel == channel)
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.ends.first()
    }

    /// Those whose right ends by `now` if nothing has changed.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<Usage> {
        self.ends.take_due(now)
    }
}

fn unlink<K: Ord>(index: &mut BTreeMap<K, BTreeSet<Usage>>, key: &K, usage: &Usage) {
    if let Some(usages) = index.get_mut(key) {
        usages.remove(usage);
        if usages.is_empty() {
            index.remove(key);
        }
    }
}
