//! State of the simulated loader of OpenZiti.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Diagnostic, Field, NodeType, Section, Severity};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::effective::{EffectiveConfig, Source};
use crate::finding::{Effect, Finding, Stage, Verdict};
use crate::network::Sockets;
use crate::openziti::machine::Machine;
use crate::openziti::value;
use crate::place::{report_path, report_place};
use crate::table::{Key, KeyGroup, OnWrongType, ReadMode};

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
    pub(super) fn wrong_type(&mut self, field: &Field<'_>, wanted: &str, wrong: OnWrongType) {
        let verdict = match wrong {
            OnWrongType::Refuse => Verdict::Refuse,
            OnWrongType::Crash => Verdict::Crash,
            OnWrongType::Ignore => return,
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

    /// Reads one key by its own rule and records its effective value.
    pub(super) fn key(&mut self, section: Option<&Section<'_>>, key: &Key, prefix: &str) {
        if key.openziti.mode == ReadMode::Unread {
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
        let path = format!(
            "{prefix}.{}",
            key.openziti.effective_name.unwrap_or(key.name)
        );
        match read {
            Some((field, value)) => self.set_from_file(path, value, &field),
            None => {
                if let Some(value) = value::default(key) {
                    self.effective.set(path, value, Source::Default);
                }
            },
        }
    }

    /// Reads one value by the rule of its key; `None` if the default applies or a mistake was reported.
    pub(super) fn value(&mut self, field: &Field<'_>, key: &Key) -> Option<Json> {
        let node = field.node();
        let original = key.openziti;
        match original.mode {
            ReadMode::Unread => None,
            ReadMode::Integer | ReadMode::WholeNumber => {
                let number = if original.mode == ReadMode::Integer {
                    value::integer(node)
                } else {
                    value::whole_number(node)
                };
                let Some(number) = number else {
                    self.wrong_type(field, "an integer", original.on_wrong_type);
                    return None;
                };
                self.check_bounds(field, key, number, &number.to_string())?;
                Some(value::represent(number, original.representation))
            },
            ReadMode::Float => {
                let number = value::float(node);
                if number.is_none() {
                    self.wrong_type(
                        field,
                        "a number with a decimal point",
                        original.on_wrong_type,
                    );
                }
                number.map(value::float_json)
            },
            ReadMode::Number => {
                let number = value::number(node);
                if number.is_none() {
                    self.wrong_type(field, "a number", original.on_wrong_type);
                }
                number.map(value::float_json)
            },
            ReadMode::Bool => {
                let value = node.as_bool();
                if value.is_none() {
                    self.wrong_type(field, "a boolean", original.on_wrong_type);
                }
                value.map(Json::Bool)
            },
            ReadMode::LenientBool => Some(Json::Bool(value::lenient_bool(node))),
            ReadMode::Duration => {
                let Some(text) = node.as_str() else {
                    self.wrong_type(field, "a string with a duration", original.on_wrong_type);
                    return None;
                };
                self.duration(field, key, text)
            },
            ReadMode::ScalarDuration => {
                if let Some(text) = value::duration_text(node) {
                    self.duration(field, key, &text)
                } else {
                    self.wrong_type(field, "a duration", original.on_wrong_type);
                    None
                }
            },
            ReadMode::String => {
                let text = node.as_str();
                if text.is_none() {
                    self.wrong_type(field, "a string", original.on_wrong_type);
                }
                text.map(|text| json!(text))
            },
        }
    }

    fn duration(&mut self, field: &Field<'_>, key: &Key, text: &str) -> Option<Json> {
        match text.parse::<GoDuration>() {
            Ok(duration) => {
                self.check_bounds(field, key, duration.nanoseconds(), &duration.to_string())?;
                Some(value::duration(duration.nanoseconds()))
            },
            Err(_) if key.openziti.on_wrong_type == OnWrongType::Ignore => None,
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

    fn check_bounds(
        &mut self,
        field: &Field<'_>,
        key: &Key,
        number: i64,
        text: &str,
    ) -> Option<()> {
        let original = key.openziti;
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

    /// Reads a string, or reports the wrong type and returns `None`.
    pub(super) fn text<'tree>(
        &mut self,
        field: &Field<'tree>,
        wrong: OnWrongType,
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
            self.wrong_type(field, "a string or a list of strings", OnWrongType::Refuse);
            return None;
        };
        let mut texts = Vec::new();
        for item in &items {
            let text = self.item(field, item, |loader| loader.text(item, OnWrongType::Refuse));
            texts.extend(text.map(str::to_owned));
        }
        (texts.len() == items.len()).then_some(texts)
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
