//! Limits on the schemas that apply to one value.

use super::{NodeId, ValidationPlan};

/// Maximum number of schemas that apply to one value.
const MAX_SCHEMAS: u64 = 10_000;

/// Maximum nesting of schemas that apply to one value.
const MAX_NESTING: u32 = 128;

/// Progress of the traversal at a node.
#[derive(Debug, Clone, Copy)]
enum VisitState {
    Unvisited,
    InProgress,
    /// Number of schemas, and their maximum nesting.
    Done(u64, u32),
}

impl ValidationPlan {
    /// Checks that no schema applies itself to the same value again, or too many others.
    ///
    /// # Errors
    /// A message that says which limit is exceeded.
    pub(in super::super) fn check_expansion(&self) -> Result<(), String> {
        let mut states = vec![VisitState::Unvisited; self.nodes.len()];
        (0..self.nodes.len()).try_for_each(|place| {
            self.expand(NodeId(place), &mut states, MAX_NESTING)
                .map(|_| ())
        })
    }

    fn expand(
        &self,
        id: NodeId,
        states: &mut [VisitState],
        left: u32,
    ) -> Result<(u64, u32), String> {
        let too_deep =
            || format!("is too complex: it nests more than {MAX_NESTING} schemas for one value");
        match states.get(id.0).copied() {
            Some(VisitState::Done(count, height)) => return Ok((count, height)),
            Some(VisitState::InProgress) => {
                return Err("refers to itself for the same value, without end".to_owned());
            },
            Some(VisitState::Unvisited) | None => {},
        }
        let Some(left) = left.checked_sub(1) else {
            return Err(too_deep());
        };
        let Some(node) = self.node(id) else {
            return Ok((0, 0));
        };
        mark(states, id, VisitState::InProgress);
        let (mut count, mut height) = (1_u64, 0);
        for &next in node.applied.iter().chain(&node.alternatives) {
            let (more, under) = self.expand(next, states, left)?;
            count = count.saturating_add(more);
            height = height.max(under);
        }
        height += 1;
        if height > MAX_NESTING {
            return Err(too_deep());
        }
        if count > MAX_SCHEMAS {
            return Err(format!(
                "is too complex: it applies more than {MAX_SCHEMAS} schemas to one value"
            ));
        }
        mark(states, id, VisitState::Done(count, height));
        Ok((count, height))
    }
}

fn mark(known: &mut [VisitState], id: NodeId, now: VisitState) {
    if let Some(slot) = known.get_mut(id.0) {
        *slot = now;
    }
}
