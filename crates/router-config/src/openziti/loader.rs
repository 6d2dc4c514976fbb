//! What is known while the file is being read as OpenZiti does.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Diagnostic, Field, Kind, Section, Severity};
use serde_json::{Value as Json, json};

use crate::check::{path_in_list, place};
use crate::codes;
use crate::effective::{Effective, Source};
use crate::finding::{Effect, Finding, Stage, Verdict};
use crate::openziti::machine::Machine;
use crate::openziti::network::Sockets;
use crate::openziti::value;
use crate::table::{Group, Key, Read, Wrong};

/// Reasons that are kept; the first one decides.
const MOST: usize = 1_000;

pub(super) struct Loader<'a> {
    pub(super) machine: &'a Machine<'a>,
    pub(super) stage: Stage,
    pub(super) findings: Vec<Finding>,
    pub(super) effective: Effective,
    pub(super) sockets: Sockets,
}

impl<'a> Loader<'a> {
    pub(super) fn new(machine: &'a Machine<'a>) -> Self {
        Self {
            machine,
            stage: Stage::Load,
            findings: Vec::new(),
            effective: Effective::default(),
            sockets: Sockets::default(),
        }
    }

    /// Keeps defaults among the effective values.
    pub(super) fn with_defaults(mut self) -> Self {
        self.effective = Effective::complete();
        self
    }

    /// Adds a reason; a later stage says nothing about a key that an earlier one stumbles over, and a
    /// key that is read twice is told once.
    pub(super) fn push(&mut self, diagnostic: Diagnostic, verdict: Verdict) {
        if self.findings.len() >= MOST {
            return;
        }
        let stage = self.stage;
        let known = self.findings.iter().any(|finding| {
            finding.diagnostic.path == diagnostic.path
                && (finding.effect.is_some_and(|effect| effect.stage < stage)
                    || finding.diagnostic == diagnostic)
        });
        if !known {
            let effect = Some(Effect { verdict, stage });
            self.findings.push(Finding { diagnostic, effect });
        }
    }

    pub(super) fn refuse(
        &mut self,
        field: &Field<'_>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        self.push(about(field, code, message), Verdict::Refuse);
    }

    pub(super) fn crash(
        &mut self,
        field: &Field<'_>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        self.push(about(field, code, message), Verdict::Crash);
    }

    /// Reports that a key is missing.
    pub(super) fn missing(&mut self, section: &Section<'_>, name: &str, verdict: Verdict) {
        let message = if section.path().is_root() {
            format!("the file has no `{name}`")
        } else {
            format!("`{}` has no `{name}`", section.path())
        };
        let diagnostic = Diagnostic::new(
            Severity::Error,
            codes::MISSING_KEY,
            section.path().key(name),
            section.place(),
            message,
        );
        self.push(diagnostic, verdict);
    }

    /// Reports a value of a type that the key does not take.
    pub(super) fn wrong_type(&mut self, field: &Field<'_>, wanted: &str, wrong: Wrong) {
        let verdict = match wrong {
            Wrong::Refuse => Verdict::Refuse,
            Wrong::Crash => Verdict::Crash,
            Wrong::Ignore => return,
        };
        let node = field.node();
        let message = match node.as_integer() {
            Some(number) if wanted.ends_with("an integer") => {
                format!(
                    "`{}` must be at most {}, not {number}",
                    field.path(),
                    i64::MAX
                )
            },
            _ => format!("`{}` must be {wanted}, not {}", field.path(), node.kind()),
        };
        self.push(about(field, codes::WRONG_TYPE, message), verdict);
    }

    /// Notes an effective value that stands in the file.
    pub(super) fn given(&mut self, path: String, value: Json, field: &Field<'_>) {
        self.effective.set(path, value, Source::of(field.node()));
    }

    /// Reads keys one after the other by their own rules, and notes what holds.
    pub(super) fn keys(&mut self, section: Option<&Section<'_>>, keys: Group, prefix: &str) {
        for key in keys {
            self.key(section, key, prefix);
        }
    }

    /// Reads one key by its own rule, and notes what holds.
    pub(super) fn key(&mut self, section: Option<&Section<'_>>, key: &Key, prefix: &str) {
        if key.original.read == Read::Nothing {
            return;
        }
        let field = section.and_then(|section| section.get(key.name));
        let read = field.and_then(|field| {
            let value = self.value(&field, key)?;
            Some((field, value))
        });
        if read.is_none() && !self.effective.keeps_defaults() {
            return;
        }
        let path = format!("{prefix}.{}", key.original.name.unwrap_or(key.name));
        match read {
            Some((field, value)) => self.given(path, value, &field),
            None => {
                if let Some(value) = value::default(key) {
                    self.effective.set(path, value, Source::Default);
                }
            },
        }
    }

    /// Reads one value by the rule of its key; `None` when the default holds or the file is refused.
    pub(super) fn value(&mut self, field: &Field<'_>, key: &Key) -> Option<Json> {
        let node = field.node();
        let original = key.original;
        match original.read {
            Read::Nothing => None,
            Read::Integer | Read::Whole => {
                let number = if original.read == Read::Integer {
                    value::integer(node)
                } else {
                    value::whole(node)
                };
                let Some(number) = number else {
                    self.wrong_type(field, "an integer", original.wrong);
                    return None;
                };
                self.within(field, key, number, &number.to_string())?;
                Some(value::shown(number, original.shown))
            },
            Read::Float => {
                let number = value::float(node);
                if number.is_none() {
                    self.wrong_type(field, "a number with a decimal point", original.wrong);
                }
                number.map(value::float_json)
            },
            Read::Number => {
                let number = value::number(node);
                if number.is_none() {
                    self.wrong_type(field, "a number", original.wrong);
                }
                number.map(value::float_json)
            },
            Read::Bool => {
                let value = node.as_bool();
                if value.is_none() {
                    self.wrong_type(field, "a boolean", original.wrong);
                }
                value.map(Json::Bool)
            },
            Read::Truth => Some(Json::Bool(value::truth(node))),
            Read::Duration => {
                let Some(text) = node.as_str() else {
                    self.wrong_type(field, "a string with a duration", original.wrong);
                    return None;
                };
                self.duration(field, key, text)
            },
            Read::Printed => {
                if let Some(text) = value::printed(node) {
                    self.duration(field, key, &text)
                } else {
                    self.wrong_type(field, "a duration", original.wrong);
                    None
                }
            },
            Read::Text => {
                let text = node.as_str();
                if text.is_none() {
                    self.wrong_type(field, "a string", original.wrong);
                }
                text.map(|text| json!(text))
            },
        }
    }

    fn duration(&mut self, field: &Field<'_>, key: &Key, text: &str) -> Option<Json> {
        match text.parse::<GoDuration>() {
            Ok(duration) => {
                self.within(field, key, duration.nanoseconds(), &duration.to_string())?;
                Some(value::duration(duration.nanoseconds()))
            },
            Err(_) if key.original.wrong == Wrong::Ignore => None,
            Err(error) => {
                self.bad_duration(field, text, error);
                None
            },
        }
    }

    /// Reads a duration without a rule from the table; the error has been reported when it is `None`.
    pub(super) fn parse_duration(&mut self, field: &Field<'_>, text: &str) -> Option<GoDuration> {
        match text.parse() {
            Ok(duration) => Some(duration),
            Err(error) => {
                self.bad_duration(field, text, error);
                None
            },
        }
    }

    fn bad_duration(
        &mut self,
        field: &Field<'_>,
        text: &str,
        error: portcullis_yaml::syntax::DurationError,
    ) {
        let message = format!("`{text}` is not a duration: {error}");
        self.refuse(field, codes::INVALID_VALUE, message);
    }

    fn within(&mut self, field: &Field<'_>, key: &Key, number: i64, text: &str) -> Option<()> {
        let original = key.original;
        if (original.min..=original.max).contains(&number) {
            return Some(());
        }
        let bound = if number < original.min {
            format!("at least {}", original.min)
        } else {
            format!("at most {}", original.max)
        };
        self.out_of_bounds(field, text, &bound);
        None
    }

    pub(super) fn out_of_bounds(&mut self, field: &Field<'_>, written: &str, bound: &str) {
        let message = format!("`{}` must be {bound}, not {written}", field.path());
        self.refuse(field, codes::OUT_OF_BOUNDS, message);
    }

    /// Reads a string; the wrong type has been reported when it is `None`.
    pub(super) fn text<'tree>(&mut self, field: &Field<'tree>, wrong: Wrong) -> Option<&'tree str> {
        let text = field.node().as_str();
        if text.is_none() {
            self.wrong_type(field, "a string", wrong);
        }
        text
    }

    /// Reads a value in a list; what is reported about it gets its place there.
    pub(super) fn item<T>(
        &mut self,
        list: &Field<'_>,
        item: &Field<'_>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let known = self.findings.len();
        let result = read(self);
        for finding in self.findings.iter_mut().skip(known) {
            finding.diagnostic.path = path_in_list(list, item);
        }
        result
    }

    /// Reads a string, or a list of strings; the wrong type has been reported when it is `None`.
    pub(super) fn texts(&mut self, field: &Field<'_>) -> Option<Vec<String>> {
        if let Some(text) = field.node().as_str() {
            return Some(vec![text.to_owned()]);
        }
        let Some(items) = field.items() else {
            self.wrong_type(field, "a string or a list of strings", Wrong::Refuse);
            return None;
        };
        let mut texts = Vec::new();
        for item in &items {
            let text = self.item(field, item, |loader| loader.text(item, Wrong::Refuse));
            texts.extend(text.map(str::to_owned));
        }
        (texts.len() == items.len()).then_some(texts)
    }
}

/// Gives the keys of a section that is ignored unless it is a map.
pub(super) fn lenient_section<'tree>(root: &Section<'tree>, name: &str) -> Option<Section<'tree>> {
    root.get(name)?.as_section()
}

fn about(field: &Field<'_>, code: &'static str, message: impl Into<String>) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(
        Severity::Error,
        code,
        field.path().clone(),
        place(field),
        message,
    );
    if field.node().kind() == Kind::Null {
        diagnostic.help("give it a value or remove the key");
    }
    let unset = field
        .node()
        .variables
        .iter()
        .find(|variable| !variable.is_set);
    if let Some(unset) = unset {
        diagnostic.help(format!(
            "the environment variable `{}` is not set",
            unset.name
        ));
    }
    diagnostic
}
