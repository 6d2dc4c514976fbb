//! Holding the tree against the table.

use portcullis_yaml::{Diagnostic, Diagnostics, Field, KeyPath, Section, Severity};

use crate::check::place::place;
use crate::check::{Options, help, scalar, unknown};
use crate::codes;
use crate::effective::{Effective, Source};
use crate::table::{Group, Key, Kind, ROOT, State};

/// Sections whose defaults hold only when they are there.
const ONLY_IF_PRESENT: [&str; 3] = ["csr", "edge", "transport"];

pub(super) struct Walker<'walk> {
    pub(super) options: Options,
    /// Unknown keys so far.
    pub(super) unknown: usize,
    /// Keys that are not there and that unknown keys probably stand for.
    pub(super) meant: Vec<KeyPath>,
    pub(super) diagnostics: &'walk mut Diagnostics,
    pub(super) effective: Effective,
}

impl<'walk> Walker<'walk> {
    pub(super) fn new(
        options: Options,
        effective: Effective,
        diagnostics: &'walk mut Diagnostics,
    ) -> Self {
        Self {
            options,
            unknown: 0,
            meant: Vec::new(),
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
        groups: &'static [Group],
        prefix: &str,
    ) {
        unknown::report(self, section, groups);
        for key in groups.iter().flat_map(|group| group.iter()) {
            self.key(section, groups, key, prefix);
        }
    }

    fn key(
        &mut self,
        section: &Section<'_>,
        groups: &'static [Group],
        key: &'static Key,
        prefix: &str,
    ) {
        let field = section.get(key.name);
        let path = self.join(prefix, key.name);
        match (field, key.state) {
            (Some(field), State::Alias(meant)) => {
                self.alias(section, &field, key, meant, prefix);
            },
            (None, State::Alias(_)) => {},
            (Some(field), state) => {
                if !has_only_unknown_keys(&field, key.kind) {
                    self.remark(&field, state);
                }
                self.value(&field, key, &path);
            },
            (None, _) if key.required => {
                if !has_alias(section, groups, key.name) {
                    self.missing(section, key);
                }
            },
            (None, _) => self.default(key, &path),
        }
    }

    /// Another spelling: its value is that of the key that is meant.
    fn alias(
        &mut self,
        section: &Section<'_>,
        field: &Field<'_>,
        key: &'static Key,
        meant: &'static str,
        prefix: &str,
    ) {
        if let Some(other) = follow(section, meant) {
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
        let path = self.join(prefix, meant);
        self.value(field, key, &path);
    }

    fn remark(&mut self, field: &Field<'_>, state: State) {
        match state {
            State::Dead(why) => {
                let message = format!("`{}` has no effect: {why}", field.path());
                self.diagnostics.push(Diagnostic::new(
                    Severity::Note,
                    codes::DEAD_KEY,
                    field.path().clone(),
                    field.key_place(),
                    message,
                ));
            },
            State::Deprecated(better) => {
                let message = format!("`{}` is an older spelling", field.path());
                self.diagnostics
                    .warning(
                        codes::DEPRECATED_KEY,
                        field.path(),
                        field.key_place(),
                        message,
                    )
                    .help(format!("write `{better}`"));
            },
            State::Live | State::Alias(_) => {},
        }
    }

    fn missing(&mut self, section: &Section<'_>, key: &Key) {
        section.report_missing(key.name, &help::sample(key), self.diagnostics);
    }

    pub(super) fn value(&mut self, field: &Field<'_>, key: &'static Key, path: &str) {
        if field.node().is_null() && !matches!(key.kind, Kind::Anything) {
            return self.no_value(field, key, path);
        }
        match key.kind {
            Kind::Map(groups) => {
                if let Some(section) = self.map(field) {
                    self.section(&section, groups, path);
                }
            },
            Kind::Maps(groups) => {
                for (index, item) in self.list(field).iter().enumerate() {
                    if let Some(section) = self.map(item) {
                        let path = self.item(path, index);
                        self.section(&section, groups, &path);
                    }
                }
            },
            Kind::Bindings(variants) => {
                for (index, item) in self.list(field).iter().enumerate() {
                    if let Some(section) = self.map(item) {
                        let path = self.item(path, index);
                        self.bound(&section, variants, &path);
                    }
                }
            },
            _ => {
                if let Some(value) = scalar::check(self, field, key)
                    && self.effective.keeps_defaults()
                {
                    self.effective
                        .set(path.to_owned(), value, Source::of(field.node()));
                }
            },
        }
    }

    /// A section without a value counts as absent; anything else is a mistake.
    fn no_value(&mut self, field: &Field<'_>, key: &'static Key, path: &str) {
        let message = format!("`{}` has no value", field.path());
        if matches!(key.kind, Kind::Map(_)) && !key.required {
            self.warn(
                field,
                codes::NO_VALUE,
                format!("{message} and is treated as absent"),
            )
            .help("remove the key; if it has keys below it, indent them");
            self.default(key, path);
        } else {
            let example = key
                .example
                .map(|example| format!(", such as `{}: {example}`,", key.name));
            self.error(field, codes::NO_VALUE, message).help(format!(
                "give it a value{} or remove the key",
                example.unwrap_or_default()
            ));
        }
    }

    fn map<'tree>(&mut self, field: &Field<'tree>) -> Option<Section<'tree>> {
        let section = field.as_section();
        if section.is_none() {
            self.wrong_type(field, "a map of keys");
        }
        section
    }

    fn list<'tree>(&mut self, field: &Field<'tree>) -> Vec<Field<'tree>> {
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

    /// Names a key for the effective values, which most uses do not keep.
    fn join(&self, prefix: &str, name: &str) -> String {
        if !self.effective.keeps_defaults() {
            String::new()
        } else if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        }
    }

    fn item(&self, path: &str, index: usize) -> String {
        if self.effective.keeps_defaults() {
            format!("{path}[{index}]")
        } else {
            String::new()
        }
    }

    /// Notes the default of a key that is not there, or the defaults of a whole section.
    fn default(&mut self, key: &'static Key, path: &str) {
        if !self.effective.keeps_defaults() {
            return;
        }
        match key.kind {
            Kind::Map(groups) if !ONLY_IF_PRESENT.contains(&path) && !needs_something(groups) => {
                for key in groups.iter().flat_map(|group| group.iter()) {
                    let path = self.join(path, key.name);
                    self.default(key, &path);
                }
            },
            Kind::Map(_) | Kind::Maps(_) | Kind::Bindings(_) => {},
            _ => {
                if let Some(value) = key.default.and_then(|text| scalar::default(key.kind, text)) {
                    self.effective.fill(path, value);
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
        let diagnostic = self.diagnostics.error(code, path, place(field), message);
        diagnostic.help = origin(field);
        diagnostic
    }

    pub(super) fn warn(
        &mut self,
        field: &Field<'_>,
        code: &'static str,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.diagnostics
            .warning(code, field.path(), place(field), message)
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
            Some(text) if (1..=40).contains(&text.len()) => format!("{} (`{text}`)", node.kind()),
            _ => node.kind().to_string(),
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

/// Says which environment variable a value comes from.
fn origin(field: &Field<'_>) -> Option<String> {
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

/// Finds the key that another spelling stands for, here or in a section below.
fn follow<'tree>(section: &Section<'tree>, meant: &str) -> Option<Field<'tree>> {
    match meant.split_once('.') {
        Some((name, rest)) => follow(&section.get(name)?.as_section()?, rest),
        None => section.get(meant),
    }
}

/// Tells whether everything in a section is reported by itself, because it has no keys.
fn has_only_unknown_keys(field: &Field<'_>, kind: Kind) -> bool {
    matches!(kind, Kind::Map([])) && field.node().as_map().is_some_and(|map| !map.is_empty())
}

fn has_alias(section: &Section<'_>, groups: &'static [Group], name: &str) -> bool {
    let keys = groups.iter().flat_map(|group| group.iter());
    keys.filter(|key| matches!(key.state, State::Alias(meant) if meant == name))
        .any(|key| section.get(key.name).is_some())
}

fn needs_something(groups: &'static [Group]) -> bool {
    let mut keys = groups.iter().flat_map(|group| group.iter());
    keys.any(|key| key.required)
}
