//! What differs between two forms of a record.

use super::described::{Described, is_said_anyhow};
use super::node::{Member, Node};
use super::shown::{ListChange, Shown, name};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::borrow::Cow;
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
        before: Option<&'n Node<'n>>,
        after: Option<&'n Node<'n>>,
        described: Option<&'n Described>,
    ) -> Self {
        let mut comparison = Comparison {
            described,
            is_update: before.is_some() && after.is_some(),
            is_attached: false,
            raw: String::new(),
            path: String::new(),
            found: Self::default(),
        };
        comparison.objects(members(before), members(after));
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
type Sides<'n> = (Option<&'n Node<'n>>, Option<&'n Node<'n>>);

struct Comparison<'n> {
    described: Option<&'n Described>,
    is_update: bool,
    /// Whether it is about what users attach.
    is_attached: bool,
    /// Path of the member that is looked at, as it is stored and in the words of the API.
    raw: String,
    path: String,
    found: Difference<'n>,
}

impl<'n> Comparison<'n> {
    fn objects(&mut self, mut old: &'n [Member<'n>], mut new: &'n [Member<'n>]) {
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
                let value = |(_, value): &'n Member<'n>| value;
                self.member(name, (before.map(value), after.map(value)));
            }
        }
    }

    fn member(&mut self, name: &'n str, sides: Sides<'n>) {
        if sides.0 == sides.1 {
            return;
        }
        if self.raw.is_empty() {
            if is_said_anyhow(name) {
                self.found.is_touched |= name == "updated_at";
                return;
            }
            if self.described.is_some_and(|kind| kind.wrapper == name) {
                self.objects(members(sides.0), members(sides.1));
                return;
            }
        }
        let (raw, path, was_attached) = (self.raw.len(), self.path.clone(), self.is_attached);
        self.enter(name);
        self.entered(sides);
        self.raw.truncate(raw);
        self.path = path;
        self.is_attached = was_attached;
    }

    /// Goes on to a member of what is looked at.
    fn enter(&mut self, member: &str) {
        push(&mut self.raw, member);
        if self.is_attached {
            push(&mut self.path, &name(member));
            return;
        }
        let raw = self.raw.as_str();
        let renamed = self.described.and_then(|kind| kind.api_name(raw));
        match renamed {
            Some(renamed) => renamed.clone_into(&mut self.path),
            None => push_camel(&mut self.path, member),
        }
        self.is_attached = self
            .described
            .is_some_and(|kind| raw == "tags" || kind.attached.contains(&raw));
    }

    fn entered(&mut self, (old, new): Sides<'n>) {
        let raw = self.raw.as_str();
        if self
            .described
            .is_some_and(|kind| kind.silent.contains(&raw))
        {
            return;
        }
        if self.described.is_none_or(|kind| kind.secret.contains(&raw)) {
            self.add(What::Secret);
            return;
        }
        let is_object = |side: Option<&Node<'_>>| matches!(side, Some(Node::Object(_)));
        if !is_object(old) && !is_object(new) {
            self.leaf((old, new));
            return;
        }
        self.objects(members(old), members(new));
        // Where an object takes the place of something else, both are told.
        let other = |side: Option<&'n Node<'n>>| side.filter(|side| side.members().is_none());
        if other(old).is_some() || other(new).is_some() {
            self.leaf((other(old), other(new)));
        }
    }

    fn leaf(&mut self, (old, new): Sides<'n>) {
        let what = match (old, new) {
            (Some(Node::List(old)), Some(Node::List(new))) => {
                What::List(ListChange::between(old, new))
            },
            (Some(Node::List(old)), None) => What::List(ListChange::between(old, &[])),
            (None, Some(Node::List(new))) => What::List(ListChange::between(&[], new)),
            (old, new) => What::Value {
                old: self.side(old, new),
                new: self.side(new, old),
            },
        };
        self.add(what);
    }

    /// One side of a member, of which the other is given too. Defaults are not stored.
    fn side(&self, side: Option<&'n Node<'n>>, other: Option<&Node<'_>>) -> Option<Shown<'n>> {
        if let Some(side) = side {
            return Some(Shown(Cow::Borrowed(side)));
        }
        let has_default = self.is_update && !self.is_attached;
        let default = || match other {
            Some(Node::Bool(other)) => Node::Bool(!other),
            Some(Node::Number(_)) if self.is_zero_by_default() => Node::Number(0.into()),
            _ => self
                .described
                .and_then(|kind| kind.default(&self.raw))
                .map_or(Node::Null, |text| Node::Text(Cow::Borrowed(text))),
        };
        has_default.then(|| Shown(Cow::Owned(default())))
    }

    fn is_zero_by_default(&self) -> bool {
        self.described
            .is_some_and(|kind| kind.zero.contains(&self.raw.as_str()))
    }

    /// Adds what is to be said of the member that is looked at, and is done with it.
    fn add(&mut self, what: What<'n>) {
        if self.is_attached && self.found.attached.len() == ATTACHED {
            self.found.more += 1;
            return;
        }
        let path = std::mem::take(&mut self.path);
        // A value in the place of a level that the API does not have goes by its stored name.
        let path = if path.is_empty() {
            self.raw.clone()
        } else {
            path
        };
        let change = Change { path, what };
        if self.is_attached {
            self.found.attached.push(change);
        } else {
            self.found.own.push(change);
        }
    }
}

fn members<'n>(side: Option<&'n Node<'n>>) -> &'n [Member<'n>] {
    side.and_then(Node::members).unwrap_or_default()
}

fn next<'n>(members: &mut &'n [Member<'n>]) -> Option<&'n Member<'n>> {
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
