//! Model of the validator's work, which bounds a validation before it runs.
//!
//! Even a small schema and a small configuration can take forever to validate: definitions that refer
//! twice to the next one double the work each time. So the steps are counted first, as if no check ended
//! early, and counting itself stops at the limit.

mod estimate;
mod expansion;

use std::collections::BTreeMap;

pub(super) use estimate::{ReportDetail, WorkLimitError};

/// Index of a node in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId(usize);

/// All schemas of a document; the first is the root.
#[derive(Debug, Default)]
pub(super) struct ValidationPlan {
    nodes: Vec<PlanNode>,
}

/// The parts of a value that one schema checks.
#[derive(Debug, Default)]
pub(super) struct PlanNode {
    /// Schemas that apply to the same value.
    pub(super) applied: Vec<NodeId>,
    /// Schemas that apply to the same value, some of which may fail.
    pub(super) alternatives: Vec<NodeId>,
    /// Schemas of members, by name.
    pub(super) members: BTreeMap<String, NodeId>,
    /// Schemas of members whose names match a pattern, with its steps for 16 bytes of a name.
    pub(super) pattern_members: Vec<(u64, NodeId)>,
    /// Schema of the other members.
    pub(super) additional_members: Option<NodeId>,
    /// Schema of member names.
    pub(super) property_names: Option<NodeId>,
    /// Schemas of the first items by position.
    pub(super) tuple_items: Vec<NodeId>,
    /// Schemas of all items, or at least of those after the first ones.
    pub(super) items: Vec<NodeId>,
    /// Number of keywords.
    pub(super) keywords: u64,
    /// Number of values to compare with, and their total size.
    pub(super) compared: (u64, u64),
    /// Steps for 16 bytes of text.
    pub(super) text: u64,
    /// Whether items are compared with one another.
    pub(super) unique: bool,
    /// Bytes of the schema that a violation repeats.
    pub(super) reported_bytes: u64,
}

impl ValidationPlan {
    /// Adds an empty node.
    pub(super) fn add_node(&mut self) -> NodeId {
        self.nodes.push(PlanNode::default());
        NodeId(self.nodes.len() - 1)
    }

    /// The node of an id of this plan.
    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut PlanNode> {
        self.nodes.get_mut(id.0)
    }

    fn node(&self, id: NodeId) -> Option<&PlanNode> {
        self.nodes.get(id.0)
    }

    fn root() -> NodeId {
        NodeId(0)
    }
}

impl PlanNode {
    /// Whether members of objects are visited.
    fn has_members(&self) -> bool {
        let any = self.property_names.is_some() || self.additional_members.is_some();
        any || !self.members.is_empty() || !self.pattern_members.is_empty()
    }

    /// Whether items of arrays are visited.
    fn has_items(&self) -> bool {
        !self.items.is_empty() || !self.tuple_items.is_empty()
    }
}
