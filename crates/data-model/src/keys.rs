//! Public keys, which have no index.

use portcullis_wire::control::data_model::{Action, Event, PublicKey, Subject};
use std::collections::{BTreeMap, BTreeSet};

/// The keys that count, and the ids of those that did.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Keys {
    current: BTreeMap<String, PublicKey>,
    retired: BTreeSet<String>,
}

impl Keys {
    pub(crate) fn new(known: BTreeSet<String>, keys: impl IntoIterator<Item = PublicKey>) -> Self {
        let current: BTreeMap<_, _> = keys
            .into_iter()
            .map(|key| (key.key_id.clone(), key))
            .collect();
        let mut retired = known;
        retired.retain(|id| !current.contains_key(id));
        Self { current, retired }
    }

    /// The same keys, of a model that has had others before.
    pub(crate) fn with_known(&self, known: BTreeSet<String>) -> Self {
        Self::new(known, self.current.values().cloned())
    }

    /// The keys that count, by their ids.
    pub(crate) fn current(&self) -> impl Iterator<Item = &PublicKey> {
        self.current.values()
    }

    /// Ids of all keys that routers may have.
    pub(crate) fn known(&self) -> BTreeSet<String> {
        let current = self.current.keys();
        current.chain(&self.retired).cloned().collect()
    }

    /// All keys that count, for a router that has none.
    pub(crate) fn creations(&self) -> Vec<Event> {
        self.current.values().map(creation).collect()
    }

    /// What a router has to be told that got `before`, or that may have any of the known ones.
    pub(crate) fn since(&self, before: Option<&Self>) -> Vec<Event> {
        let is_new = |key: &&PublicKey| {
            before.is_none_or(|before| before.current.get(&key.key_id) != Some(*key))
        };
        let is_gone = |id: &&String| before.is_none_or(|before| before.current.contains_key(*id));
        let creations = self.current.values().filter(is_new).map(creation);
        let deletions = self.retired.iter().filter(is_gone).map(|id| Event {
            action: Action::Delete,
            is_synthetic: true,
            subject: Some(Subject::PublicKey(Box::new(PublicKey {
                key_id: id.clone(),
                ..PublicKey::default()
            }))),
        });
        creations.chain(deletions).collect()
    }
}

fn creation(key: &PublicKey) -> Event {
    Event {
        action: Action::Create,
        is_synthetic: true,
        subject: Some(Subject::PublicKey(Box::new(key.clone()))),
    }
}
