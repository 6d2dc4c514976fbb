//! Effective values as JSON and YAML.

use portcullis_yaml::{Segment, SourceLocation, is_base64_key, is_secret_name, redact_secrets};
use serde_json::{Value as Json, json};

use crate::effective::{EffectiveConfig, Setting, Source};

const REDACTED_KEY: &str = "pem: (a private key)";

impl EffectiveConfig {
    /// Renders all values by the path of their key, each with its source. Private keys and passwords
    /// in the file are redacted.
    pub fn to_json(&self) -> Json {
        let entry =
            |(path, setting): (&str, &Setting)| (path.to_owned(), self.setting_json(path, setting));
        Json::Object(self.iter().map(entry).collect())
    }

    /// Renders all values as YAML, nested like the file, with the source of each in a comment.
    /// Private keys and passwords in the file are redacted.
    pub fn to_yaml(&self) -> String {
        let mut settings: Vec<(Vec<Segment>, &Setting)> = self
            .iter()
            .map(|(path, setting)| (segments(path), setting))
            .collect();
        // The tenth item of a list comes after the second.
        settings.sort_by(|(left, _), (right, _)| left.cmp(right));
        let mut writer = YamlWriter::default();
        for (steps, setting) in settings {
            writer.setting(&steps, &setting.value, &self.source_text(&setting.source));
        }
        writer.text
    }

    /// What the files set, nested like them, without defaults and derived values. Private keys and passwords in
    /// the files are redacted.
    pub fn to_nested_json(&self) -> Json {
        let mut root = json!({});
        for (path, setting) in self.iter() {
            if matches!(setting.source, Source::File(_) | Source::Environment(..)) {
                let steps = segments(path);
                put(&mut root, &steps, redacted(&steps, &setting.value));
            }
        }
        root
    }

    fn source_text(&self, source: &Source) -> String {
        match source {
            Source::File(place) => self.place_text(*place),
            Source::Environment(place, names) => {
                format!(
                    "{}, environment {}",
                    self.place_text(*place),
                    names.join(", ")
                )
            },
            Source::Default => "default".to_owned(),
            Source::Derived(how) => how.clone(),
        }
    }

    fn place_text(&self, place: SourceLocation) -> String {
        match self.file_of(place) {
            Some(file) => format!("line {} of {file}", place.line),
            None => format!("line {}", place.line),
        }
    }

    fn setting_json(&self, path: &str, setting: &Setting) -> Json {
        let value = redacted(&segments(path), &setting.value);
        let (mut record, place) = match &setting.source {
            Source::Default => (json!({ "value": value, "source": "default" }), None),
            Source::Derived(how) => (
                json!({ "value": value, "source": "derived", "how": how }),
                None,
            ),
            Source::File(place) => {
                let record = json!({ "value": value, "source": "file", "line": place.line });
                (record, Some(*place))
            },
            Source::Environment(place, names) => {
                let record = json!({
                    "value": value,
                    "source": "environment",
                    "line": place.line,
                    "variables": names,
                });
                (record, Some(*place))
            },
        };
        if let (Some(file), Json::Object(members)) =
            (place.and_then(|place| self.file_of(place)), &mut record)
        {
            members.insert("file".to_owned(), json!(file));
        }
        record
    }
}

/// Writer of nested YAML lines.
#[derive(Default)]
struct YamlWriter {
    text: String,
    /// Maps and items that contain the last line.
    open: Vec<Segment>,
    /// Whether an item of a list begins with the next line.
    begins_item: bool,
}

impl YamlWriter {
    /// Writes a value with its source as a comment.
    fn setting(&mut self, steps: &[Segment], value: &Json, source: &str) {
        let Some((last, way)) = steps.split_last() else {
            return;
        };
        let pairs = self.open.iter().zip(way);
        let same = pairs.take_while(|(left, right)| left == right).count();
        self.open.truncate(same);
        for step in way.iter().skip(same) {
            self.step(step, None);
            self.open.push(step.clone());
        }
        let comment = source.replace(char::is_control, " ");
        let value = redacted(steps, value);
        self.step(last, Some(&format!("{value} # {comment}")));
    }

    fn step(&mut self, step: &Segment, value: Option<&str>) {
        let value = value.unwrap_or_default();
        match step {
            Segment::Key(name) => self.line(format!("{name}: {value}").trim_end()),
            Segment::Index(_) if value.is_empty() => self.begins_item = true,
            Segment::Index(_) => self.line(&format!("- {value}")),
        }
    }

    fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.open.len());
        match indent.strip_suffix("  ") {
            Some(indent) if self.begins_item => {
                self.text.push_str(indent);
                self.text.push_str("- ");
            },
            _ => self.text.push_str(&indent),
        }
        self.begins_item = false;
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// Puts a value in its place, which is made.
fn put(within: &mut Json, steps: &[Segment], value: Json) {
    match steps {
        [] => *within = value,
        [Segment::Key(name), rest @ ..] => {
            if !within.is_object() {
                *within = json!({});
            }
            if let Json::Object(members) = within {
                put(
                    members.entry(unquoted(name)).or_insert(Json::Null),
                    rest,
                    value,
                );
            }
        },
        [Segment::Index(index), rest @ ..] => {
            if !within.is_array() {
                *within = json!([]);
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

/// The name of a key as it is in the file.
fn unquoted(name: &str) -> String {
    let quoted = name
        .starts_with('"')
        .then(|| serde_json::from_str(name).ok());
    quoted.flatten().unwrap_or_else(|| name.to_owned())
}

/// Splits a path; an item of a list is a segment of its own, and a name in quotes keeps them.
fn segments(path: &str) -> Vec<Segment> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let Some(inside) = rest.strip_prefix('[') else {
            let (name, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            steps.push(Segment::Key(name.to_owned()));
            rest = after;
            continue;
        };
        let (step, after) = inside.split_at(quoted_len(inside));
        let (index, after) = after.split_once(']').unwrap_or((after, ""));
        match index.parse() {
            Ok(index) => steps.push(Segment::Index(index)),
            Err(_) if step.is_empty() => {},
            Err(_) => steps.push(Segment::Key(step.to_owned())),
        }
        rest = after;
    }
    steps
}

/// Length of the quoted text that a text begins with, with its quotes; zero if there is none.
fn quoted_len(text: &str) -> usize {
    if !text.starts_with('"') {
        return 0;
    }
    let mut is_escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return place + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// The value of a key, without secrets.
fn redacted(path: &[Segment], value: &Json) -> Json {
    if let Json::Array(items) = value {
        return items.iter().map(|item| redacted(path, item)).collect();
    }
    let mut keys = path.iter().rev().filter_map(|step| match step {
        Segment::Key(key) => Some(key.as_str()),
        Segment::Index(_) => None,
    });
    let name = keys.next().unwrap_or_default();
    // The entries of `alt_server_certs` spell it `serverKey`.
    let is_key = matches!(name, "key" | "server_key" | "serverKey");
    match value.as_str() {
        Some(text) if text.contains("PRIVATE KEY") => json!(REDACTED_KEY),
        Some(text) if is_key && (text.starts_with("pem:") || is_base64_key(text)) => {
            json!(REDACTED_KEY)
        },
        Some(text) if is_key => json!(redact_secrets(text)),
        Some(_) if is_secret_name(name) => json!("(a password)"),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_yaml::KeyPath;

    #[test]
    fn paths_are_split_as_they_are_joined() {
        let key = |name: &str| Segment::Key(name.to_owned());
        let path = KeyPath::root().key("events").key(r#"a.b]"\c"#).key("path");
        let expected = [key("events"), key(r#""a.b]\"\\c""#), key("path")];
        assert_eq!(segments(&path.to_string()), expected);
        let path = KeyPath::root().key("web").index(10).index(2).key("name");
        let expected = [
            key("web"),
            Segment::Index(10),
            Segment::Index(2),
            key("name"),
        ];
        assert_eq!(segments(&path.to_string()), expected);
    }

    #[test]
    fn files_are_nested_without_what_they_do_not_say() {
        let mut config = EffectiveConfig::with_defaults();
        let file = || Source::File(SourceLocation::default());
        let sink = KeyPath::root().key("events").key(r#"a.b"c"#).key("path");
        config.set(sink.to_string(), json!("f.log"), file());
        config.set("web[1].name".to_owned(), json!("second"), file());
        config.set("proxy.password".to_owned(), json!("SECRET"), file());
        config.set(
            "ctrl.port".to_owned(),
            json!(1),
            Source::Derived(String::new()),
        );
        config.set_default("ctrl.interval", "5s");
        let expected = json!({
            "events": { "a.b\"c": { "path": "f.log" } },
            "proxy": { "password": "(a password)" },
            "web": [null, { "name": "second" }],
        });
        assert_eq!(config.to_nested_json(), expected);
    }
}
