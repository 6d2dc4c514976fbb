//! Probe of a decoder: the members that it accesses, and those that it requires.

use super::body::{get, parent, set};
use super::samples::sample;
use portcullis_api::decode::{Constraint, DecodeError, DecodeTrace, FieldAccess, JsonType};
use portcullis_api::describe::RequestDecoder;
use serde_json::{Value, json};

/// Maximum number of repairs of a body.
const MAX_REPAIRS: usize = 200;

/// A member that the decoder knows.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) access: FieldAccess,
    /// Whether the decoder refuses an enclosing object without it.
    pub(super) is_required: bool,
    /// An accepted body that has the member.
    accepted_body: Option<Value>,
}

/// Findings about a decoder.
pub(super) struct Probe {
    decoder: RequestDecoder,
    /// A member with a fixed value.
    pinned: Option<(String, Value)>,
    members: Vec<Member>,
    minimal_body: Option<Value>,
    /// Members that could not be described, as messages.
    pub(super) problems: Vec<String>,
}

impl Member {
    /// Whether it is inside another member.
    pub(super) fn is_nested(&self) -> bool {
        !parent(&self.access.path).is_empty()
    }
}

impl Probe {
    /// Probes a decoder with made-up bodies.
    pub(super) fn new(decoder: RequestDecoder, pinned: Option<(String, Value)>) -> Self {
        let mut probe = Self {
            decoder,
            pinned,
            members: Vec::new(),
            minimal_body: None,
            problems: Vec::new(),
        };
        probe.run();
        probe
    }

    /// The members in the order of access.
    pub(super) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.iter()
    }

    /// The paths of the members.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.members().map(|member| &*member.access.path)
    }

    /// Whether any body is accepted.
    pub(super) const fn is_accepted(&self) -> bool {
        self.minimal_body.is_some()
    }

    fn run(&mut self) {
        let mut body = if self.decoder.is_list {
            json!([{}])
        } else {
            json!({})
        };
        if let Some((path, value)) = &self.pinned {
            set(&mut body, path, value.clone());
        }
        self.minimal_body = self.repair(body);
        let Some(least) = self.minimal_body.clone() else {
            self.problems.push("no body was accepted".to_owned());
            return;
        };
        let mut place = 0;
        while let Some(asked) = self.members.get(place).map(|member| member.access.clone()) {
            self.probe_member(place, &asked, &least);
            place += 1;
        }
    }

    /// Finds out whether a member is required, and which values it refuses.
    fn probe_member(&mut self, index: usize, access: &FieldAccess, least: &Value) {
        let outer = self
            .members
            .iter()
            .find(|member| member.access.path == parent(&access.path));
        let base = match outer {
            Some(outer) => outer.accepted_body.clone(),
            None => Some(least.clone()),
        };
        let Some(base) = base else {
            return;
        };
        let is_required = get(&base, &access.path).is_some();
        let taken = if is_required {
            Some(base)
        } else {
            self.with_member(base, access, 0)
        };
        let narrowed = taken
            .as_ref()
            .map(|taken| self.narrow_constraints(access, taken));
        if taken.is_none() {
            let fault = format!("no value of {} was accepted", access.path);
            self.problems.push(fault);
        }
        if let Some(member) = self.members.get_mut(index) {
            member.is_required = is_required;
            member.accepted_body = taken;
            member.access.constraints = narrowed.unwrap_or_default();
        }
    }

    /// The body with the member added, repaired until it is accepted.
    fn with_member(
        &mut self,
        mut body: Value,
        access: &FieldAccess,
        attempt: usize,
    ) -> Option<Value> {
        set(&mut body, &access.path, sample(access, attempt)?);
        self.repair(body)
    }

    /// The constraints of a member, including those that the decoder does not record: whether a
    /// required string may be empty, and which of the recorded choices are refused.
    fn narrow_constraints(&mut self, access: &FieldAccess, taken: &Value) -> Vec<Constraint> {
        let mut rules = access.constraints.clone();
        if access.json_type != Some(JsonType::String) {
            return rules;
        }
        if let Some((path, word)) = &self.pinned
            && *path == access.path
        {
            for rule in &mut rules {
                if let Constraint::OneOf(words) = rule {
                    words.retain(|other| word == other);
                }
            }
            return rules;
        }
        let mut is_refused = |value: &str| {
            let mut body = taken.clone();
            set(&mut body, &access.path, value.into());
            let (outcome, last) = self.try_decode(&body);
            let culprit = outcome
                .err()
                .and_then(|error| self.offending_access(&error, last));
            culprit.is_some_and(|culprit| culprit.path == access.path)
        };
        let mut is_never_empty = is_refused("");
        for rule in &mut rules {
            match rule {
                Constraint::OneOf(words) => words.retain(|word| !is_refused(word)),
                Constraint::Length(length) if is_never_empty => {
                    *length = (*length.start()).max(1)..=*length.end();
                },
                _ => continue,
            }
            is_never_empty = false;
        }
        if is_never_empty
            && !rules
                .iter()
                .any(|rule| matches!(rule, Constraint::Format(_)))
        {
            rules.push(Constraint::Length(1..=usize::MAX));
        }
        rules
    }

    /// Adds or changes members of a body until it is accepted.
    fn repair(&mut self, mut body: Value) -> Option<Value> {
        let mut turns: Vec<(String, usize)> = Vec::new();
        for _try in 0..MAX_REPAIRS {
            let (outcome, asked) = self.try_decode(&body);
            let Err(error) = outcome else {
                return Some(body);
            };
            let culprit = self.offending_access(&error, asked)?;
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

    /// Decodes a body; returns the outcome and the last member that was accessed.
    fn try_decode(&mut self, body: &Value) -> (Result<(), DecodeError>, Option<FieldAccess>) {
        let trace = DecodeTrace::recording();
        let outcome = (self.decoder.decode)(body.to_string().as_bytes(), &trace);
        let all = trace.take();
        let last = all.iter().rfind(|asked| asked.json_type.is_some()).cloned();
        for asked in all.into_iter().filter(|asked| asked.json_type.is_some()) {
            if !self.paths().any(|known| known == asked.path) {
                self.members.push(Member {
                    access: asked,
                    is_required: false,
                    accepted_body: None,
                });
            }
        }
        (outcome, last)
    }

    /// The member that caused an error: the one that it names, or the last one accessed.
    fn offending_access(
        &self,
        error: &DecodeError,
        last: Option<FieldAccess>,
    ) -> Option<FieldAccess> {
        let DecodeError::Field(error) = error else {
            return last;
        };
        let mut path = &*error.field;
        loop {
            let known = self.members().find(|member| member.access.path == path);
            if let Some(known) = known {
                return Some(known.access.clone());
            }
            match path.rsplit_once('.') {
                Some((outer, _name)) => path = outer,
                None => return last,
            }
        }
    }
}
