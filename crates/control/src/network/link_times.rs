//! Since when there are links.

use portcullis_fabric::{LinkEvent, LinkId, Moment};
use std::collections::BTreeMap;

/// When each link was first reported.
#[derive(Debug, Default)]
pub(super) struct LinkTimes(BTreeMap<LinkId, Moment>);

impl LinkTimes {
    pub(super) fn follow(&mut self, event: &LinkEvent, now: Moment) {
        match event {
            LinkEvent::Added(link) => {
                self.0.insert(link.id.clone(), now);
            },
            LinkEvent::Removed { link, .. } => {
                self.0.remove(&link.id);
            },
            _ => {},
        }
    }

    pub(super) fn get(&self, link: &LinkId) -> Option<Moment> {
        self.0.get(link).copied()
    }
}
