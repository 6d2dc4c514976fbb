//! The router data model.

use crate::answer::{Answer, Gap};
use crate::bounded::MAX_ENTRIES;
use crate::comparison::{Compared, Comparison, Router};
use crate::finding::Finding;
use crate::inspection::Inspection;
use crate::text::Shown;
use portcullis_domain::ids::ControllerId;
use portcullis_wire::control::data_model::{DataStateDiff, DataStateValidation};
use portcullis_wire::management::ComponentDetails;
use std::fmt;

/// An entity that is not the same in two models, in words of the one who compares them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelDisagreement {
    pub entity_type: String,
    pub entity_id: String,
    /// Such as `missing`.
    pub kind: String,
    pub detail: String,
}

impl From<&DataStateDiff> for ModelDisagreement {
    fn from(difference: &DataStateDiff) -> Self {
        Self {
            entity_type: difference.entity_type.clone(),
            entity_id: difference.entity_id.clone(),
            kind: difference.kind.clone(),
            detail: difference.detail.clone(),
        }
    }
}

impl fmt::Display for ModelDisagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = [&self.entity_type, &self.entity_id, &self.kind, &self.detail];
        let [entity_type, entity_id, kind, detail] = texts.map(|text| Shown(text));
        write!(formatter, "{entity_type} id: {entity_id} {kind}: {detail}")
    }
}

impl Finding for ModelDisagreement {
    fn advice(&self) -> &'static str {
        "A change may be on its way: ask again in a minute. If it stays, have the router take the model of \
         the controller: `ziti fabric validate router-data-model --fix`."
    }
}

impl Compared for ModelDisagreement {
    type Disagreement = Self;

    fn disagreements(&self) -> &[Self] {
        std::slice::from_ref(self)
    }
}

/// Reads what a router says about its model beside the one that it was sent.
pub fn compare_data_models(
    router: &Router,
    answer: Answer<'_, DataStateValidation>,
) -> Comparison<ModelDisagreement> {
    let told = answer.map(|answer| {
        let unread = answer.differences.len().saturating_sub(MAX_ENTRIES);
        let gaps = (unread > 0).then_some(Gap::Unread {
            inspection: "differences",
            count: unread,
        });
        Inspection {
            entries: answer.differences.iter().take(MAX_ENTRIES),
            gaps: gaps.into_iter().collect(),
        }
    });
    Comparison::of(router, told, |differences, _is_complete| {
        differences.map(Into::into).collect()
    })
}

impl From<&Comparison<ModelDisagreement>> for ComponentDetails {
    fn from(comparison: &Comparison<ModelDisagreement>) -> Self {
        let agrees = comparison.findings().next().is_none();
        comparison.component(agrees, "router not connected to controller")
    }
}

/// What the controller says of its own model beside its database.
pub fn controller_model_details(
    controller: &ControllerId,
    differences: &[ModelDisagreement],
) -> ComponentDetails {
    ComponentDetails {
        component_type: "controller".to_owned(),
        component_id: controller.as_str().to_owned(),
        component_name: controller.as_str().to_owned(),
        is_success: differences.is_empty(),
        errors: differences.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests;
