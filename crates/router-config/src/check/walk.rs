//! Walk over the tree along the table of keys.

use portcullis_yaml::{Diagnostic, Diagnostics, Field, KeyPath, Section, Severity};

use crate::check::{Fallback, help, scalar, unknown_keys};
use crate::codes;
use crate::place::report_place;
use crate::table::{Key, KeyGroup, KeyState, ROOT, ValueType};
use portcullis_key_table::{EffectiveConfig, Source};
use serde_json::Value as Json;

/// Sections whose defaults apply only if the section is present.
const ONLY_IF_PRESENT: [&str; 3] = ["csr", "edge", "transport"];

pub(super) struct Walker<'walk> {
    /// Unknown keys are warnings, not errors.
    pub(super) allow_unknown: bool,
    pub(super) fallback: Fallback,
    /// Number of unknown keys so far.
    pub(super) unknown_count: usize,
    /// Absent keys that unknown keys are probably misspellings of.
    pub(super) misspelled: Vec<KeyPath>,
    pub(super) diagnostics: &'walk mut Diagnostics,
    pub(super) effective: EffectiveConfig,
}

impl<'walk> Walker<'walk> {
    pub(super) fn new(
        allow_unknown: bool,
        effective: EffectiveConfig,
        diagnostics: &'walk mut Diagnostics,
    ) -> Self {
        Self {
            allow_unknown,
            fallback: Fallback::Nothing,
            unknown_count: 0,
            misspelled: Vec::new(),
            diagnostics,
            effective,
        }
    }

    pub(super) fn root(&mut self, section: &Section<'_>) {
        self.section(section, &[ROOT], "");
    }

    pub(super) fn section(
        &mut self,
        section: &Section<'_>,
        groups: &'static [KeyGroup],
        prefix: &str,
    ) {
        unknown_keys::report(self, section, groups);
        for key in groups.iter().flat_map(|group| group.iter()) {
            self.key(section, groups, key, prefix);
        }
    }

    fn key(
        &mut self,
        section: &Section<'_>,
        groups: &'static [KeyGroup],
        key: &'static Key,
        prefix: &str,
    ) {
        let field = section.get(key.name);
        let path = self.key_path(prefix, key.name);
        match (field, key.state) {
            (Some(field), KeyState::Alias(meant)) => {
                self.alias(section, &field, key, meant, prefix);
            },
            (None, KeyState::Alias(_)) => {},
            (Some(field), state) => {
                if !has_only_unknown_keys(&field, key.value_type) {
                    self.report_state(&field, state);
                }
                self.value(&field, key, &path);
            },
            (None, _) if key.required => {
                if !has_alias(section, groups, key.name) {
                    self.report_missing(section, key);
                }
            },
            (None, _) => self.set_default(key, &path),
        }
    }

    /// An alias: its value is that of the key that it stands for.
    fn alias(
        &mut self,
        section: &Section<'_>,
        field: &Field<'_>,
        key: &'static Key,
        meant: &'static str,
        prefix: &str,
    ) {
        if let Some(other) = find_field(section, meant) {
            if other.node().as_str() == field.node().as_str() {
                return;
            }
            let message = format!(
                "`{}` is not used, because `{meant}` is given too",
                field.path()
            );
            self.warn(field, codes::UNUSED_KEY, message)
                .help("remove one of the two");
            return;
        }
        let message = format!("OpenZiti does not know `{}` here", key.name);
        self.warn(field, codes::ONLY_HERE, message)
            .help(format!("write `{meant}`"));
        let path = self.key_path(prefix, meant);
        self.value(field, key, &path);
    }

    fn report_state(&mut self, field: &Field<'_>, state: KeyState) {
        match state {
            KeyState::Dead(why) => {
                let message = format!("`{}` has no effect: {why}", field.path());
                self.diagnostics.push(Diagnostic::new(
                    Severity::Note,
                    codes::DEAD_KEY,
                    field.path().clone(),
                    field.key_location(),
                    message,
                ));
            },
            KeyState::Deprecated(better) => {
                let message = format!("`{}` is an older spelling", field.path());
                self.diagnostics
                    .warning(
                        codes::DEPRECATED_KEY,
                        field.path(),
                        field.key_location(),
                        message,
                    )
                    .help(format!("write `{better}`"));
            },
            KeyState::Active | KeyState::Alias(_) => {},
        }
    }

    fn report_missing(&mut self, section: &Section<'_>, key: &Key) {
        section.report_missing(key.name, &help::example_of(key), self.diagnostics);
    }

    pub(super) fn value(&mut self, field: &Field<'_>, key: &'static Key, path: &str) {
        if field.node().is_null() && !matches!(key.value_type, ValueType::Any) {
            return self.report_no_value(field, key, path);
        }
        match key.value_type {
            ValueType::Map(groups) => {
                if let Some(section) = self.require_map(field) {
                    self.section(&section, groups, path);
                } else {
                    self.replace(field, key, path);
                }
            },
            ValueType::MapList(groups) => {
                for (index, item) in self.require_list(field).iter().enumerate() {
                    if let Some(section) = self.require_map(item) {
                        let path = self.item_path(path, index);
                        self.section(&section, groups, &path);
                    }
                }
            },
            ValueType::BindingList(variants) => {
                for (index, item) in self.require_list(field).iter().enumerate() {
                    if let Some(section) = self.require_map(item) {
                        let path = self.item_path(path, index);
                        self.section_by_binding(&section, variants, &path);
                    }
                }
            },
            _ => match scalar::check(self, field, key) {
                Some(value) => self.store(field, value, path),
                None => self.replace(field, key, path),
            },
        }
    }

    pub(super) fn store(&mut self, field: &Field<'_>, value: Json, path: &str) {
        if self.effective.keeps_defaults() {
            let source = Source::from_node(field.node());
            self.effective.set(path.to_owned(), value, source);
        }
    }

    /// A section without a value counts as absent; anything else is a mistake.
    fn report_no_value(&mut self, field: &Field<'_>, key: &'static Key, path: &str) {
        let message = format!("`{}` has no value", field.path());
        if matches!(key.value_type, ValueType::Map(_)) && !key.required {
            self.warn(
                field,
                codes::NO_VALUE,
                format!("{message} and is treated as absent"),
            )
            .help("remove the key; if it has keys below it, indent them");
            self.set_default(key, path);
        } else {
            let example = key
                .example
                .map(|example| format!(", such as `{}: {example}`,", key.name));
            self.error(field, codes::NO_VALUE, message).help(format!(
                "give it a value{} or remove the key",
                example.unwrap_or_default()
            ));
            self.replace(field, key, path);
        }
    }

    fn require_map<'tree>(&mut self, field: &Field<'tree>) -> Option<Section<'tree>> {
        let section = field.as_section();
        if section.is_none() {
            self.wrong_type(field, "a map of keys");
        }
        section
    }

    fn require_list<'tree>(&mut self, field: &Field<'tree>) -> Vec<Field<'tree>> {
        if let Some(items) = field.items() {
            items
        } else {
            let diagnostic = self.wrong_type(field, "a list");
            if field.node().as_map().is_some() {
                diagnostic.help("write `- ` before the first key and indent the others");
            }
            vec![]
        }
    }

    /// Path of a key among the effective values; empty if they are not stored.
    fn key_path(&self, prefix: &str, name: &str) -> String {
        if !self.effective.keeps_defaults() {
            String::new()
        } else if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        }
    }

    fn item_path(&self, path: &str, index: usize) -> String {
        if self.effective.keeps_defaults() {
            format!("{path}[{index}]")
        } else {
            String::new()
        }
    }

    /// Sets the default of an absent key, or the defaults of an absent section.
    pub(super) fn set_default(&mut self, key: &'static Key, path: &str) {
        if !self.effective.keeps_defaults() {
            return;
        }
        match key.value_type {
            ValueType::Map(groups)
                if !ONLY_IF_PRESENT.contains(&path) && !has_required_key(groups) =>
            {
                for key in groups.iter().flat_map(|group| group.iter()) {
                    let path = self.key_path(path, key.name);
                    self.set_default(key, &path);
                }
            },
            ValueType::Map(_) | ValueType::MapList(_) | ValueType::BindingList(_) => {},
            _ => {
                if let Some(value) = key
                    .default
                    .and_then(|text| scalar::parse_default(key.value_type, text))
                {
                    self.effective.set_default(path, value);
                }
            },
        }
    }

    pub(super) fn error(
        &mut self,
        field: &Field<'_>,
        code: &'static str,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.error_at(field.path(), field, code, message)
    }

    /// Reports a mistake in an item under the path of its list.
    pub(super) fn error_at(
        &mut self,
        path: &KeyPath,
        field: &Field<'_>,
        code: &'static str,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let diagnostic = self
            .diagnostics
            .error(code, path, report_place(field), message);
        diagnostic.help = variable_help(field);
        diagnostic
    }

    pub(super) fn warn(
        &mut self,
        field: &Field<'_>,
        code: &'static str,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.diagnostics
            .warning(code, field.path(), report_place(field), message)
    }

    pub(super) fn wrong_type(&mut self, field: &Field<'_>, wanted: &str) -> &mut Diagnostic {
        self.wrong_type_at(field.path(), field, wanted)
    }

    pub(super) fn wrong_type_at(
        &mut self,
        path: &KeyPath,
        field: &Field<'_>,
        wanted: &str,
    ) -> &mut Diagnostic {
        let node = field.node();
        let found = match node.text() {
            Some(text) if (1..=40).contains(&text.len()) => {
                format!("{} (`{text}`)", node.node_type())
            },
            _ => node.node_type().to_string(),
        };
        let message = format!("`{}` must be {wanted}, not {found}", field.path());
        let help = help::type_help(node, wanted);
        let diagnostic = self.error_at(path, field, codes::WRONG_TYPE, message);
        if let Some(help) = help {
            diagnostic.help(help);
        }
        diagnostic
    }
}

/// Names the environment variable that a value comes from.
fn variable_help(field: &Field<'_>) -> Option<String> {
    let variables = &field.node().variables;
    let variable = variables
        .iter()
        .find(|v| !v.is_set)
        .or_else(|| variables.first())?;
    let name = &variable.name;
    Some(if variable.is_set {
        format!("the value comes from the environment variable `{name}`")
    } else {
        format!("the environment variable `{name}` is not set")
    })
}

/// Finds the key that an alias stands for, here or in a section below.
fn find_field<'tree>(section: &Section<'tree>, meant: &str) -> Option<Field<'tree>> {
    match meant.split_once('.') {
        Some((name, rest)) => find_field(&section.get(name)?.as_section()?, rest),
        None => section.get(meant),
    }
}

/// Whether everything in a section is reported as unknown, because the section has no keys.
fn has_only_unknown_keys(field: &Field<'_>, kind: ValueType) -> bool {
    matches!(kind, ValueType::Map([])) && field.node().as_map().is_some_and(|map| !map.is_empty())
}

fn has_alias(section: &Section<'_>, groups: &'static [KeyGroup], name: &str) -> bool {
    let keys = groups.iter().flat_map(|group| group.iter());
    keys.filter(|key| matches!(key.state, KeyState::Alias(meant) if meant == name))
        .any(|key| section.get(key.name).is_some())
}

fn has_required_key(groups: &'static [KeyGroup]) -> bool {
    let mut keys = groups.iter().flat_map(|group| group.iter());
    keys.any(|key| key.required)
}
