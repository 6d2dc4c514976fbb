//! How an entity is told to those who follow changes: by the names of the API, whole, and without secrets.
//!
//! What is a secret, or internal, is what the audit trail takes for one. It is passed over where the entity is read, so that
//! no copy of it is made.

mod object_serializer;
mod value_serializer;

use super::difference::{push, push_camel};
use super::disclosed::DisclosedEntity;
use super::schema::{AuditSchema, TimeUnit, audit_schema, find, is_implied};
use crate::key::Kind;
use crate::tables::kind;
use serde::Serialize;
use serde_json::{Error, Value};
use value_serializer::{Place, ValueSerializer};

/// Members that name the owner of a record, as the API does.
const OWNERS: [(&str, &str); 2] = [("identity", "identityId"), ("router", "routerId")];

/// Stored members that are told to nobody, beside those that the audit trail leaves out.
const UNTOLD: [(Kind, &str); 1] = [(kind::API_SESSION, "oidc.refresh_tokens")];

/// What most paths take, in bytes.
const USUAL_PATH: usize = 64;

/// What may be told of a record; nothing of a kind without a schema.
pub(super) fn disclose(kind: Kind, record: &impl Serialize) -> DisclosedEntity {
    let Some(schema) = audit_schema(kind) else {
        return DisclosedEntity::default();
    };
    let mut disclosure = Disclosure {
        kind,
        schema,
        milliseconds: milliseconds(schema, record),
        stored_path: String::with_capacity(USUAL_PATH),
        api_path: String::with_capacity(USUAL_PATH),
        told: DisclosedEntity::with_usual_room(),
    };
    let written = record.serialize(ValueSerializer {
        disclosure: &mut disclosure,
        place: Place::Record,
    });
    match written {
        Ok(()) => disclosure.with_defaults(),
        // What cannot be written is told as nothing.
        Err(_) => DisclosedEntity::default(),
    }
}

/// The milliseconds of the timestamp that is stored as two members, which few kinds have.
fn milliseconds(schema: &AuditSchema, record: &impl Serialize) -> i64 {
    let beside = schema.times.iter().find_map(|(_, unit)| match unit {
        TimeUnit::SecondAnd(beside) => Some(*beside),
        TimeUnit::Second | TimeUnit::Millisecond => None,
    });
    let number = beside.and_then(|beside| {
        let record = serde_json::to_value(record).ok()?;
        let wrapped = record.get(schema.wrapper).unwrap_or(&record);
        wrapped.get(beside).and_then(Value::as_i64)
    });
    number.unwrap_or_default()
}

struct Disclosure {
    kind: Kind,
    schema: &'static AuditSchema,
    milliseconds: i64,
    /// Stored path of the current member; empty for the record.
    stored_path: String,
    /// API path of the current member.
    api_path: String,
    told: DisclosedEntity,
}

impl Disclosure {
    /// Adds a member of the record, or of the current member.
    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        if !self.stored_path.is_empty() {
            return self.add_member(name, value);
        }
        if name == self.schema.wrapper {
            self.serialize(value, Place::Record)
        } else if is_implied(name) {
            push_camel(&mut self.api_path, name);
            let unit = Some(TimeUnit::Millisecond);
            let added = self.serialize(value, Place::Member { name, unit });
            self.api_path.clear();
            added
        } else if let Some(owner) = find(&OWNERS, name) {
            let start = self.write(value)?;
            self.told.insert_last(owner, start);
            Ok(())
        } else {
            self.add_member(name, value)
        }
    }

    fn add_member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        let (stored, api) = (self.stored_path.len(), self.api_path.len());
        push(&mut self.stored_path, name);
        let renamed = self.schema.api_name(&self.stored_path);
        let replaced =
            renamed.map(|renamed| std::mem::replace(&mut self.api_path, renamed.to_owned()));
        if replaced.is_none() {
            push_camel(&mut self.api_path, name);
        }
        let added = self.add_value(name, value);
        self.stored_path.truncate(stored);
        match replaced {
            Some(path) => self.api_path = path,
            None => self.api_path.truncate(api),
        }
        added
    }

    fn add_value<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        let path = self.stored_path.as_str();
        let is_listed = |paths: &[&str]| paths.contains(&path);
        let is_untold = UNTOLD.contains(&(self.kind, path));
        if is_untold || is_listed(self.schema.secret) || is_listed(self.schema.ignored) {
            return Ok(());
        }
        if path == "tags" || is_listed(self.schema.user_defined) {
            let start = self.write(value)?;
            self.insert_last(name, start);
            return Ok(());
        }
        let unit = self.schema.time(path);
        self.serialize(value, Place::Member { name, unit })
    }

    /// Writes a value in which nothing has another name. Returns where it begins.
    fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<usize, Error> {
        let start = self.told.values.len();
        serde_json::to_writer(&mut self.told.values, value)?;
        Ok(start)
    }

    fn serialize<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
        place: Place<'_>,
    ) -> Result<(), Error> {
        value.serialize(ValueSerializer {
            disclosure: self,
            place,
        })
    }

    /// Inserts the value of the current member, which was written last, from `start` on. At a level that the API does not
    /// have, it keeps its stored name.
    fn insert_last(&mut self, name: &str, start: usize) {
        let path = if self.api_path.is_empty() {
            name
        } else {
            &self.api_path
        };
        self.told.insert_last(path, start);
    }

    fn with_defaults(mut self) -> DisclosedEntity {
        for (path, default) in self.schema.defaults {
            if let Some(name) = self.schema.api_name(path)
                && !self.told.contains(name)
            {
                self.told.insert_text(name, default);
            }
        }
        if !self.told.contains("tags") {
            self.told.insert("tags", b"{}");
        }
        self.told
    }
}

#[cfg(test)]
mod tests;
