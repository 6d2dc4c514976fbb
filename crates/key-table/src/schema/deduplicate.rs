//! Deduplication of repeated sections of the schema.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};

/// Minimum length of a section that is worth a definition, in bytes of JSON.
const MIN_SHARED_LEN: usize = 1_000;

/// Moves every longer section that occurs several times to `$defs` and replaces it with a `$ref`.
pub(super) fn deduplicate_sections(schema: &mut Json) {
    let mut occurrences = HashMap::new();
    count_occurrences(schema, &mut occurrences);
    let mut shared = SectionDeduplicator {
        occurrences,
        names: HashMap::new(),
        definitions: Map::new(),
    };
    shared.replace(schema);
    if let Json::Object(object) = schema {
        object.insert("$defs".to_owned(), Json::Object(shared.definitions));
    }
}

fn is_section(value: &Json) -> bool {
    value.get("properties").is_some()
}

fn children(value: &Json) -> Vec<&Json> {
    match value {
        Json::Object(object) => object.values().collect(),
        Json::Array(items) => items.iter().collect(),
        _ => vec![],
    }
}

fn count_occurrences(value: &Json, occurrences: &mut HashMap<String, usize>) {
    if is_section(value) {
        *occurrences.entry(value.to_string()).or_default() += 1;
    }
    for child in children(value) {
        count_occurrences(child, occurrences);
    }
}

struct SectionDeduplicator {
    /// Number of occurrences by the text of the section.
    occurrences: HashMap<String, usize>,
    /// Names of the moved sections by their text.
    names: HashMap<String, String>,
    definitions: Map<String, Json>,
}

impl SectionDeduplicator {
    fn replace(&mut self, value: &mut Json) {
        match value {
            Json::Object(object) => {
                for (key, child) in object.iter_mut() {
                    self.replace_one(key, child);
                }
            },
            Json::Array(items) => {
                for item in items {
                    self.replace_one("entry", item);
                }
            },
            _ => {},
        }
    }

    fn replace_one(&mut self, key: &str, child: &mut Json) {
        let text = if is_section(child) {
            child.to_string()
        } else {
            String::new()
        };
        if text.len() < MIN_SHARED_LEN || self.occurrences.get(&text).is_none_or(|count| *count < 2)
        {
            return self.replace(child);
        }
        if !self.names.contains_key(&text) {
            let name = format!("{key}{}", self.definitions.len() + 1);
            self.definitions.insert(name.clone(), child.clone());
            self.names.insert(text.clone(), name);
        }
        if let Some(name) = self.names.get(&text) {
            *child = json!({ "$ref": format!("#/$defs/{name}") });
        }
    }
}
