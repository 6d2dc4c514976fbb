//! Differences between two versions of a record.

use super::node::{Member, Node};
use super::schema::{AuditSchema, TimeUnit, is_implied};
use super::value::{AuditValue, ListChange, truncate_name};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::cmp::Ordering;

/// Maximum number of user-defined members in an event; the rest is counted. They follow the
/// record's own members, so they cannot displace those.
const MAX_USER_DEFINED: usize = 32;

/// Changed members of a record.
#[derive(Debug, Default)]
pub(super) struct Difference<'n> {
    own: Vec<MemberChange<'n>>,
    user_defined: Vec<MemberChange<'n>>,
    /// Number of further changed members.
    pub(super) more: usize,
    /// Whether the modification time changed, even without other changes.
    is_touched: bool,
}

#[derive(Debug)]
struct MemberChange<'n> {
    /// API path of the member.
    path: String,
    what: ChangeDetail<'n>,
}

#[derive(Debug)]
enum ChangeDetail<'n> {
    /// Changed; the value is not disclosed.
    Secret,
    Value {
        old: Option<AuditValue<'n>>,
        new: Option<AuditValue<'n>>,
    },
    List(ListChange<'n>),
}

impl<'n> Difference<'n> {
    /// Compares a record before and after; on creation or removal, everything differs.
    pub(super) fn between(
        before: Option<Node<'n>>,
        after: Option<Node<'n>>,
        schema: Option<&'static AuditSchema>,
    ) -> Self {
        let mut comparison = Comparison {
            schema,
            is_update: before.is_some() && after.is_some(),
            is_user_defined: false,
            stored_path: String::new(),
            api_path: String::new(),
            milliseconds: [0; 2],
            difference: Self::default(),
        };
        comparison.compare_objects(&members(before), &members(after));
        comparison.difference
    }

    pub(super) fn has_no_members(&self) -> bool {
        self.own.is_empty() && self.user_defined.is_empty()
    }

    /// Whether only internal members changed.
    pub(super) fn is_empty(&self) -> bool {
        self.has_no_members() && !self.is_touched
    }
}

impl Serialize for Difference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let changes = self.own.iter().chain(&self.user_defined);
        serializer.collect_map(changes.map(|change| (&change.path, &change.what)))
    }
}

impl Serialize for ChangeDetail<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (old, new) = match self {
            Self::Secret => return serializer.serialize_str("changed"),
            Self::List(change) => return change.serialize(serializer),
            Self::Value { old, new } => (old, new),
        };
        let mut map = serializer.serialize_map(None)?;
        for (side, value) in [("old", old), ("new", new)] {
            if let Some(value) = value {
                map.serialize_entry(side, value)?;
            }
        }
        map.end()
    }
}

/// Old and new value of a member.
type ValuePair<'n> = (Option<Node<'n>>, Option<Node<'n>>);

struct Comparison<'n> {
    schema: Option<&'static AuditSchema>,
    is_update: bool,
    /// Whether the current member is user-defined.
    is_user_defined: bool,
    /// Stored path of the current member; `path` is its API path.
    stored_path: String,
    api_path: String,
    /// Old and new milliseconds of the timestamp that is split into two members.
    milliseconds: [i64; 2],
    difference: Difference<'n>,
}

impl<'n> Comparison<'n> {
    fn compare_objects(&mut self, mut old: &[Member<'n>], mut new: &[Member<'n>]) {
        if self.stored_path.is_empty() {
            let kind = self.schema;
            self.milliseconds =
                [old, new].map(|side| kind.map_or(0, |kind| kind.milliseconds(side)));
        }
        // Both sides are sorted.
        loop {
            let order = match (old.first(), new.first()) {
                (None, None) => return,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((one, _)), Some((other, _))) => one.cmp(other),
            };
            let before = if order.is_le() { next(&mut old) } else { None };
            let after = if order.is_ge() { next(&mut new) } else { None };
            if let Some((name, _)) = before.or(after) {
                let value = |(_, value): &Member<'n>| *value;
                self.compare_member(name, (before.map(value), after.map(value)));
            }
        }
    }

    fn compare_member(&mut self, name: &str, sides: ValuePair<'n>) {
        if sides.0 == sides.1 && !self.differs_in_milliseconds(name) {
            return;
        }
        if self.stored_path.is_empty() {
            if is_implied(name) {
                self.difference.is_touched |= name == "updated_at";
                return;
            }
            if self.schema.is_some_and(|kind| kind.wrapper == name) {
                self.compare_objects(&members(sides.0), &members(sides.1));
                return;
            }
        }
        let (raw, path, was_attached) = (
            self.stored_path.len(),
            self.api_path.len(),
            self.is_user_defined,
        );
        let replaced = self.descend(name);
        self.compare_values(sides);
        self.stored_path.truncate(raw);
        match replaced {
            Some(path) => self.api_path = path,
            None => self.api_path.truncate(path),
        }
        self.is_user_defined = was_attached;
    }

    /// Descends to a member. Returns the previous path if the API path of the member replaces it.
    fn descend(&mut self, member: &str) -> Option<String> {
        push(&mut self.stored_path, member);
        if self.is_user_defined {
            push(&mut self.api_path, &truncate_name(member));
            return None;
        }
        let raw = self.stored_path.as_str();
        self.is_user_defined = self
            .schema
            .is_some_and(|kind| raw == "tags" || kind.user_defined.contains(&raw));
        let renamed = self.schema.and_then(|kind| kind.api_name(raw));
        if renamed.is_none() {
            push_camel(&mut self.api_path, member);
        }
        renamed.map(|renamed| std::mem::replace(&mut self.api_path, renamed.to_owned()))
    }

    fn compare_values(&mut self, (old, new): ValuePair<'n>) {
        if self.is_listed(|kind| kind.ignored) {
            return;
        }
        if self.schema.is_none() || self.is_listed(|kind| kind.secret) {
            self.add(ChangeDetail::Secret);
            return;
        }
        let is_object = |side: Option<Node<'_>>| side.is_some_and(Node::is_object);
        if !is_object(old) && !is_object(new) {
            self.compare_leaf((old, new));
            return;
        }
        self.compare_objects(&members(old), &members(new));
        // Where an object replaces another value or vice versa, both are reported.
        let other = |side: Option<Node<'n>>| side.filter(|side| !side.is_object());
        if other(old).is_some() || other(new).is_some() {
            self.compare_leaf((other(old), other(new)));
        }
    }

    fn compare_leaf(&mut self, (old, new): ValuePair<'n>) {
        if self.stays_false((old, new)) {
            return;
        }
        let items = |side: Option<Node<'n>>| side.map_or_else(|| Some(Vec::new()), Node::items);
        let what = match (items(old), items(new)) {
            (Some(old), Some(new)) if !(old.is_empty() && new.is_empty()) => {
                let kind = self.schema.filter(|_| !self.is_user_defined);
                let names = kind.map_or(&[][..], |kind| kind.item_names(&self.stored_path));
                ChangeDetail::List(ListChange::between(&old, &new, names))
            },
            _ => ChangeDetail::Value {
                old: self.shown_side(old, new, self.milliseconds[0]),
                new: self.shown_side(new, old, self.milliseconds[1]),
            },
        };
        self.add(what);
    }

    /// Whether the member is a flag that stays `false`, stored or by default.
    fn stays_false(&self, (old, new): ValuePair<'_>) -> bool {
        let is_false = |side: Option<Node<'_>>| side.is_none_or(|side| side.bool() == Some(false));
        let has_default = !self.is_user_defined && !self.is_listed(|kind| kind.optional);
        self.is_update && has_default && is_false(old) && is_false(new)
    }

    /// Whether a member is a split timestamp of which only the milliseconds changed.
    fn differs_in_milliseconds(&self, name: &str) -> bool {
        let [old, new] = self.milliseconds;
        let unit = self
            .schema
            .filter(|_| old != new && self.stored_path.is_empty());
        let unit = unit.and_then(|kind| kind.time(name));
        matches!(unit, Some(TimeUnit::SecondAnd(_)))
    }

    /// One value of a member, given the other one, to fill in defaults that are not stored.
    fn shown_side(
        &self,
        side: Option<Node<'n>>,
        other: Option<Node<'_>>,
        milliseconds: i64,
    ) -> Option<AuditValue<'n>> {
        if let Some(side) = side {
            let unit = self.schema.and_then(|kind| kind.time(&self.stored_path));
            let time = unit.and_then(|unit| AuditValue::time(side, unit, milliseconds));
            return Some(time.unwrap_or(AuditValue::Stored(side)));
        }
        if !self.is_update || self.is_user_defined {
            return None;
        }
        if other.and_then(Node::bool).is_some() && !self.is_listed(|kind| kind.optional) {
            return Some(AuditValue::Bool(false));
        }
        let number = self.schema.and_then(|kind| kind.number(&self.stored_path));
        if let Some(number) = number.filter(|_| other.is_some_and(Node::is_number)) {
            return Some(AuditValue::Number(number));
        }
        let default = self.schema.and_then(|kind| kind.default(&self.stored_path));
        Some(default.map_or(AuditValue::Null, AuditValue::Text))
    }

    /// Whether the current member is in the given list of the schema.
    fn is_listed(&self, those: fn(&AuditSchema) -> &[&str]) -> bool {
        self.schema
            .is_some_and(|kind| those(kind).contains(&self.stored_path.as_str()))
    }

    /// Adds a change of the current member.
    fn add(&mut self, what: ChangeDetail<'n>) {
        if self.is_user_defined && self.difference.user_defined.len() == MAX_USER_DEFINED {
            self.difference.more += 1;
            return;
        }
        // A value at a level that the API does not have keeps its stored name.
        let path = if self.api_path.is_empty() {
            &self.stored_path
        } else {
            &self.api_path
        };
        let path = path.clone();
        let change = MemberChange { path, what };
        if self.is_user_defined {
            self.difference.user_defined.push(change);
        } else {
            self.difference.own.push(change);
        }
    }
}

fn members(side: Option<Node<'_>>) -> Vec<Member<'_>> {
    side.and_then(Node::members).unwrap_or_default()
}

fn next<'m, 'n>(members: &mut &'m [Member<'n>]) -> Option<&'m Member<'n>> {
    let (first, rest) = members.split_first()?;
    *members = rest;
    Some(first)
}

pub(super) fn push(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Appends a member name, converted from `snake_case` to `camelCase`.
pub(super) fn push_camel(path: &mut String, name: &str) {
    if !name.contains(|letter: char| letter.is_ascii_lowercase()) {
        return push(path, name);
    }
    if !path.is_empty() {
        path.push('.');
    }
    let mut is_capital = false;
    for letter in name.chars() {
        if letter == '_' {
            is_capital = true;
        } else if is_capital {
            path.push(letter.to_ascii_uppercase());
            is_capital = false;
        } else {
            path.push(letter);
        }
    }
}

#[cfg(test)]
#[path = "difference/tests.rs"]
mod tests;
