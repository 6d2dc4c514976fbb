//! An event as a line for people.

use crate::moment;
use crate::render::one_line;
use crate::terminal::styled;
use portcullis_command_line::text_width::width;
use portcullis_domain::clock::Timestamp;
use serde_yaml::{Mapping, Value};

/// Columns for the type, so that lines stand below each other.
const TYPE_COLUMNS: usize = 14;

/// Members that are shown elsewhere in the line, or say nothing to people.
const LEFT_OUT: [&str; 8] = [
    "namespace",
    "event_src_id",
    "timestamp",
    "event_type",
    "eventType",
    "version",
    "eventId",
    "source_event_id",
];

/// What a line says.
#[derive(Debug)]
pub(super) struct EventLine {
    time: String,
    event_type: String,
    what: String,
    members: Vec<(String, String)>,
}

impl EventLine {
    /// Reads an event; what is no JSON object is shown as it is.
    pub(super) fn read(event_type: &str, json: &str) -> Self {
        let Ok(event) = serde_json::from_str::<Mapping>(json) else {
            return Self {
                time: String::new(),
                event_type: event_type.to_owned(),
                what: json.to_owned(),
                members: Vec::new(),
            };
        };
        let text = |name: &str| event.get(name).and_then(Value::as_str);
        let time = text("timestamp").unwrap_or_default();
        let what = text("event_type").or_else(|| text("eventType"));
        let mut members = Vec::new();
        if event.contains_key("entityType") {
            describe_change(&event, &mut members);
        } else {
            let shown = event
                .iter()
                .filter_map(|(name, value)| Some((name.as_str()?, value)));
            for (name, value) in shown.filter(|(name, _)| !LEFT_OUT.contains(name)) {
                flatten(name, value, &mut members);
            }
        }
        Self {
            time: time
                .parse::<Timestamp>()
                .map_or_else(|_odd| time.to_owned(), moment::absolute),
            event_type: text("namespace").unwrap_or(event_type).to_owned(),
            what: what.unwrap_or_default().to_owned(),
            members,
        }
    }

    /// Renders the line, without a line feed.
    pub(super) fn render(&self, is_colored: bool) -> String {
        let event_type = one_line(&self.event_type);
        let blanks = " ".repeat(TYPE_COLUMNS.saturating_sub(width(&event_type)));
        let mut words = vec![
            styled(&one_line(&self.time), "2", is_colored),
            styled(&event_type, "1", is_colored) + &blanks,
        ];
        if !self.what.is_empty() {
            words.push(one_line(&self.what));
        }
        for (name, value) in &self.members {
            let name = styled(&format!("{}=", one_line(name)), "2", is_colored);
            words.push(name + &one_line(value));
        }
        words.join(" ").trim_end().to_owned()
    }
}

/// Adds a member, or those of an object below its name. What is empty is left out.
fn flatten(name: &str, value: &Value, members: &mut Vec<(String, String)>) {
    if let Value::Mapping(inner) = value {
        for (key, value) in inner {
            flatten(&format!("{name}.{}", scalar(key)), value, members);
        }
        return;
    }
    let text = scalar(value);
    if !text.is_empty() {
        members.push((name.to_owned(), text));
    }
}

/// A value as a word: quoted if it would be several.
fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([' ', '"', '=']) => format!("{text:?}"),
        Value::String(text) => text.clone(),
        Value::Sequence(items) => items.iter().map(scalar).collect::<Vec<_>>().join(","),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// Adds what became of an entity: which one, what has changed, and by whom.
fn describe_change(event: &Mapping, members: &mut Vec<(String, String)>) {
    let mapping = |of: &Mapping, name: &str| match of.get(name) {
        Some(Value::Mapping(inner)) => inner.clone(),
        _ => Mapping::new(),
    };
    let before = mapping(event, "initialState");
    let after = mapping(event, "finalState");
    let metadata = mapping(event, "metadata");
    let mut add = |name: &str, value: Option<&Value>| {
        if let Some(value) = value {
            flatten(name, value, members);
        }
    };
    add("entity", event.get("entityType"));
    for name in ["id", "name"] {
        add(name, after.get(name).or_else(|| before.get(name)));
    }
    if !before.is_empty() && !after.is_empty() {
        let changed = after
            .iter()
            .filter(|(name, value)| {
                before.get(name) != Some(value) && name.as_str() != Some("updatedAt")
            })
            .map(|(name, _)| name.clone());
        let gone = before
            .iter()
            .filter(|(name, _)| !after.contains_key(name))
            .map(|(name, _)| name.clone());
        add(
            "changed",
            Some(&Value::Sequence(changed.chain(gone).collect())),
        );
    }
    let author = mapping(&metadata, "author");
    let name = author.get("name").filter(|name| name.as_str() != Some(""));
    add(
        "by",
        name.or_else(|| author.get("id"))
            .or_else(|| author.get("type")),
    );
    let source = mapping(&metadata, "source");
    add("source", source.get("type"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> String {
        EventLine::read("x", json).render(false)
    }

    #[test]
    fn members_stand_behind_what_happened() {
        assert_eq!(
            line(
                r#"{"namespace":"router","timestamp":"2026-11-22T23:11:09.537940839Z","event_src_id":"c1","event_type":"router-online","router_id":"Pomig.x1H","router_online":true}"#
            ),
            "2026-11-22T23:11:09Z router         router-online router_id=Pomig.x1H router_online=true"
        );
        assert_eq!(
            line(
                r#"{"namespace":"circuit","event_src_id":"c1","timestamp":"2026-11-22T23:11:09Z","version":2,"event_type":"failed","circuit_id":"c","terminator_id":"","path":{"nodes":["r1","r2"],"links":null},"failure_cause":"NO_TERMINATORS","tags":{"clientId":"i"}}"#
            ),
            "2026-11-22T23:11:09Z circuit        failed circuit_id=c path.nodes=r1,r2 \
             failure_cause=NO_TERMINATORS tags.clientId=i"
        );
        assert_eq!(
            line(
                r#"{"namespace":"alert","timestamp":"?","message":"unable to proxy","details":["a b","c"]}"#
            ),
            r#"? alert          message="unable to proxy" details="a b",c"#
        );
    }

    #[test]
    fn changes_name_what_has_changed_and_by_whom() {
        let change = r#"{"namespace":"entityChange","event_src_id":"c1","timestamp":"2026-11-22T23:11:09Z","eventId":"e","eventType":"updated","metadata":{"author":{"type":"identity","id":"i1","name":"Default Admin"},"source":{"type":"rest","auth":"edge"}},"entityType":"services","initialState":{"id":"s1","name":"wiki","updatedAt":"a","old":1},"finalState":{"id":"s1","name":"wikis","updatedAt":"b"}}"#;
        assert_eq!(
            line(change),
            "2026-11-22T23:11:09Z entityChange   updated entity=services id=s1 name=wikis \
             changed=name,old by=\"Default Admin\" source=rest"
        );
        let commit = r#"{"namespace":"entityChange","event_src_id":"c1","timestamp":"2026-11-22T23:11:09Z","eventId":"e","eventType":"committed"}"#;
        assert_eq!(
            line(commit),
            "2026-11-22T23:11:09Z entityChange   committed"
        );
    }

    #[test]
    fn whatever_comes_stays_in_its_line_and_drives_no_terminal() {
        for json in [
            "{\"namespace\":\"a\\n\\u001b[2Jb\",\"event_type\":\"\\r\\n\",\"\\u001b]0;x\":\"\\u009b5n\\n\"}",
            "no JSON \u{1b}[2J\n",
            "[1]",
        ] {
            let shown = line(json);
            assert!(!shown.contains(['\n', '\u{1b}', '\u{9b}']), "{shown:?}");
        }
    }
}
