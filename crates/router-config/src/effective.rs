//! The effective configuration: what holds once defaults are filled in.

use std::collections::BTreeMap;

use portcullis_yaml::{Node, Place};
use serde_json::Value;

/// Values that are kept: those of some thousand listeners. No router has more, a hostile file may.
const MOST: usize = 100_000;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It stands in the file.
    Given(Place),
    /// It stands in the file and names these environment variables.
    Environment(Place, Vec<String>),
    /// It is the default.
    Default,
}

/// One value and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The value; durations are strings in Go's notation.
    pub value: Value,
    /// Where it comes from.
    pub source: Source,
}

/// All values by the path of their key, at most a hundred thousand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effective {
    settings: BTreeMap<String, Setting>,
    /// Whether defaults are kept; most uses only need what is given.
    with_defaults: bool,
}

impl Source {
    /// Tells the source of a node.
    pub fn of(node: &Node) -> Self {
        let mut names = Vec::new();
        variables(node, &mut names);
        if names.is_empty() {
            Self::Given(node.place)
        } else {
            Self::Environment(node.place, names)
        }
    }
}

fn variables(node: &Node, names: &mut Vec<String>) {
    names.extend(node.variables.iter().map(|variable| variable.name.clone()));
    for item in node.as_list().unwrap_or_default() {
        variables(item, names);
    }
}

impl Effective {
    /// Finds a value by the path of its key.
    pub fn get(&self, path: &str) -> Option<&Setting> {
        self.settings.get(path)
    }

    /// Walks over all values in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.settings
            .iter()
            .map(|(path, setting)| (path.as_str(), setting))
    }

    /// Tells whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// Starts a collection that keeps defaults too.
    pub(crate) fn complete() -> Self {
        Self {
            with_defaults: true,
            ..Self::default()
        }
    }

    /// Tells whether defaults are kept.
    pub(crate) fn keeps_defaults(&self) -> bool {
        self.with_defaults
    }

    pub(crate) fn set(&mut self, path: String, value: Value, source: Source) {
        if self.settings.len() < MOST {
            self.settings.insert(path, Setting { value, source });
        }
    }

    /// Counts the entries of a list of sections.
    pub(crate) fn entries(&self, path: &str) -> usize {
        let start = format!("{path}[");
        let numbers = self.settings.range(start.clone()..).map_while(|(path, _)| {
            let (number, _) = path.strip_prefix(&start)?.split_once(']')?;
            number.parse::<usize>().ok()
        });
        numbers.max().map_or(0, |last| last + 1)
    }

    /// Forgets every value below a path.
    pub(crate) fn forget(&mut self, prefix: &str) {
        let below = |path: &String| {
            path.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        self.settings.retain(|path, _| !below(path));
    }

    pub(crate) fn fill(&mut self, path: &str, value: impl Into<Value>) {
        if self.with_defaults {
            self.set(path.to_owned(), value.into(), Source::Default);
        } else {
            self.settings.remove(path);
        }
    }
}
