//! State of the simulated loader of OpenZiti.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Diagnostic, Field, NodeType, Section, Severity};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::finding::{Effect, Finding, Stage, Verdict};
use crate::network::Sockets;
use crate::openziti::machine::Machine;
use crate::openziti::value;
use crate::place::{report_path, report_place};
use crate::table::{
    Key, KeyGroup, OnMistake, OpenZitiRule, OutOfBounds, ReadMode, Representation, ValueType,
};
use portcullis_key_table::{EffectiveConfig, Source};

/// Maximum number of findings; the first one decides the verdict.
const MAX_FINDINGS: usize = 1_000;

pub(super) struct Loader<'a> {
    pub(super) machine: &'a Machine<'a>,
    pub(super) stage: Stage,
    pub(super) findings: Vec<Finding>,
    pub(super) effective: EffectiveConfig,
    pub(super) sockets: Sockets,
}

impl<'a> Loader<'a> {
    pub(super) fn new(machine: &'a Machine<'a>) -> Self {
        Self {
            machine,
            stage: Stage::Load,
            findings: Vec::new(),
            effective: EffectiveConfig::default(),
            sockets: Sockets::default(),
        }
    }

    /// Stores defaults among the effective values.
    pub(super) fn with_defaults(mut self) -> Self {
        self.effective = EffectiveConfig::with_defaults();
        self
    }

    /// Adds a finding, unless an earlier stage fails on the same key or the finding is a duplicate.
    pub(super) fn push(&mut self, diagnostic: Diagnostic, verdict: Verdict) {
        if self.findings.len() >= MAX_FINDINGS {
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
        self.push(error_diagnostic(field, code, message), Verdict::Refuse);
    }

    pub(super) fn crash(
        &mut self,
        field: &Field<'_>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        self.push(error_diagnostic(field, code, message), Verdict::Crash);
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
            section.location(),
            message,
        );
        self.push(diagnostic, verdict);
    }

    /// Reports a value of the wrong type.
    pub(super) fn wrong_type(&mut self, field: &Field<'_>, wanted: &str, wrong: OnMistake) {
        let Some(verdict) = verdict(wrong) else {
            return;
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
            _ => format!(
                "`{}` must be {wanted}, not {}",
                field.path(),
                node.node_type()
            ),
        };
        self.push(error_diagnostic(field, codes::WRONG_TYPE, message), verdict);
    }

    /// Records an effective value from the file.
    pub(super) fn set_from_file(&mut self, path: String, value: Json, field: &Field<'_>) {
        self.effective
            .set(path, value, Source::from_node(field.node()));
    }

    /// Reads keys one after the other by their own rules and records their effective values.
    pub(super) fn keys(&mut self, section: Option<&Section<'_>>, keys: KeyGroup, prefix: &str) {
        for key in keys {
            self.key(section, key, prefix);
        }
    }

    /// Reads some keys of a group in the given order.
    pub(super) fn named(
        &mut self,
        section: Option<&Section<'_>>,
        group: KeyGroup,
        names: &[&str],
        prefix: &str,
    ) {
        for key in names.iter().filter_map(|name| row(group, name)) {
            self.key(section, key, prefix);
        }
    }

    /// Reads one key by its own rule and records its effective value.
    pub(super) fn key(&mut self, section: Option<&Section<'_>>, key: &Key, prefix: &str) {
        let rule = key.openziti;
        if rule.mode == ReadMode::Unread {
            return;
        }
        let field = section.and_then(|section| self.field(section, key));
        let path = || {
            let name = rule.effective_name.unwrap_or(key.name);
            if prefix.is_empty() {
                name.to_owned()
            } else {
                format!("{prefix}.{name}")
            }
        };
        if let (ReadMode::Section, ValueType::Map(groups)) = (rule.mode, key.value_type) {
            let nested = field.and_then(|field| self.section(&field, rule.on_wrong_type));
            for group in groups {
                self.keys(nested.as_ref(), group, &path());
            }
            return;
        }
        let read = field.and_then(|field| {
            let value = self.value(&field, key)?;
            Some((field, value))
        });
        match read {
            Some((field, value)) => self.set_from_file(path(), value, &field),
            None if self.effective.keeps_defaults() => {
                if let Some(value) = value::default(key) {
                    self.effective.set(path(), value, Source::Default);
                }
            },
            None => {},
        }
    }

    /// Finds a key, or reports that it is missing.
    fn field<'tree>(&mut self, section: &Section<'tree>, key: &Key) -> Option<Field<'tree>> {
        let field = section.get(key.name);
        if let (None, Some(verdict)) = (&field, verdict(key.openziti.on_missing)) {
            self.missing(section, key.name, verdict);
        }
        field
    }

    /// Reads a map, or reports the wrong type and returns `None`.
    pub(super) fn section<'tree>(
        &mut self,
        field: &Field<'tree>,
        wrong: OnMistake,
    ) -> Option<Section<'tree>> {
        let section = field.as_section();
        if section.is_none() {
            self.wrong_type(field, "a map", wrong);
        }
        section
    }

    /// Reads a list, or reports the wrong type and returns `None`.
    pub(super) fn list<'tree>(&mut self, field: &Field<'tree>) -> Option<Vec<Field<'tree>>> {
        let items = field.items();
        if items.is_none() {
            self.wrong_type(field, "a list", OnMistake::Refuse);
        }
        items
    }

    /// Reads a list of maps. Items that are no maps are reported and left out.
    pub(super) fn sections<'tree>(&mut self, field: &Field<'tree>) -> Vec<Section<'tree>> {
        let items = self.list(field).unwrap_or_default();
        items
            .iter()
            .filter_map(|item| self.section(item, OnMistake::Refuse))
            .collect()
    }

    /// Reads a string by the rule of its key, or reports a mistake and returns `None`.
    pub(super) fn string<'tree>(
        &mut self,
        section: &Section<'tree>,
        group: KeyGroup,
        name: &str,
    ) -> Option<(Field<'tree>, &'tree str)> {
        let key = row(group, name)?;
        let field = self.field(section, key)?;
        let text = self.string_value(&field, key)?;
        Some((field, text))
    }

    fn string_value<'tree>(&mut self, field: &Field<'tree>, key: &Key) -> Option<&'tree str> {
        let text = self.text(field, key.openziti.on_wrong_type)?;
        if text.is_empty() && key.openziti.refuses_empty {
            self.refuse(field, codes::INVALID_VALUE, "this must not be empty");
            return None;
        }
        Some(text)
    }

    /// Reads one value by the rule of its key; `None` if the default applies or a mistake was reported.
    pub(super) fn value(&mut self, field: &Field<'_>, key: &Key) -> Option<Json> {
        let node = field.node();
        let rule = key.openziti;
        let read = match rule.mode {
            ReadMode::Unread | ReadMode::Section => return None,
            ReadMode::Integer => return self.integer(field, key, value::integer(node)),
            ReadMode::WholeNumber => return self.integer(field, key, value::whole_number(node)),
            ReadMode::Float => value::float(node)
                .map(value::float_json)
                .ok_or("a number with a decimal point"),
            ReadMode::Number => value::number(node).map(value::float_json).ok_or("a number"),
            ReadMode::Bool => node.as_bool().map(Json::Bool).ok_or("a boolean"),
            ReadMode::LenientBool => Ok(Json::Bool(value::lenient_bool(node))),
            ReadMode::Duration => match node.as_str() {
                Some(text) => return self.duration(field, key, text),
                None => Err("a string with a duration"),
            },
            ReadMode::ScalarDuration => match value::duration_text(node) {
                Some(text) => return self.duration(field, key, &text),
                None => Err("a duration"),
            },
            ReadMode::DurationOrMilliseconds => match (node.as_str(), value::integer(node)) {
                (Some(text), _) => return self.duration(field, key, text),
                (None, Some(number)) => {
                    let nanoseconds = value::convert(number, Representation::Milliseconds);
                    return self.bounded_duration(field, key, nanoseconds);
                },
                (None, None) => Err("a duration or an integer"),
            },
            ReadMode::String => return self.string_value(field, key).map(|text| json!(text)),
        };
        read.map_err(|wanted| self.wrong_type(field, wanted, rule.on_wrong_type))
            .ok()
    }

    fn integer(&mut self, field: &Field<'_>, key: &Key, read: Option<i64>) -> Option<Json> {
        let rule = key.openziti;
        let Some(number) = read else {
            self.wrong_type(field, "an integer", rule.on_wrong_type);
            return None;
        };
        let converted = value::convert(number, rule.representation);
        let number = self.bounded(field, key, converted, &number.to_string())?;
        Some(value::render(number, rule.representation))
    }

    fn duration(&mut self, field: &Field<'_>, key: &Key, text: &str) -> Option<Json> {
        match text.parse::<GoDuration>() {
            Ok(duration) => self.bounded_duration(field, key, duration.nanoseconds()),
            Err(_) if key.openziti.on_wrong_type == OnMistake::Ignore => None,
            Err(error) => {
                self.report_duration(field, text, error);
                None
            },
        }
    }

    /// Parses a duration without a rule from the table, or reports a mistake and returns `None`.
    pub(super) fn parse_duration(&mut self, field: &Field<'_>, text: &str) -> Option<GoDuration> {
        match text.parse() {
            Ok(duration) => Some(duration),
            Err(error) => {
                self.report_duration(field, text, error);
                None
            },
        }
    }

    fn report_duration(
        &mut self,
        field: &Field<'_>,
        text: &str,
        error: portcullis_yaml::syntax::DurationError,
    ) {
        let message = format!("`{text}` is not a duration: {error}");
        self.refuse(field, codes::INVALID_VALUE, message);
    }

    fn bounded_duration(&mut self, field: &Field<'_>, key: &Key, number: i64) -> Option<Json> {
        let written = GoDuration::from_nanoseconds(number).to_string();
        let number = self.bounded(field, key, number, &written)?;
        Some(value::duration(number))
    }

    /// Applies the bounds of a key to a converted number; `None` if the default applies or the number
    /// was refused.
    fn bounded(&mut self, field: &Field<'_>, key: &Key, number: i64, written: &str) -> Option<i64> {
        let OpenZitiRule { mode, min, max, .. } = key.openziti;
        if (min..=max).contains(&number) {
            return Some(number);
        }
        match key.openziti.out_of_bounds {
            OutOfBounds::Clamp => return Some(number.clamp(min, max)),
            OutOfBounds::Default => return None,
            OutOfBounds::Refuse => {},
        }
        let is_integer = matches!(mode, ReadMode::Integer | ReadMode::WholeNumber);
        let bound = match (number < min, min) {
            (true, 1) if !is_integer => "longer than zero".to_owned(),
            (true, _) if !is_integer => {
                format!("at least {}", GoDuration::from_nanoseconds(min).brief())
            },
            (true, _) => format!("at least {min}"),
            (false, _) => format!("at most {max}"),
        };
        self.out_of_bounds(field, written, &bound);
        None
    }

    pub(super) fn out_of_bounds(&mut self, field: &Field<'_>, written: &str, bound: &str) {
        let message = format!("`{}` must be {bound}, not {written}", field.path());
        self.refuse(field, codes::OUT_OF_BOUNDS, message);
    }

    /// Reads a string, or reports the wrong type and returns `None`.
    pub(super) fn text<'tree>(
        &mut self,
        field: &Field<'tree>,
        wrong: OnMistake,
    ) -> Option<&'tree str> {
        let text = field.node().as_str();
        if text.is_none() {
            self.wrong_type(field, "a string", wrong);
        }
        text
    }

    /// Reads a list item; findings about it get its reported path.
    pub(super) fn item<T>(
        &mut self,
        list: &Field<'_>,
        item: &Field<'_>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let known = self.findings.len();
        let result = read(self);
        for finding in self.findings.iter_mut().skip(known) {
            finding.diagnostic.path = report_path(list, item);
        }
        result
    }

    /// Reads a string or a list of strings, or reports the wrong type and returns `None`.
    pub(super) fn texts(&mut self, field: &Field<'_>) -> Option<Vec<String>> {
        if let Some(text) = field.node().as_str() {
            return Some(vec![text.to_owned()]);
        }
        let Some(items) = field.items() else {
            self.wrong_type(field, "a string or a list of strings", OnMistake::Refuse);
            return None;
        };
        let mut texts = Vec::new();
        for item in &items {
            let text = self.item(field, item, |loader| loader.text(item, OnMistake::Refuse));
            texts.extend(text.map(str::to_owned));
        }
        (texts.len() == items.len()).then_some(texts)
    }
}

fn row(group: KeyGroup, name: &str) -> Option<&'static Key> {
    group.iter().find(|key| key.name == name)
}

fn verdict(effect: OnMistake) -> Option<Verdict> {
    match effect {
        OnMistake::Refuse => Some(Verdict::Refuse),
        OnMistake::Crash => Some(Verdict::Crash),
        OnMistake::Ignore => None,
    }
}

/// Returns a section that is ignored unless it is a map.
pub(super) fn section_if_map<'tree>(root: &Section<'tree>, name: &str) -> Option<Section<'tree>> {
    root.get(name)?.as_section()
}

fn error_diagnostic(
    field: &Field<'_>,
    code: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(
        Severity::Error,
        code,
        field.path().clone(),
        report_place(field),
        message,
    );
    if field.node().node_type() == NodeType::Null {
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
