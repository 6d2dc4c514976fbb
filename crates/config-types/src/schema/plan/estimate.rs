//! Estimation of the work of a validation.

use super::super::size::{self, SizedValue};
use super::{NodeId, PlanNode, ValidationPlan};
use serde_json::Value;

/// Maximum steps of a validation. A step takes about ten nanoseconds.
const MAX_STEPS: u64 = 2_000_000;

/// Maximum bytes of schema and data that the violations of a validation may repeat.
const MAX_REPORTED_BYTES: u64 = 4_000_000;

/// Maximum number of violations from which the most relevant one is selected.
const MAX_VIOLATIONS: u64 = 100_000;

/// Maximum nesting of visits.
const MAX_DEPTH: u32 = 300;

/// Limit that a validation would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum WorkLimitError {
    /// Too many steps.
    Steps,
    /// Schemas and values are nested too deeply.
    Depth,
}

/// Estimated work of a validation.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct WorkEstimate {
    steps: u64,
    violations: u64,
    reported_bytes: u64,
}

/// How many violations the validator may report for invalid data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ReportDetail {
    /// All violations.
    All,
    /// The first one that it finds.
    First,
    None,
}

impl WorkEstimate {
    pub(in super::super) fn report_detail(self) -> ReportDetail {
        match (
            self.reported_bytes <= MAX_REPORTED_BYTES,
            self.violations <= MAX_VIOLATIONS,
        ) {
            (true, true) => ReportDetail::All,
            (true, false) => ReportDetail::First,
            (false, _) => ReportDetail::None,
        }
    }
}

impl ValidationPlan {
    /// Estimates the maximum work of validating `value`.
    ///
    /// # Errors
    /// [`WorkLimitError`] if that is too much.
    pub(in super::super) fn estimate(&self, value: &Value) -> Result<WorkEstimate, WorkLimitError> {
        let mut count = Estimator {
            plan: self,
            estimate: WorkEstimate::default(),
        };
        count.visit(
            Self::root(),
            &SizedValue::new(value),
            VisitContext::default(),
        )?;
        Ok(count.estimate)
    }
}

/// Context of a visit.
#[derive(Debug, Clone, Copy, Default)]
struct VisitContext {
    /// Number of enclosing visits.
    depth: u32,
    /// Number of enclosing alternatives. Each repeats the validation of values that match none of its
    /// schemas.
    choices: u64,
}

struct Estimator<'a> {
    plan: &'a ValidationPlan,
    estimate: WorkEstimate,
}

impl Estimator<'_> {
    fn visit(
        &mut self,
        id: NodeId,
        value: &SizedValue<'_>,
        at: VisitContext,
    ) -> Result<(), WorkLimitError> {
        let plan = self.plan;
        let Some(node) = plan.node(id) else {
            return Ok(());
        };
        if at.depth >= MAX_DEPTH {
            return Err(WorkLimitError::Depth);
        }
        self.charge(node, value, at)?;
        let deeper = VisitContext {
            depth: at.depth + 1,
            ..at
        };
        let chosen = VisitContext {
            choices: at.choices + 1,
            ..deeper
        };
        for &next in &node.applied {
            self.visit(next, value, deeper)?;
        }
        for &next in &node.alternatives {
            self.visit(next, value, chosen)?;
        }
        match value.value {
            Value::Object(_) if node.has_members() => self.visit_members(node, value, deeper),
            Value::Array(_) if node.has_items() => self.visit_items(node, value, deeper),
            _ => Ok(()),
        }
    }

    fn visit_members(
        &mut self,
        node: &PlanNode,
        object: &SizedValue<'_>,
        at: VisitContext,
    ) -> Result<(), WorkLimitError> {
        self.add_steps(count(object), at)?;
        for (name, member) in &object.parts {
            if let Some(names) = node.property_names {
                let name = Value::String((*name).to_owned());
                self.visit(names, &SizedValue::new(&name), at)?;
            }
            let declared = node.members.get(*name).copied();
            if let Some(next) = declared {
                self.visit(next, member, at)?;
            }
            for &(steps, next) in &node.pattern_members {
                self.add_steps(1 + steps * size::string_size(name) / 16, at)?;
                self.visit(next, member, at)?;
            }
            if let Some(next) = node.additional_members.filter(|_| declared.is_none()) {
                self.visit(next, member, at)?;
            }
        }
        Ok(())
    }

    fn visit_items(
        &mut self,
        node: &PlanNode,
        array: &SizedValue<'_>,
        at: VisitContext,
    ) -> Result<(), WorkLimitError> {
        self.add_steps(count(array), at)?;
        for (place, (_, item)) in array.parts.iter().enumerate() {
            for &next in node.tuple_items.get(place).into_iter().chain(&node.items) {
                self.visit(next, item, at)?;
            }
        }
        Ok(())
    }

    /// Adds the cost of the keywords of `node` for `value`, without their subschemas.
    fn charge(
        &mut self,
        node: &PlanNode,
        value: &SizedValue<'_>,
        at: VisitContext,
    ) -> Result<(), WorkLimitError> {
        let (values, length) = node.compared;
        let mut steps = 1 + node.keywords + values;
        steps += length.min(values.saturating_mul(value.size)) / 16;
        if value.value.is_string() {
            steps = steps.saturating_add(node.text.saturating_mul(value.size) / 16);
        }
        if node.unique && value.value.is_array() {
            steps = steps.saturating_add(count(value).saturating_mul(8) + value.size);
        }
        let measured = &mut self.estimate;
        let faults = 1 + node.keywords;
        measured.violations = measured.violations.saturating_add(faults);
        // The violations of alternatives contain copies of the invalid values.
        let repeated = if at.choices > 0 { value.size } else { 0 };
        measured.reported_bytes = measured
            .reported_bytes
            .saturating_add(faults.saturating_mul(repeated))
            .saturating_add(node.reported_bytes);
        self.add_steps(steps, at)
    }

    fn add_steps(&mut self, steps: u64, at: VisitContext) -> Result<(), WorkLimitError> {
        let steps = steps.saturating_mul(1 + at.choices);
        self.estimate.steps = self.estimate.steps.saturating_add(steps);
        if self.estimate.steps > MAX_STEPS {
            Err(WorkLimitError::Steps)
        } else {
            Ok(())
        }
    }
}

/// The number of items or members.
fn count(value: &SizedValue<'_>) -> u64 {
    u64::try_from(value.parts.len()).unwrap_or(u64::MAX)
}
