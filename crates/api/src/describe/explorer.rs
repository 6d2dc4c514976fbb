//! Finding out what a reader asks for, and what it does not do without.

use super::body::{get, parent, set};
use super::samples::sample;
use crate::decode::{Asked, DecodeError, Rule, Shape, Watch};
use serde_json::{Value, json};

/// How often a body is mended before it is given up.
const PATIENCE: usize = 200;

/// Reads a body and tells what it asks for.
type Read = fn(&[u8], &Watch) -> Result<(), DecodeError>;

/// A member of a body, as far as it is known.
#[derive(Debug)]
pub(super) struct Member {
    /// What the reader asked for.
    pub(super) asked: Asked,
    /// Whether the reader refuses what lacks it, though it has what it lies in.
    pub(super) is_required: bool,
    /// A body with it that is taken.
    taken: Option<Value>,
}

/// What is known of a reader.
pub(super) struct Explorer {
    read: Read,
    is_list: bool,
    /// A member that keeps its value.
    pinned: Option<(String, Value)>,
    members: Vec<Member>,
    least: Option<Value>,
    /// What could not be found out.
    pub(super) faults: Vec<String>,
}

impl Member {
    /// Whether it lies in another member.
    pub(super) fn is_nested(&self) -> bool {
        !parent(&self.asked.path).is_empty()
    }
}

impl Explorer {
    /// Nothing is known yet.
    pub(super) fn new(read: Read, is_list: bool, pinned: Option<(String, Value)>) -> Self {
        Self {
            read,
            is_list,
            pinned,
            members: Vec::new(),
            least: None,
            faults: Vec::new(),
        }
    }

    /// Whether the body is a list.
    pub(super) const fn is_list(&self) -> bool {
        self.is_list
    }

    /// The members, in the order in which they are asked for.
    pub(super) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.iter()
    }

    /// Their paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.members().map(|member| &*member.asked.path)
    }

    /// Whether any body is taken.
    pub(super) const fn is_accepted(&self) -> bool {
        self.least.is_some()
    }

    /// Finds out everything.
    pub(super) fn explore(&mut self) {
        let mut body = if self.is_list { json!([{}]) } else { json!({}) };
        if let Some((path, value)) = &self.pinned {
            set(&mut body, path, value.clone());
        }
        self.least = self.mended(body);
        let Some(least) = self.least.clone() else {
            self.faults.push("no body was taken".to_owned());
            return;
        };
        let mut place = 0;
        while let Some(asked) = self.members.get(place).map(|member| member.asked.clone()) {
            self.examine(place, &asked, &least);
            place += 1;
        }
    }

    /// Finds out whether a member is required, and what it must not be.
    fn examine(&mut self, place: usize, asked: &Asked, least: &Value) {
        let outer = self
            .members
            .iter()
            .find(|member| member.asked.path == parent(&asked.path));
        let base = match outer {
            Some(outer) => outer.taken.clone(),
            None => Some(least.clone()),
        };
        let Some(base) = base else {
            return;
        };
        let is_required = get(&base, &asked.path).is_some();
        let taken = if is_required {
            Some(base)
        } else {
            self.with(base, asked, 0)
        };
        let narrowed = taken.as_ref().map(|taken| self.narrowed(asked, taken));
        if taken.is_none() {
            let fault = format!("no value of {} was taken", asked.path);
            self.faults.push(fault);
        }
        if let Some(member) = self.members.get_mut(place) {
            member.is_required = is_required;
            member.taken = taken;
            member.asked.rules = narrowed.unwrap_or_default();
        }
    }

    /// The body with the member, mended.
    fn with(&mut self, mut body: Value, asked: &Asked, turn: usize) -> Option<Value> {
        set(&mut body, &asked.path, sample(asked, turn)?);
        self.mended(body)
    }

    /// The rules of a member, of which those that the reader does not say are found out: whether a
    /// text that has to be there may be empty, and which of the words are refused all the same.
    fn narrowed(&mut self, asked: &Asked, taken: &Value) -> Vec<Rule> {
        let mut rules = asked.rules.clone();
        if asked.shape != Some(Shape::Text) {
            return rules;
        }
        if let Some((path, word)) = &self.pinned
            && *path == asked.path
        {
            for rule in &mut rules {
                if let Rule::OneOf(words) = rule {
                    words.retain(|other| word == other);
                }
            }
            return rules;
        }
        let mut is_refused = |value: &str| {
            let mut body = taken.clone();
            set(&mut body, &asked.path, value.into());
            let (outcome, last) = self.attempt(&body);
            let culprit = outcome.err().and_then(|error| self.culprit(&error, last));
            culprit.is_some_and(|culprit| culprit.path == asked.path)
        };
        let mut is_never_empty = is_refused("");
        for rule in &mut rules {
            match rule {
                Rule::OneOf(words) => words.retain(|word| !is_refused(word)),
                Rule::Length(length) if is_never_empty => {
                    *length = (*length.start()).max(1)..=*length.end();
                },
                _ => continue,
            }
            is_never_empty = false;
        }
        if is_never_empty && !rules.iter().any(|rule| matches!(rule, Rule::Format(_))) {
            rules.push(Rule::Length(1..=usize::MAX));
        }
        rules
    }

    /// Adds to a body what the reader demands until it is taken.
    fn mended(&mut self, mut body: Value) -> Option<Value> {
        let mut turns: Vec<(String, usize)> = Vec::new();
        for _try in 0..PATIENCE {
            let (outcome, asked) = self.attempt(&body);
            let Err(error) = outcome else {
                return Some(body);
            };
            let culprit = self.culprit(&error, asked)?;
            let is_there = get(&body, &culprit.path).is_some();
            if is_there
                && self
                    .pinned
                    .as_ref()
                    .is_some_and(|(path, _)| *path == culprit.path)
            {
                return None;
            }
            let turn = turns.iter_mut().find(|(path, _)| *path == culprit.path);
            let turn = match (turn, is_there) {
                (Some((_, turn)), _) => {
                    *turn += 1;
                    *turn
                },
                (None, is_there) => {
                    let turn = usize::from(is_there);
                    turns.push((culprit.path.clone(), turn));
                    turn
                },
            };
            set(&mut body, &culprit.path, sample(&culprit, turn)?);
        }
        None
    }

    /// Has a body read; tells what came of it, and the last member that was asked for.
    fn attempt(&mut self, body: &Value) -> (Result<(), DecodeError>, Option<Asked>) {
        let watch = Watch::default();
        let outcome = (self.read)(body.to_string().as_bytes(), &watch);
        let all = watch.take();
        let last = all.iter().rfind(|asked| asked.shape.is_some()).cloned();
        for asked in all.into_iter().filter(|asked| asked.shape.is_some()) {
            if !self.paths().any(|known| known == asked.path) {
                self.members.push(Member {
                    asked,
                    is_required: false,
                    taken: None,
                });
            }
        }
        (outcome, last)
    }

    /// The member that an error is about: the one that it names, or the last one asked for.
    fn culprit(&self, error: &DecodeError, last: Option<Asked>) -> Option<Asked> {
        let DecodeError::Field(error) = error else {
            return last;
        };
        let mut path = &*error.field;
        loop {
            let known = self.members().find(|member| member.asked.path == path);
            if let Some(known) = known {
                return Some(known.asked.clone());
            }
            match path.rsplit_once('.') {
                Some((outer, _name)) => path = outer,
                None => return last,
            }
        }
    }
}
