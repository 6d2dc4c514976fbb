//! Records as they may be told to those who follow changes: by the names of the API, whole, and without
//! secrets.
//!
//! What is a secret, or internal, is what the audit trail takes for one.

use super::difference::{push, push_camel};
use super::schema::{AuditSchema, TimeUnit, audit_schema, find, is_implied};
use crate::key::Kind;
use crate::tables::kind;
use portcullis_domain::clock::Timestamp;
use serde_json::{Map, Value};

/// Members that name the owner of a record, as the API does.
const OWNERS: [(&str, &str); 2] = [("identity", "identityId"), ("router", "routerId")];

/// Stored members that are told to nobody, beside those that the audit trail leaves out.
const UNTOLD: [(Kind, &str); 1] = [(kind::API_SESSION, "oidc.refresh_tokens")];

/// What may be told of a record; nothing of a kind without a schema.
pub(super) fn disclose_record(kind: Kind, stored: Map<String, Value>) -> Map<String, Value> {
    let Some(schema) = audit_schema(kind) else {
        return Map::new();
    };
    let mut disclosure = Disclosure {
        kind,
        schema,
        milliseconds: milliseconds(schema, &stored),
        stored_path: String::new(),
        api_path: String::new(),
        told: Map::new(),
    };
    disclosure.add_record(stored);
    disclosure.told
}

/// The milliseconds of the timestamp that is stored as two members.
fn milliseconds(schema: &AuditSchema, stored: &Map<String, Value>) -> i64 {
    let beside = schema.times.iter().find_map(|(_, unit)| match unit {
        TimeUnit::SecondAnd(beside) => stored.get(*beside),
        TimeUnit::Second | TimeUnit::Millisecond => None,
    });
    beside.and_then(Value::as_i64).unwrap_or_default()
}

struct Disclosure {
    kind: Kind,
    schema: &'static AuditSchema,
    milliseconds: i64,
    /// Stored path of the current member.
    stored_path: String,
    /// API path of the current member.
    api_path: String,
    told: Map<String, Value>,
}

impl Disclosure {
    fn add_record(&mut self, stored: Map<String, Value>) {
        for (name, value) in stored {
            match value {
                Value::Object(members) if name == self.schema.wrapper => self.add_record(members),
                value if is_implied(&name) => {
                    let mut api_name = String::new();
                    push_camel(&mut api_name, &name);
                    let time = value
                        .as_i64()
                        .and_then(|number| time(number, TimeUnit::Millisecond, 0));
                    self.told.insert(api_name, time.unwrap_or(value));
                },
                value => match find(&OWNERS, &name) {
                    Some(owner) => {
                        self.told.insert(owner.to_owned(), value);
                    },
                    None => self.add_member(&name, value),
                },
            }
        }
        for (path, default) in self.schema.defaults {
            if let Some(name) = self.schema.api_name(path)
                && !self.told.contains_key(name)
            {
                self.told.insert(name.to_owned(), (*default).into());
            }
        }
        if !self.told.contains_key("tags") {
            let tags = Value::Object(Map::new());
            self.told.insert("tags".to_owned(), tags);
        }
    }

    fn add_member(&mut self, name: &str, value: Value) {
        let (stored, api) = (self.stored_path.len(), self.api_path.len());
        push(&mut self.stored_path, name);
        let renamed = self.schema.api_name(&self.stored_path);
        let replaced =
            renamed.map(|renamed| std::mem::replace(&mut self.api_path, renamed.to_owned()));
        if replaced.is_none() {
            push_camel(&mut self.api_path, name);
        }
        self.add_value(name, value);
        self.stored_path.truncate(stored);
        match replaced {
            Some(path) => self.api_path = path,
            None => self.api_path.truncate(api),
        }
    }

    fn add_value(&mut self, name: &str, value: Value) {
        let path = self.stored_path.as_str();
        let is_listed = |paths: &[&str]| paths.contains(&path);
        let is_untold = UNTOLD.contains(&(self.kind, path));
        if is_untold || is_listed(self.schema.secret) || is_listed(self.schema.ignored) {
            return;
        }
        let is_user_defined = path == "tags" || is_listed(self.schema.user_defined);
        match value {
            value if is_user_defined => self.insert(name, value),
            Value::Object(members) if !members.is_empty() => {
                for (name, value) in members {
                    self.add_member(&name, value);
                }
            },
            Value::Array(items) => {
                let names = self.schema.item_names(path);
                let items = items.into_iter().map(|item| item_of_api(item, names));
                self.insert(name, Value::Array(items.collect()));
            },
            value => {
                let unit = self.schema.time(path);
                let number = unit.zip(value.as_i64());
                let time = number.and_then(|(unit, number)| time(number, unit, self.milliseconds));
                self.insert(name, time.unwrap_or(value));
            },
        }
    }

    /// Inserts the current member, within the objects that its path names.
    fn insert(&mut self, name: &str, value: Value) {
        let mut segments = self.api_path.split('.');
        // A value at a level that the API does not have keeps its stored name.
        let last = segments.next_back().filter(|last| !last.is_empty());
        let mut object = &mut self.told;
        for segment in segments {
            let inner = object
                .entry(segment)
                .or_insert_with(|| Value::Object(Map::new()));
            match inner {
                Value::Object(members) => object = members,
                // A value that stands where the API has an object.
                _ => return,
            }
        }
        object.insert(last.unwrap_or(name).to_owned(), value);
    }
}

/// An item of a list with the names of the API.
fn item_of_api(item: Value, names: &[(&str, &str)]) -> Value {
    let Value::Object(members) = item else {
        return item;
    };
    let renamed = members.into_iter().map(|(name, value)| {
        let api_name = find(names, &name).map_or_else(
            || {
                let mut camel = String::new();
                push_camel(&mut camel, &name);
                camel
            },
            str::to_owned,
        );
        (api_name, value)
    });
    Value::Object(renamed.collect())
}

fn time(number: i64, unit: TimeUnit, milliseconds: i64) -> Option<Value> {
    let time = match unit {
        TimeUnit::Second => Timestamp::from_second(number),
        TimeUnit::SecondAnd(_) => {
            let whole = number.checked_mul(1000)?;
            Timestamp::from_millisecond(whole.checked_add(milliseconds)?)
        },
        TimeUnit::Millisecond => Timestamp::from_millisecond(number),
    };
    time.ok().map(|time| time.to_string().into())
}

#[cfg(test)]
mod tests;
