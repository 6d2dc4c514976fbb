//! The configuration, nested like its file.

use std::path::Path;

use portcullis_router_config::EffectiveConfig;
use serde_json::{Map, Value as Json};

/// What the file sets, without secrets, and its path as `@file`.
pub(super) fn shown(config: &EffectiveConfig, file: &Path) -> Json {
    let mut root = Json::Object(Map::new());
    if let Json::Object(settings) = config.to_json() {
        for (path, mut setting) in settings {
            let is_default = setting
                .get("source")
                .is_some_and(|source| source == "default");
            if let Some(value) = setting.get_mut("value").filter(|_| !is_default) {
                put(&mut root, &steps(&path), value.take());
            }
        }
    }
    let file = file.display().to_string();
    put(&mut root, &[Step::Key("@file")], file.into());
    root
}

/// A part of a key such as `link.listeners[0].bind`.
enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let mut parts = part.split('[');
        steps.extend(parts.next().map(Step::Key));
        let items = parts.filter_map(|index| index.trim_end_matches(']').parse().ok());
        steps.extend(items.map(Step::Item));
    }
    steps
}

/// Puts a value in its place, which is made.
fn put(within: &mut Json, steps: &[Step<'_>], value: Json) {
    match steps {
        [] => *within = value,
        [Step::Key(name), rest @ ..] => {
            if !within.is_object() {
                *within = Json::Object(Map::new());
            }
            if let Json::Object(members) = within {
                put(members.entry(*name).or_insert(Json::Null), rest, value);
            }
        },
        [Step::Item(index), rest @ ..] => {
            if !within.is_array() {
                *within = Json::Array(Vec::new());
            }
            if let Json::Array(items) = within {
                items.resize(items.len().max(index + 1), Json::Null);
                if let Some(item) = items.get_mut(*index) {
                    put(item, rest, value);
                }
            }
        },
    }
}
