//! Effective configuration: all values with defaults filled in, each with its source.

use std::collections::BTreeMap;

use portcullis_yaml::{Node, SourceLocation};
use serde_json::Value;

/// Upper bound on stored values, enough for some thousand listeners; a hostile file may have more.
const MAX_SETTINGS: usize = 100_000;

/// Source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Position in the file.
    File(SourceLocation),
    /// Position in the file of a value that uses these environment variables.
    Environment(SourceLocation, Vec<String>),
    Default,
    /// It follows from other values; the text says how.
    Derived(String),
}

/// A value and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The value; durations are strings in Go's notation.
    pub value: Value,
    pub source: Source,
}

/// All values by the path of their key, at most a hundred thousand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectiveConfig {
    settings: BTreeMap<String, Setting>,
    /// Whether defaults are stored; most uses only need the values from the file.
    with_defaults: bool,
    /// Names of the files in the order of their sources, if there are several.
    files: Vec<String>,
}

impl Source {
    /// The source of a value of the file.
    pub fn from_node(node: &Node) -> Self {
        let mut names = Vec::new();
        collect_variables(node, &mut names);
        if names.is_empty() {
            Self::File(node.location)
        } else {
            Self::Environment(node.location, names)
        }
    }
}

fn collect_variables(node: &Node, names: &mut Vec<String>) {
    names.extend(node.variables.iter().map(|variable| variable.name.clone()));
    for item in node.as_list().unwrap_or_default() {
        collect_variables(item, names);
    }
}

impl EffectiveConfig {
    /// Returns a value by the path of its key.
    pub fn get(&self, path: &str) -> Option<&Setting> {
        self.settings.get(path)
    }

    /// Walks over all values in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.settings
            .iter()
            .map(|(path, setting)| (path.as_str(), setting))
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// Creates an empty configuration that stores defaults too.
    pub fn with_defaults() -> Self {
        Self {
            with_defaults: true,
            ..Self::default()
        }
    }

    /// Names the files in the order of their sources. If there are several, the source of a value tells
    /// which of them it is in.
    #[must_use]
    pub fn with_files(mut self, names: Vec<String>) -> Self {
        self.files = names;
        self
    }

    /// The name of the file that a value is in, if there are several.
    pub(crate) fn file_of(&self, place: SourceLocation) -> Option<&str> {
        let several = (self.files.len() > 1).then_some(&self.files)?;
        several.get(usize::from(place.source.0)).map(String::as_str)
    }

    /// Whether defaults are stored too.
    pub fn keeps_defaults(&self) -> bool {
        self.with_defaults
    }

    /// Stores a value.
    pub fn set(&mut self, path: String, value: Value, source: Source) {
        if self.settings.len() < MAX_SETTINGS {
            self.settings.insert(path, Setting { value, source });
        }
    }

    /// Counts the entries of a list of sections.
    pub fn list_len(&self, path: &str) -> usize {
        let start = format!("{path}[");
        let numbers = self.settings.range(start.clone()..).map_while(|(path, _)| {
            let (number, _) = path.strip_prefix(&start)?.split_once(']')?;
            number.parse::<usize>().ok()
        });
        numbers.max().map_or(0, |last| last + 1)
    }

    /// Removes a value.
    pub fn remove(&mut self, path: &str) {
        self.settings.remove(path);
    }

    /// Removes every value below a path.
    pub fn remove_below(&mut self, prefix: &str) {
        let below = |path: &String| {
            path.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        self.settings.retain(|path, _| !below(path));
    }

    /// Stores a default, or removes the value if defaults are not stored.
    pub fn set_default(&mut self, path: &str, value: impl Into<Value>) {
        if self.with_defaults {
            self.set(path.to_owned(), value.into(), Source::Default);
        } else {
            self.settings.remove(path);
        }
    }
}
