//! What a schema makes the validator do, so that the work can be bounded before it is done.
//!
//! A schema is small and so is a configuration, yet checking one against the other may take for
//! ever: definitions that refer twice to the next one double the work each time. So the steps are
//! counted first, as if no check ended early, and counting itself ends at the limit.

mod measure;
mod unfolded;

use std::collections::BTreeMap;

pub(super) use measure::{Excess, Telling};

/// Place of a node in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId(usize);

/// Every schema of a document; the first is its root.
#[derive(Debug, Default)]
pub(super) struct Plan {
    nodes: Vec<Node>,
}

/// What one schema looks at.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Schemas of the same value.
    pub(super) same: Vec<NodeId>,
    /// Schemas of the same value of which some may fail.
    pub(super) choices: Vec<NodeId>,
    /// Schemas of members, by name.
    pub(super) members: BTreeMap<String, NodeId>,
    /// Schemas of members whose names match, with the steps for a byte of the name.
    pub(super) matching: Vec<(u64, NodeId)>,
    /// The schema of the other members.
    pub(super) others: Option<NodeId>,
    /// The schema of names.
    pub(super) names: Option<NodeId>,
    /// Schemas of the first items, one each.
    pub(super) first_items: Vec<NodeId>,
    /// Schemas of items; of those behind the first ones at least.
    pub(super) items: Vec<NodeId>,
    /// Number of keywords.
    pub(super) keywords: u64,
    /// Values to compare with, and their length together.
    pub(super) compared: (u64, u64),
    /// Steps for 16 bytes of a text.
    pub(super) text: u64,
    /// Whether items are compared with one another.
    pub(super) unique: bool,
    /// Length of what a fault repeats of the schema, in bytes.
    pub(super) repeated: u64,
}

impl Plan {
    /// Takes in a node about which nothing is known yet.
    pub(super) fn reserve(&mut self) -> NodeId {
        self.nodes.push(Node::default());
        NodeId(self.nodes.len() - 1)
    }

    /// The node at `id`, which this plan gave out.
    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0)
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0)
    }

    fn root() -> NodeId {
        NodeId(0)
    }
}

impl Node {
    /// Whether it looks at members of objects one by one.
    fn has_members(&self) -> bool {
        let any = self.names.is_some() || self.others.is_some();
        any || !self.members.is_empty() || !self.matching.is_empty()
    }

    /// Whether it looks at items of arrays one by one.
    fn has_items(&self) -> bool {
        !self.items.is_empty() || !self.first_items.is_empty()
    }
}
