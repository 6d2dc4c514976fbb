//! Circuits as they were, for those who watch.

use super::{Circuit, CircuitNames, EndAddresses, Right, Target};
use crate::Path;
use portcullis_channel::Moment;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A circuit as it was when something happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitSnapshot {
    pub names: CircuitNames,
    pub right: Right,
    /// `None` for a circuit that was adopted.
    pub target: Option<Arc<Target>>,
    pub path: Path,
    pub addresses: Arc<EndAddresses>,
    /// Cost of path and terminator when the terminator was chosen; 0 for adopted circuits.
    pub cost: u32,
    /// For logs and usage reports of routers.
    pub tags: Arc<BTreeMap<String, String>>,
    /// When it was asked for, or adopted.
    pub created: Moment,
}

impl Circuit {
    /// The circuit as it is, on the path that its routers have confirmed.
    pub(crate) fn snapshot(&self) -> Box<CircuitSnapshot> {
        Box::new(CircuitSnapshot {
            names: self.names.clone(),
            right: self.right.clone(),
            target: self.target.clone(),
            path: self.path.clone(),
            addresses: self.addresses.clone(),
            cost: self.cost,
            tags: self.tags.clone(),
            created: self.created,
        })
    }
}
