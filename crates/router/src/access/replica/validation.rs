//! The model against the one that a controller expects here.

use super::{Reception, Replica};
use crate::access::model::{DataModel, Touched};
use portcullis_data_model::DifferenceKind;
use portcullis_wire::control::data_model::{DataStateDiff, DataStateValidation, ValidateDataState};
use std::collections::BTreeMap;

impl Replica {
    /// Compares the model with the one that a controller has sent, and takes over that one if it is to.
    pub fn validate(&mut self, question: ValidateDataState) -> (DataStateValidation, Reception) {
        let Some(state) = question.state else {
            return (DataStateValidation::default(), Reception::Ignored);
        };
        let mut expected = DataModel::default();
        expected.apply(state.events.clone());
        let validation = DataStateValidation {
            original_counts: counts(&self.model),
            copy_counts: counts(&expected),
            differences: differences(&self.model, &expected),
        };
        if !question.fixes || validation.differences.is_empty() {
            return (validation, Reception::Ignored);
        }
        self.replace(state);
        (validation, Reception::Taken(Touched::everything()))
    }
}

fn counts(model: &DataModel) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    let kinds = model.entities().map(|(key, _)| key.kind.name());
    for name in kinds.chain(model.public_keys().map(|_| PUBLIC_KEYS)) {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

/// Differences of entities; keys are announced on their own.
fn differences(model: &DataModel, expected: &DataModel) -> Vec<DataStateDiff> {
    let (own, expected) = (model.entities().collect(), expected.entities().collect());
    let differences = portcullis_data_model::differences(&own, &expected);
    let told = differences.into_iter().map(|difference| DataStateDiff {
        entity_type: difference.key.kind.name().to_owned(),
        entity_id: difference.key.id,
        kind: difference.kind.name().to_owned(),
        detail: match difference.kind {
            DifferenceKind::Missing => "the router does not have it",
            DifferenceKind::Extra => "only the router has it",
            DifferenceKind::Different => "the router has another",
        }
        .to_owned(),
    });
    told.collect()
}

const PUBLIC_KEYS: &str = "publicKey";
