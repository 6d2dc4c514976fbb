//! Entities in the form in which OpenZiti stores them, which is that of its events: other names than on the APIs for some
//! members, an order of their own, and something for each member, whether it is set or not.
//!
//! Left out are secrets, and members for which the record here has nothing: an identity does not list its authenticators.
//! Members that only this controller has follow at the end.

mod derived;
mod forms;
mod members;

use derived::form;
use members::{BASE, Form, Member};
use portcullis_domain::clock::Timestamp;
use portcullis_events::EntityState;
use portcullis_storage::tables::DisclosedEntity;

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

/// Bytes of the members that most entities do not have, and of what stands between members.
const USUAL_REST: usize = 640;

/// An entity and its form.
pub(super) struct StoredForm {
    form: &'static Form,
    entity: DisclosedEntity,
}

impl StoredForm {
    /// The form of an entity of a type, such as `services`, that is told of at a time.
    pub(super) fn new(entity_type: &str, mut entity: DisclosedEntity, at: Timestamp) -> Self {
        let form = form(entity_type, &mut entity, at);
        Self { form, entity }
    }

    /// A half of the entity.
    pub(super) fn state(&self, half: Half) -> EntityState {
        let mut json = Vec::with_capacity(self.entity.size() + USUAL_REST);
        json.push(b'{');
        for (position, member) in self.members(half).enumerate() {
            begin_member(position > 0, member.name, &mut json);
            member.write(&self.entity, &mut json);
        }
        if self.form.has_sub_type {
            begin_member(true, "subType", &mut json);
            json.push(b'{');
            for (position, name) in self.rest(half).enumerate() {
                self.add(position > 0, name, &mut json);
            }
            json.push(b'}');
        } else if half == Half::Whole {
            let is_known = |name: &str| self.members(half).any(|member| member.name == name);
            for name in self.rest(half).filter(|name| !is_known(name)) {
                self.add(true, name, &mut json);
            }
        }
        json.push(b'}');
        EntityState::new(json)
    }

    fn members(&self, half: Half) -> impl Iterator<Item = &'static Member> {
        let edge = match half {
            Half::Whole => self.form.edge,
            Half::Fabric => &[],
        };
        BASE.iter().chain(self.form.fabric).chain(edge)
    }

    /// What no member of the form is made of.
    fn rest(&self, half: Half) -> impl Iterator<Item = &str> {
        let is_used = move |name: &str| self.members(half).any(|member| member.api == name);
        self.entity.names().filter(move |name| !is_used(name))
    }

    /// Adds a member as it is told.
    fn add(&self, follows: bool, name: &str, json: &mut Vec<u8>) {
        begin_member(follows, name, json);
        self.entity.write(name, json);
    }
}

/// Writes the name of a member, which may follow another one.
fn begin_member(follows: bool, name: &str, json: &mut Vec<u8>) {
    if follows {
        json.push(b',');
    }
    // Memory takes every text.
    let _ = serde_json::to_writer(&mut *json, name);
    json.push(b':');
}

#[cfg(test)]
mod tests;
