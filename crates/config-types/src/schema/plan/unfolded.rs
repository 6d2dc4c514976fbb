//! Schemas of the same value, written out.

use super::{NodeId, Plan};

/// Most schemas that one value may be held against.
const MOST: u64 = 10_000;

/// Most schemas, each within the one before, that one value may be held against.
const DEEPEST: u32 = 128;

/// What is known of a node.
#[derive(Debug, Clone, Copy)]
enum Known {
    Nothing,
    /// It is being looked at.
    Begun,
    /// Number of schemas, and how many are within one another at most.
    Unfolds(u64, u32),
}

impl Plan {
    /// Makes sure that no schema leads back to itself with the same value, nor to too many others.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub(in super::super) fn check_unfolded(&self) -> Result<(), String> {
        let mut known = vec![Known::Nothing; self.nodes.len()];
        (0..self.nodes.len())
            .try_for_each(|place| self.unfold(NodeId(place), &mut known, DEEPEST).map(|_| ()))
    }

    fn unfold(&self, id: NodeId, known: &mut [Known], left: u32) -> Result<(u64, u32), String> {
        let too_deep =
            || format!("is too complex: it nests more than {DEEPEST} schemas for one value");
        match known.get(id.0).copied() {
            Some(Known::Unfolds(count, height)) => return Ok((count, height)),
            Some(Known::Begun) => {
                return Err("refers to itself for the same value, without end".to_owned());
            },
            Some(Known::Nothing) | None => {},
        }
        let Some(left) = left.checked_sub(1) else {
            return Err(too_deep());
        };
        let Some(node) = self.node(id) else {
            return Ok((0, 0));
        };
        mark(known, id, Known::Begun);
        let (mut count, mut height) = (1_u64, 0);
        for &next in node.same.iter().chain(&node.choices) {
            let (more, under) = self.unfold(next, known, left)?;
            count = count.saturating_add(more);
            height = height.max(under);
        }
        height += 1;
        if height > DEEPEST {
            return Err(too_deep());
        }
        if count > MOST {
            return Err(format!(
                "is too complex: it applies more than {MOST} schemas to one value"
            ));
        }
        mark(known, id, Known::Unfolds(count, height));
        Ok((count, height))
    }
}

fn mark(known: &mut [Known], id: NodeId, now: Known) {
    if let Some(slot) = known.get_mut(id.0) {
        *slot = now;
    }
}
