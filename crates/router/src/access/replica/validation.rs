//! The model against the one that a controller expects here.

use super::{Reception, Replica};
use crate::access::model::{DataModel, Touched};
use portcullis_data_model::{Entity, EntityKey, Kind};
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
    let kinds = model.entities().map(|(key, _)| name(key.kind));
    for name in kinds.chain(model.public_keys().map(|_| PUBLIC_KEYS)) {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

/// Differences of entities; keys are announced on their own.
fn differences(model: &DataModel, expected: &DataModel) -> Vec<DataStateDiff> {
    let own: BTreeMap<EntityKey, Entity> = model.entities().collect();
    let wanted: BTreeMap<EntityKey, Entity> = expected.entities().collect();
    let missing = wanted.keys().filter(|key| !own.contains_key(*key));
    let missing = missing.map(|key| diff(key, "missing", "the router does not have it"));
    let others = own
        .iter()
        .filter_map(|(key, entity)| match wanted.get(key) {
            None => Some(diff(key, "extra", "only the router has it")),
            Some(wanted) if wanted != entity => {
                Some(diff(key, "different", "the router has another"))
            },
            Some(_) => None,
        });
    missing.chain(others).collect()
}

fn diff(key: &EntityKey, kind: &str, detail: &str) -> DataStateDiff {
    DataStateDiff {
        entity_type: name(key.kind).to_owned(),
        entity_id: key.id.clone(),
        kind: kind.to_owned(),
        detail: detail.to_owned(),
    }
}

const PUBLIC_KEYS: &str = "publicKey";

const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::ConfigType => "configType",
        Kind::Config => "config",
        Kind::Identity => "identity",
        Kind::Service => "service",
        Kind::Router => "router",
        Kind::PostureCheck => "postureCheck",
        Kind::Policy => "servicePolicy",
        Kind::Revocation => "revocation",
    }
}
