//! Counting the steps of a check.

use super::super::weight::{self, Weighed};
use super::{Node, NodeId, Plan};
use serde_json::Value;

/// Most steps of a check. A step takes some ten nanoseconds.
const MOST_STEPS: u64 = 2_000_000;

/// Most that the faults of a check may repeat of schema and data, in bytes.
const MOST_REPEATED: u64 = 4_000_000;

/// Most faults that are looked through for the one to tell.
const MOST_FAULTS: u64 = 100_000;

/// Most schemas and values, each within the one before.
const DEEPEST: u32 = 300;

/// Why something is not checked at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Excess {
    /// It takes too many steps.
    Steps,
    /// Schemas and values are too many within one another.
    Depth,
}

/// What a check takes.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Measured {
    steps: u64,
    faults: u64,
    repeated: u64,
}

/// How much the validator may be asked to say about data that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Telling {
    /// All faults.
    All,
    /// The one that it finds first.
    First,
    /// Nothing.
    Nothing,
}

impl Measured {
    pub(in super::super) fn telling(self) -> Telling {
        match (self.repeated <= MOST_REPEATED, self.faults <= MOST_FAULTS) {
            (true, true) => Telling::All,
            (true, false) => Telling::First,
            (false, _) => Telling::Nothing,
        }
    }
}

impl Plan {
    /// Counts what the check of `value` takes at most.
    ///
    /// # Errors
    ///
    /// [`Excess`] when that is too much.
    pub(in super::super) fn measure(&self, value: &Value) -> Result<Measured, Excess> {
        let mut count = Count {
            plan: self,
            measured: Measured::default(),
        };
        count.visit(Self::root(), &Weighed::new(value), At::default())?;
        Ok(count.measured)
    }
}

/// Where a visit stands.
#[derive(Debug, Clone, Copy, Default)]
struct At {
    /// Number of visits that it is within.
    depth: u32,
    /// Number of choices that it is within. Each looks once more at what none of its schemas fits.
    choices: u64,
}

struct Count<'a> {
    plan: &'a Plan,
    measured: Measured,
}

impl Count<'_> {
    fn visit(&mut self, id: NodeId, value: &Weighed<'_>, at: At) -> Result<(), Excess> {
        let plan = self.plan;
        let Some(node) = plan.node(id) else {
            return Ok(());
        };
        if at.depth >= DEEPEST {
            return Err(Excess::Depth);
        }
        self.charge(node, value, at)?;
        let deeper = At {
            depth: at.depth + 1,
            ..at
        };
        let chosen = At {
            choices: at.choices + 1,
            ..deeper
        };
        for &next in &node.same {
            self.visit(next, value, deeper)?;
        }
        for &next in &node.choices {
            self.visit(next, value, chosen)?;
        }
        match value.value {
            Value::Object(_) if node.has_members() => self.visit_members(node, value, deeper),
            Value::Array(_) if node.has_items() => self.visit_items(node, value, deeper),
            _ => Ok(()),
        }
    }

    fn visit_members(&mut self, node: &Node, object: &Weighed<'_>, at: At) -> Result<(), Excess> {
        self.step(count(object), at)?;
        for (name, member) in &object.parts {
            if let Some(names) = node.names {
                let name = Value::String((*name).to_owned());
                self.visit(names, &Weighed::new(&name), at)?;
            }
            let declared = node.members.get(*name).copied();
            if let Some(next) = declared {
                self.visit(next, member, at)?;
            }
            for &(steps, next) in &node.matching {
                self.step(1 + steps * weight::bytes(name) / 16, at)?;
                self.visit(next, member, at)?;
            }
            if let Some(next) = node.others.filter(|_| declared.is_none()) {
                self.visit(next, member, at)?;
            }
        }
        Ok(())
    }

    fn visit_items(&mut self, node: &Node, array: &Weighed<'_>, at: At) -> Result<(), Excess> {
        self.step(count(array), at)?;
        for (place, (_, item)) in array.parts.iter().enumerate() {
            for &next in node.first_items.get(place).into_iter().chain(&node.items) {
                self.visit(next, item, at)?;
            }
        }
        Ok(())
    }

    /// Charges what the keywords of `node` take with `value`, apart from their schemas.
    fn charge(&mut self, node: &Node, value: &Weighed<'_>, at: At) -> Result<(), Excess> {
        let (values, length) = node.compared;
        let mut steps = 1 + node.keywords + values;
        steps += length.min(values.saturating_mul(value.weight)) / 16;
        if value.value.is_string() {
            steps = steps.saturating_add(node.text.saturating_mul(value.weight) / 16);
        }
        if node.unique && value.value.is_array() {
            steps = steps.saturating_add(count(value).saturating_mul(8) + value.weight);
        }
        let measured = &mut self.measured;
        let faults = 1 + node.keywords;
        measured.faults = measured.faults.saturating_add(faults);
        // The faults of a choice hold copies of the values that they are about.
        let repeated = if at.choices > 0 { value.weight } else { 0 };
        measured.repeated = measured
            .repeated
            .saturating_add(faults.saturating_mul(repeated))
            .saturating_add(node.repeated);
        self.step(steps, at)
    }

    fn step(&mut self, steps: u64, at: At) -> Result<(), Excess> {
        let steps = steps.saturating_mul(1 + at.choices);
        self.measured.steps = self.measured.steps.saturating_add(steps);
        if self.measured.steps > MOST_STEPS {
            Err(Excess::Steps)
        } else {
            Ok(())
        }
    }
}

/// The number of items or members.
fn count(value: &Weighed<'_>) -> u64 {
    u64::try_from(value.parts.len()).unwrap_or(u64::MAX)
}
