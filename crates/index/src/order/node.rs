//! Nodes of the tree.

use crate::slots::Slot;
use std::cmp::Ordering;

/// Maximum number of slots in a leaf: one KiB, so that moving half of it takes less than finding
/// it.
pub(super) const LEAF_MAX: usize = 256;
/// Maximum number of children of an inner node.
pub(super) const INNER_MAX: usize = 64;
/// Number of slots by which a full leaf grows.
const LEAF_GROWTH: usize = 32;

#[derive(Debug)]
pub(super) enum Node {
    Leaf(Vec<Slot>),
    Inner(Vec<Child>),
}

/// A child of an inner node; never empty.
#[derive(Debug)]
pub(super) struct Child {
    /// Number of slots under the child.
    pub(super) len: usize,
    /// The first slot under the child.
    pub(super) first: Slot,
    pub(super) node: Node,
}

pub(super) enum InsertResult {
    Exists,
    Fits,
    /// The node was full; contains its right half.
    Split(Child),
}

impl Default for Node {
    fn default() -> Self {
        Self::Leaf(Vec::new())
    }
}

impl Node {
    /// Leaves and inner nodes are filled to three quarters, to leave space for insertions.
    pub(super) fn from_sorted(slots: &[Slot]) -> Self {
        let mut level: Vec<Child> = slots
            .chunks(LEAF_MAX * 3 / 4)
            .filter_map(|run| Child::from_node(Self::Leaf(run.to_vec())))
            .collect();
        while level.len() > INNER_MAX {
            let mut below = level.into_iter();
            let mut above = Vec::new();
            while let Some(child) = Child::from_node(Self::Inner(
                below.by_ref().take(INNER_MAX * 3 / 4).collect(),
            )) {
                above.push(child);
            }
            level = above;
        }
        let mut root = Self::Inner(level);
        root.collapse();
        root
    }

    fn first(&self) -> Option<Slot> {
        match self {
            Self::Leaf(slots) => slots.first().copied(),
            Self::Inner(children) => children.first().map(|child| child.first),
        }
    }

    /// Number of slots under the node.
    fn count(&self) -> usize {
        match self {
            Self::Leaf(slots) => slots.len(),
            Self::Inner(children) => children.iter().map(|child| child.len).sum(),
        }
    }

    /// Number of slots or children, and its maximum.
    fn fill(&self) -> (usize, usize) {
        match self {
            Self::Leaf(slots) => (slots.len(), LEAF_MAX),
            Self::Inner(children) => (children.len(), INNER_MAX),
        }
    }

    pub(super) fn rank(&self, probe: &impl Fn(Slot) -> Ordering) -> Result<usize, usize> {
        let mut node = self;
        let mut before = 0;
        loop {
            match node {
                Self::Leaf(slots) => {
                    return match slots.binary_search_by(|slot| probe(*slot)) {
                        Ok(at) => Ok(before + at),
                        Err(at) => Err(before + at),
                    };
                },
                Self::Inner(children) => {
                    let at = child_for(children, probe);
                    before += children
                        .iter()
                        .take(at)
                        .map(|child| child.len)
                        .sum::<usize>();
                    let Some(child) = children.get(at) else {
                        return Err(before);
                    };
                    node = &child.node;
                },
            }
        }
    }

    /// The leaf with the slot at a rank, and the index in it.
    pub(super) fn run_at(&self, rank: usize) -> Option<(&[Slot], usize)> {
        let mut node = self;
        let mut rest = rank;
        loop {
            match node {
                Self::Leaf(slots) => return (rest < slots.len()).then_some((slots, rest)),
                Self::Inner(children) => {
                    let child = children.iter().find(|child| {
                        let is_here = rest < child.len;
                        if !is_here {
                            rest -= child.len;
                        }
                        is_here
                    })?;
                    node = &child.node;
                },
            }
        }
    }

    /// `is_last`: nothing is to the right of this node.
    pub(super) fn insert(
        &mut self,
        slot: Slot,
        probe: &impl Fn(Slot) -> Ordering,
        is_last: bool,
    ) -> InsertResult {
        match self {
            Self::Leaf(slots) => {
                let Err(at) = slots.binary_search_by(|other| probe(*other)) else {
                    return InsertResult::Exists;
                };
                if slots.len() == slots.capacity() {
                    slots.reserve_exact(LEAF_GROWTH);
                }
                slots.insert(at, slot);
                split(
                    slots,
                    LEAF_MAX,
                    is_last && at + 1 == slots.len(),
                    Self::Leaf,
                )
            },
            Self::Inner(children) => {
                let at = child_for(children, probe);
                let is_last = is_last && at + 1 == children.len();
                let Some(child) = children.get_mut(at) else {
                    return InsertResult::Exists;
                };
                match child.node.insert(slot, probe, is_last) {
                    InsertResult::Split(right) => {
                        child.refresh();
                        children.insert(at + 1, right);
                        split(children, INNER_MAX, is_last, Self::Inner)
                    },
                    InsertResult::Fits => {
                        child.refresh();
                        InsertResult::Fits
                    },
                    InsertResult::Exists => InsertResult::Exists,
                }
            },
        }
    }

    pub(super) fn remove(&mut self, probe: &impl Fn(Slot) -> Ordering) -> Option<Slot> {
        match self {
            Self::Leaf(slots) => {
                let at = slots.binary_search_by(|slot| probe(*slot)).ok()?;
                Some(slots.remove(at))
            },
            Self::Inner(children) => {
                let at = child_for(children, probe);
                let child = children.get_mut(at)?;
                let removed = child.node.remove(probe)?;
                child.refresh();
                let (fill, most) = child.node.fill();
                if child.len == 0 {
                    children.remove(at);
                } else if fill < most / 4 {
                    join(children, at.min(children.len().saturating_sub(2)));
                }
                Some(removed)
            },
        }
    }

    /// Turns the node into the left of two children of a new node.
    pub(super) fn grow(&mut self, right: Child) {
        let left = Child::from_node(std::mem::take(self));
        *self = Self::Inner(left.into_iter().chain([right]).collect());
    }

    /// Removes inner nodes with a single child from the top.
    pub(super) fn collapse(&mut self) {
        while let Self::Inner(children) = self
            && children.len() < 2
        {
            *self = children.pop().map(|child| child.node).unwrap_or_default();
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Leaf(slots) => slots.capacity() * size_of::<Slot>(),
            Self::Inner(children) => {
                children.capacity() * size_of::<Child>()
                    + children
                        .iter()
                        .map(|child| child.node.heap_bytes())
                        .sum::<usize>()
            },
        }
    }
}

impl Child {
    /// `None` for an empty node.
    fn from_node(node: Node) -> Option<Self> {
        Some(Self {
            len: node.count(),
            first: node.first()?,
            node,
        })
    }

    fn refresh(&mut self) {
        self.len = self.node.count();
        if let Some(first) = self.node.first() {
            self.first = first;
        }
    }
}

/// The child under which the sought slot is or would be.
fn child_for(children: &[Child], probe: &impl Fn(Slot) -> Ordering) -> usize {
    children
        .partition_point(|child| probe(child.first) != Ordering::Greater)
        .saturating_sub(1)
}

/// Splits a node that exceeds `most`. At the right end of the tree the left part is kept full, so
/// that ascending insertions, such as creation times, fill every node.
fn split<T>(
    items: &mut Vec<T>,
    most: usize,
    at_end: bool,
    node: impl FnOnce(Vec<T>) -> Node,
) -> InsertResult {
    if items.len() <= most {
        return InsertResult::Fits;
    }
    let cut = if at_end {
        items.len() - 1
    } else {
        items.len() / 2
    };
    Child::from_node(node(items.split_off(cut))).map_or(InsertResult::Fits, InsertResult::Split)
}

/// Merges the children at `at` and after it, or balances them.
fn join(children: &mut Vec<Child>, at: usize) {
    if at + 1 >= children.len() {
        return;
    }
    let right = children.remove(at + 1);
    let Some(left) = children.get_mut(at) else {
        return;
    };
    let rest = match (&mut left.node, right.node) {
        (Node::Leaf(slots), Node::Leaf(more)) => {
            slots.extend(more);
            let middle = slots.len() / 2;
            (slots.len() > LEAF_MAX).then(|| Node::Leaf(slots.split_off(middle)))
        },
        (Node::Inner(below), Node::Inner(more)) => {
            below.extend(more);
            let middle = below.len() / 2;
            (below.len() > INNER_MAX).then(|| Node::Inner(below.split_off(middle)))
        },
        // All leaves have the same depth; were it otherwise, the two stay as they are.
        (_, other) => Some(other),
    };
    left.refresh();
    if let Some(right) = rest.and_then(Child::from_node) {
        children.insert(at + 1, right);
    }
}
