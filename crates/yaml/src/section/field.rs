//! Typed access to one value, with a diagnostic if it is invalid.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::location::SourceLocation;
use crate::node::{Node, NodeType, Value};
use crate::path::KeyPath;
use crate::section::{Section, join_alternatives};
use crate::syntax::{DurationError, GoDuration};

/// A value of a document with its path.
#[derive(Clone, Debug)]
pub struct Field<'tree> {
    node: &'tree Node,
    key_location: SourceLocation,
    path: KeyPath,
}

impl<'tree> Field<'tree> {
    pub(crate) fn new(node: &'tree Node, key_place: SourceLocation, path: KeyPath) -> Self {
        Self {
            node,
            key_location: key_place,
            path,
        }
    }

    pub fn node(&self) -> &'tree Node {
        self.node
    }

    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// The location of the value, or of the key if the value is empty.
    pub fn location(&self) -> SourceLocation {
        if self.node.location.span.start == self.node.location.span.end {
            self.key_location
        } else {
            self.node.location
        }
    }

    /// The location of the key, or of the list item.
    pub fn key_location(&self) -> SourceLocation {
        self.key_location
    }

    /// The value as a section, if it is a map.
    pub fn as_section(&self) -> Option<Section<'tree>> {
        let map = self.node.as_map()?;
        Some(Section::new(map, self.key_location, self.path.clone()))
    }

    /// The items, if the value is a list.
    pub fn items(&self) -> Option<Vec<Self>> {
        let items = self.node.as_list()?;
        Some(
            (0..items.len())
                .filter_map(|index| self.item(index))
                .collect(),
        )
    }

    /// The item at `index`, if the value is a list that has one.
    pub fn item(&self, index: usize) -> Option<Self> {
        let item = self.node.as_list()?.get(index)?;
        Some(Self::new(item, item.location, self.path.index(index)))
    }

    /// Reads a map.
    pub fn section(&self, diagnostics: &mut Diagnostics) -> Option<Section<'tree>> {
        match self.as_section() {
            Some(section) => Some(section),
            None => self.report_wrong_type(NodeType::Map, diagnostics),
        }
    }

    /// Reads a list.
    pub fn list(&self, diagnostics: &mut Diagnostics) -> Option<Vec<Self>> {
        match self.items() {
            Some(items) => Some(items),
            None => self.report_wrong_type(NodeType::List, diagnostics),
        }
    }

    /// Reads a string.
    pub fn string(&self, diagnostics: &mut Diagnostics) -> Option<&'tree str> {
        match self.node.as_str() {
            Some(text) => Some(text),
            None => self.report_wrong_type(NodeType::String, diagnostics),
        }
    }

    /// Reads a string that is not empty.
    pub fn non_empty(&self, diagnostics: &mut Diagnostics) -> Option<&'tree str> {
        let text = self.string(diagnostics)?;
        if text.trim().is_empty() {
            self.error(
                codes::INVALID_VALUE,
                format!("`{}` must not be empty", self.path),
                diagnostics,
            );
            return None;
        }
        Some(text)
    }

    /// Reads a boolean; the strings `true` and `false` in any case count too.
    ///
    /// OpenZiti accepts them because an expanded environment variable is always a string.
    pub fn boolean(&self, diagnostics: &mut Diagnostics) -> Option<bool> {
        match &self.node.value {
            Value::Bool(value) => Some(*value),
            Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
            Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
            _ => self.report_wrong_type(NodeType::Bool, diagnostics),
        }
    }

    /// Reads an integer within bounds.
    pub fn integer<T>(&self, bounds: RangeInclusive<T>, diagnostics: &mut Diagnostics) -> Option<T>
    where
        T: TryFrom<i128> + Into<i128> + Copy + Display,
    {
        let Some(value) = self.node.as_integer() else {
            return self.report_wrong_type(NodeType::Integer, diagnostics);
        };
        let (least, most) = (*bounds.start(), *bounds.end());
        let fits = (least.into()..=most.into()).contains(&value);
        let number = T::try_from(value).ok().filter(|_| fits);
        if number.is_none() {
            let message = format!("`{}` must be from {least} to {most}", self.path);
            self.error(codes::OUT_OF_RANGE, message, diagnostics);
        }
        number
    }

    /// Reads a number within bounds, with or without a fraction.
    pub fn number(
        &self,
        bounds: RangeInclusive<f64>,
        diagnostics: &mut Diagnostics,
    ) -> Option<f64> {
        let number = match self.node.value {
            Value::Float(number) => number,
            #[expect(
                clippy::cast_precision_loss,
                reason = "a number of more digits than these is not a setting"
            )]
            Value::Integer(number) => number as f64,
            _ => return self.report_wrong_type(NodeType::Float, diagnostics),
        };
        if bounds.contains(&number) {
            return Some(number);
        }
        let (least, most) = bounds.into_inner();
        let message = format!("`{}` must be from {least} to {most}", self.path);
        self.error(codes::OUT_OF_RANGE, message, diagnostics);
        None
    }

    /// Reads a duration in Go's notation.
    pub fn duration(&self, diagnostics: &mut Diagnostics) -> Option<GoDuration> {
        let text = match &self.node.value {
            Value::String(text) => text,
            Value::Integer(number) => {
                let help = format!("write the unit too, such as `{number}s` or `{number}ms`");
                self.duration_error(DurationError::MissingUnit, diagnostics)
                    .help(help);
                return None;
            },
            _ => return self.report_wrong_type(NodeType::String, diagnostics),
        };
        match text.parse() {
            Ok(duration) => Some(duration),
            Err(error) => {
                let diagnostic = self.duration_error(error, diagnostics);
                if diagnostic.help.is_none() {
                    diagnostic.help(
                        "write a number with a unit, such as `30s`, `5m`, `1h30m` or `500ms`",
                    );
                }
                None
            },
        }
    }

    /// Reads a string and parses it.
    pub fn parse<T>(&self, what: &str, form: &str, diagnostics: &mut Diagnostics) -> Option<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        let text = self.non_empty(diagnostics)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                let message = format!("`{text}` is not {what}: {error}");
                let diagnostic = self.error(codes::INVALID_VALUE, message, diagnostics);
                if diagnostic.help.is_none() {
                    diagnostic.help(format!("write it like `{form}`"));
                }
                None
            },
        }
    }

    /// Reads one of several keywords.
    pub fn one_of<T: Copy>(&self, words: &[(&str, T)], diagnostics: &mut Diagnostics) -> Option<T> {
        let text = self.string(diagnostics)?;
        let found = words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("`{}` must not be `{text}`", self.path);
            let help = match crate::nearest(text, names.iter().copied()) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("write {}", join_alternatives(&names)),
            };
            self.error(codes::INVALID_VALUE, message, diagnostics)
                .help(help);
        }
        found
    }

    /// Reports an error in the value. If the value came from the environment, the help says so.
    pub fn error<'list>(
        &self,
        code: &'static str,
        message: impl Into<String>,
        diagnostics: &'list mut Diagnostics,
    ) -> &'list mut Diagnostic {
        self.report(Severity::Error, code, message.into(), diagnostics)
    }

    /// Reports a warning about the value. If it came from the environment, the help says so.
    pub fn warning<'list>(
        &self,
        code: &'static str,
        message: impl Into<String>,
        diagnostics: &'list mut Diagnostics,
    ) -> &'list mut Diagnostic {
        self.report(Severity::Warning, code, message.into(), diagnostics)
    }

    fn report<'list>(
        &self,
        severity: Severity,
        code: &'static str,
        message: String,
        diagnostics: &'list mut Diagnostics,
    ) -> &'list mut Diagnostic {
        let mut diagnostic =
            Diagnostic::new(severity, code, self.path.clone(), self.location(), message);
        diagnostic.help = self.environment_note();
        diagnostics.push(diagnostic)
    }

    fn environment_note(&self) -> Option<String> {
        let variables = &self.node.variables;
        if let Some(unset) = variables.iter().find(|variable| !variable.is_set) {
            return Some(format!(
                "the environment variable `{}` is not set",
                unset.name
            ));
        }
        variables.first().map(|set| {
            format!(
                "the value comes from the environment variable `{}`",
                set.name
            )
        })
    }

    fn report_wrong_type<T>(&self, wanted: NodeType, diagnostics: &mut Diagnostics) -> Option<T> {
        let path = &self.path;
        if self.node.is_null() {
            self.error(
                codes::NO_VALUE,
                format!("`{path}` has no value"),
                diagnostics,
            )
            .help("give it a value or remove the key");
            return None;
        }
        let found = match self.node.text() {
            Some(text) if text.len() <= 40 => format!("{} (`{text}`)", self.node.node_type()),
            _ => self.node.node_type().to_string(),
        };
        let message = format!("`{path}` must be {wanted}, not {found}");
        let help = self.type_help(wanted);
        let diagnostic = self.error(codes::WRONG_TYPE, message, diagnostics);
        if let Some(help) = help {
            diagnostic.help(help);
        }
        None
    }

    fn type_help(&self, wanted: NodeType) -> Option<String> {
        if !self.node.variables.is_empty() {
            return Some("a value with an environment variable is always a string".to_owned());
        }
        let text = self.node.text()?;
        match (wanted, self.node.node_type()) {
            (NodeType::String, NodeType::Bool | NodeType::Integer | NodeType::Float) => Some(
                format!("write `\"{text}\"` in quotes, or YAML reads it as another type"),
            ),
            (NodeType::Bool | NodeType::Integer | NodeType::Float, NodeType::String) => {
                Some(format!(
                    "write {} without quotes",
                    if wanted == NodeType::Bool {
                        "`true` or `false`"
                    } else {
                        "a number"
                    }
                ))
            },
            (NodeType::List, NodeType::String) => {
                Some(format!("write `[{text}]`, or one item per line after `- `"))
            },
            _ => None,
        }
    }

    fn duration_error<'list>(
        &self,
        error: DurationError,
        diagnostics: &'list mut Diagnostics,
    ) -> &'list mut Diagnostic {
        let text = self.node.text().unwrap_or_default();
        self.error(
            codes::INVALID_VALUE,
            format!("`{text}` is not a duration: {error}"),
            diagnostics,
        )
    }
}
