//! Entities in the form in which OpenZiti stores them, which is that of its events: other names than on the APIs for some
//! members, an order of their own, and something for each member, whether it is set or not.
//!
//! Left out are secrets, and members for which the record here has nothing: an identity does not list its authenticators.
//! Members that only this controller has follow at the end.

mod derived;
mod forms;
mod members;

use derived::form;
use forms::ALL;
use members::{BASE, Form, Member};
use portcullis_domain::clock::Timestamp;
use portcullis_events::StoredEntity;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Which half of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Whole,
    /// What the fabric knows of a service or a router.
    Fabric,
}

impl Half {
    /// The halves of entities of a type that change.
    pub(super) fn of(entity_type: &str) -> &'static [Self] {
        match entity_type {
            "routers" | "services" => &[Self::Whole, Self::Fabric],
            _ => &[Self::Whole],
        }
    }

    /// Whether it is the parent of an entity, as OpenZiti has it.
    pub(super) fn is_parent(self) -> bool {
        self == Self::Fabric
    }
}

/// What members take in memory that are told though the entity has none of them, in bytes, at most.
pub(super) const ABSENT_MEMBERS: usize = MAX_MEMBERS * size_of::<(Cow<'static, str>, Value)>();

/// Members of the form with the most of them.
const MAX_MEMBERS: usize = {
    let mut most = 0;
    let mut rest: &[&Form] = &ALL;
    while let [form, others @ ..] = rest {
        let members = BASE.len() + form.fabric.len() + form.edge.len();
        if members > most {
            most = members;
        }
        rest = others;
    }
    most
};

/// An entity of a type, such as `services`, of which the API says this at a time.
pub(super) fn stored_form(
    entity_type: &str,
    told: Value,
    half: Half,
    at: Timestamp,
) -> StoredEntity {
    let Value::Object(mut told) = told else {
        return StoredEntity::default();
    };
    let form = form(entity_type, &mut told, at);
    let fabric = form.fabric.iter();
    let edge = form.edge.iter().filter(|_| half == Half::Whole);
    let mut stored = StoredEntity::default();
    for member in BASE.iter().chain(fabric).chain(edge) {
        let value = member.take(&mut told);
        stored.0.push((member.name.into(), value));
    }
    add_rest(form, half, told, &mut stored);
    stored
}

/// Adds what no member of the form is made of.
fn add_rest(form: &Form, half: Half, mut told: Map<String, Value>, stored: &mut StoredEntity) {
    if form.has_sub_type {
        let name = Cow::Borrowed("subType");
        stored.0.push((name, Value::Object(told)));
    } else if half == Half::Whole {
        told.retain(|name, _| !stored.0.iter().any(|(known, _)| known == name));
        stored.0.extend(StoredEntity::from(told).0);
    }
}

impl Member {
    /// The value, with what is said where there is none.
    fn take(&self, told: &mut Map<String, Value>) -> Value {
        let value = told.remove(self.api).filter(|value| !is_nothing(value));
        match value {
            Some(value) => self.unit.convert(value),
            None => self.absent.value(),
        }
    }
}

/// What is no value at OpenZiti, whose empty lists are null.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests;
