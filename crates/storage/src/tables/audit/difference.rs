//! What differs between two forms of a record.

use super::described::{Described, Unit, is_said_anyhow};
use super::node::{Member, Node};
use super::shown::{ListChange, Shown, name};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::cmp::Ordering;

/// Members that an event names of those that users attach to records; more are counted. They come
/// after the record's own members, so that nobody can push those out.
const ATTACHED: usize = 32;

/// What is said of members that changed.
#[derive(Debug, Default)]
pub(super) struct Difference<'n> {
    own: Vec<Change<'n>>,
    attached: Vec<Change<'n>>,
    /// How many more changed.
    pub(super) more: usize,
    /// Whether the record says that it was changed, even to what it was.
    is_touched: bool,
}

#[derive(Debug)]
struct Change<'n> {
    /// Path of the member, in the words of the API.
    path: String,
    what: What<'n>,
}

#[derive(Debug)]
enum What<'n> {
    /// It is not said what.
    Secret,
    Value {
        old: Option<Shown<'n>>,
        new: Option<Shown<'n>>,
    },
    List(ListChange<'n>),
}

impl<'n> Difference<'n> {
    /// What differs between a record before and after; where there was or is none, everything.
    pub(super) fn between(
        before: Option<Node<'n>>,
        after: Option<Node<'n>>,
        described: Option<&'static Described>,
    ) -> Self {
        let mut comparison = Comparison {
            described,
            is_update: before.is_some() && after.is_some(),
            is_attached: false,
            raw: String::new(),
            path: String::new(),
            milliseconds: [0; 2],
            found: Self::default(),
        };
        comparison.objects(&members(before), &members(after));
        comparison.found
    }

    /// Whether no member changed.
    pub(super) fn has_no_members(&self) -> bool {
        self.own.is_empty() && self.attached.is_empty()
    }

    /// Whether nothing was done but bookkeeping.
    pub(super) fn is_empty(&self) -> bool {
        self.has_no_members() && !self.is_touched
    }
}

impl Serialize for Difference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let changes = self.own.iter().chain(&self.attached);
        serializer.collect_map(changes.map(|change| (&change.path, &change.what)))
    }
}

impl Serialize for What<'_> {
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

/// The two sides of a member.
type Sides<'n> = (Option<Node<'n>>, Option<Node<'n>>);

struct Comparison<'n> {
    described: Option<&'static Described>,
    is_update: bool,
    /// Whether it is about what users attach.
    is_attached: bool,
    /// Path of the member that is looked at, as it is stored and in the words of the API.
    raw: String,
    path: String,
    /// What stands beside the instant of this level that is stored in two members, on either side.
    milliseconds: [i64; 2],
    found: Difference<'n>,
}

impl<'n> Comparison<'n> {
    fn objects(&mut self, mut old: &[Member<'n>], mut new: &[Member<'n>]) {
        if self.raw.is_empty() {
            let kind = self.described;
            self.milliseconds =
                [old, new].map(|side| kind.map_or(0, |kind| kind.milliseconds(side)));
        }
        // Both are sorted.
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
                self.member(name, (before.map(value), after.map(value)));
            }
        }
    }

    fn member(&mut self, name: &str, sides: Sides<'n>) {
        if sides.0 == sides.1 && !self.differs_in_milliseconds(name) {
            return;
        }
        if self.raw.is_empty() {
            if is_said_anyhow(name) {
                self.found.is_touched |= name == "updated_at";
                return;
            }
            if self.described.is_some_and(|kind| kind.wrapper == name) {
                self.objects(&members(sides.0), &members(sides.1));
                return;
            }
        }
        let (raw, path, was_attached) = (self.raw.len(), self.path.len(), self.is_attached);
        let replaced = self.enter(name);
        self.entered(sides);
        self.raw.truncate(raw);
        match replaced {
            Some(path) => self.path = path,
            None => self.path.truncate(path),
        }
        self.is_attached = was_attached;
    }

    /// Goes on to a member of what is looked at. Answers the path before it, if the API has another for
    /// the member.
    fn enter(&mut self, member: &str) -> Option<String> {
        push(&mut self.raw, member);
        if self.is_attached {
            push(&mut self.path, &name(member));
            return None;
        }
        let raw = self.raw.as_str();
        self.is_attached = self
            .described
            .is_some_and(|kind| raw == "tags" || kind.attached.contains(&raw));
        let renamed = self.described.and_then(|kind| kind.api_name(raw));
        if renamed.is_none() {
            push_camel(&mut self.path, member);
        }
        renamed.map(|renamed| std::mem::replace(&mut self.path, renamed.to_owned()))
    }

    fn entered(&mut self, (old, new): Sides<'n>) {
        if self.is(|kind| kind.silent) {
            return;
        }
        if self.described.is_none() || self.is(|kind| kind.secret) {
            self.add(What::Secret);
            return;
        }
        let is_object = |side: Option<Node<'_>>| side.is_some_and(Node::is_object);
        if !is_object(old) && !is_object(new) {
            self.leaf((old, new));
            return;
        }
        self.objects(&members(old), &members(new));
        // Where an object takes the place of something else, both are told.
        let other = |side: Option<Node<'n>>| side.filter(|side| !side.is_object());
        if other(old).is_some() || other(new).is_some() {
            self.leaf((other(old), other(new)));
        }
    }

    fn leaf(&mut self, (old, new): Sides<'n>) {
        if self.stays_false((old, new)) {
            return;
        }
        let items = |side: Option<Node<'n>>| side.map_or_else(|| Some(Vec::new()), Node::items);
        let what = match (items(old), items(new)) {
            (Some(old), Some(new)) if !(old.is_empty() && new.is_empty()) => {
                let kind = self.described.filter(|_| !self.is_attached);
                let names = kind.map_or(&[][..], |kind| kind.item_names(&self.raw));
                What::List(ListChange::between(&old, &new, names))
            },
            _ => What::Value {
                old: self.side(old, new, self.milliseconds[0]),
                new: self.side(new, old, self.milliseconds[1]),
            },
        };
        self.add(what);
    }

    /// Whether the member is a flag that was and is `false`, which one side does not store.
    fn stays_false(&self, (old, new): Sides<'_>) -> bool {
        let is_false = |side: Option<Node<'_>>| side.is_none_or(|side| side.bool() == Some(false));
        let has_default = !self.is_attached && !self.is(|kind| kind.optional);
        self.is_update && has_default && is_false(old) && is_false(new)
    }

    /// Whether a member is an instant of which only the part that stands beside it changed.
    fn differs_in_milliseconds(&self, name: &str) -> bool {
        let [old, new] = self.milliseconds;
        let unit = self.described.filter(|_| old != new && self.raw.is_empty());
        let unit = unit.and_then(|kind| kind.time(name));
        matches!(unit, Some(Unit::SecondAnd(_)))
    }

    /// One side of a member, of which the other is given too. Defaults are not stored.
    fn side(
        &self,
        side: Option<Node<'n>>,
        other: Option<Node<'_>>,
        milliseconds: i64,
    ) -> Option<Shown<'n>> {
        if let Some(side) = side {
            let unit = self.described.and_then(|kind| kind.time(&self.raw));
            let time = unit.and_then(|unit| Shown::time(side, unit, milliseconds));
            return Some(time.unwrap_or(Shown::Stored(side)));
        }
        if !self.is_update || self.is_attached {
            return None;
        }
        if other.and_then(Node::bool).is_some() && !self.is(|kind| kind.optional) {
            return Some(Shown::Bool(false));
        }
        let number = self.described.and_then(|kind| kind.number(&self.raw));
        if let Some(number) = number.filter(|_| other.is_some_and(Node::is_number)) {
            return Some(Shown::Number(number));
        }
        let default = self.described.and_then(|kind| kind.default(&self.raw));
        Some(default.map_or(Shown::Null, Shown::Text))
    }

    /// Whether the member that is looked at is one of those.
    fn is(&self, those: fn(&Described) -> &[&str]) -> bool {
        self.described
            .is_some_and(|kind| those(kind).contains(&self.raw.as_str()))
    }

    /// Adds what is to be said of the member that is looked at.
    fn add(&mut self, what: What<'n>) {
        if self.is_attached && self.found.attached.len() == ATTACHED {
            self.found.more += 1;
            return;
        }
        // A value in the place of a level that the API does not have goes by its stored name.
        let path = if self.path.is_empty() {
            &self.raw
        } else {
            &self.path
        };
        let path = path.clone();
        let change = Change { path, what };
        if self.is_attached {
            self.found.attached.push(change);
        } else {
            self.found.own.push(change);
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

fn push(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Adds the name of a member, which is stored in `snake_case` and called otherwise by the API.
fn push_camel(path: &mut String, name: &str) {
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
