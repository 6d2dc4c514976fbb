//! Audit trail on standard error, together with the log.

use crate::{logging, output};
use portcullis_app::audit::{AuditEvent, AuditSink};
use portcullis_program::BlockingWriter;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};

/// Characters of the changes that a line on a terminal shows.
const MAX_CHANGES_LEN: usize = 160;

/// Audit sink that writes to standard error: text on a terminal, JSON lines otherwise, as the log.
#[derive(Debug)]
pub(crate) struct AuditStream {
    is_terminal: bool,
    /// Whether the filter of the log discards the trail, because the operator wants none.
    is_silenced: bool,
}

impl AuditStream {
    /// Chooses text or JSON depending on whether stderr is a terminal.
    pub(crate) fn new() -> Self {
        let mut stream = Self {
            is_terminal: io::stderr().is_terminal(),
            is_silenced: false,
        };
        stream.follow_filter();
        stream
    }

    /// Follows the filter of the log, which can change, and warns when it begins to discard the trail.
    fn follow_filter(&mut self) {
        let was_silenced = self.is_silenced;
        self.is_silenced = logging::is_off("audit");
        if self.is_silenced && !was_silenced {
            tracing::warn!(
                "the audit trail is discarded because the filter of the log contains audit=off: name \
                 a file with --audit-file, or remove audit=off"
            );
        }
    }
}

impl AuditSink for AuditStream {
    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        self.follow_filter();
        if self.is_silenced {
            return Ok(());
        }
        let mut lines = String::new();
        for event in events {
            if self.is_terminal {
                lines.push_str(&format_text(&event.text));
            } else {
                write_json(&event.text, &mut lines);
            }
        }
        // One call, so that no lines of the log come between.
        BlockingWriter(io::stderr().lock()).write_all(lines.as_bytes())
    }
}

fn write_json(event: &str, lines: &mut String) {
    lines.push_str(r#"{"level":"INFO","target":"audit","#);
    lines.push_str(event.strip_prefix('{').unwrap_or(event));
    lines.push('\n');
}

fn format_text(event: &str) -> String {
    let Ok(Value::Object(mut members)) = serde_json::from_str(event) else {
        return format!("{}\n", output::one_line(event));
    };
    let mut take = |name: &str| match members.remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let mut line = format!("{}  INFO audit: {}", take("timestamp"), take("operation"));
    let changes = members.remove("changes");
    for (name, value) in members {
        // Writing to a string cannot fail.
        let _ = match value {
            Value::String(text) => write!(line, " {name}={text:?}"),
            value => write!(line, " {name}={value}"),
        };
    }
    if let Some(changes) = changes {
        let _ = write!(line, " changes={}", shorten(&changes.to_string()));
    }
    format!("{}\n", output::one_line(&line))
}

/// What people can take in at a glance; JSON lines and files have all of it.
fn shorten(changes: &str) -> Cow<'_, str> {
    match changes.char_indices().nth(MAX_CHANGES_LEN) {
        Some((end, _)) => format!("{}…", &changes[..end]).into(),
        None => changes.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::terminal::is_terminal_control;

    #[test]
    fn both_forms_are_one_line_whatever_a_name_holds() {
        let event = serde_json::json!({"seq": 1, "timestamp": "t", "operation": "identity.create",
            "entityName": "laptop\r\n\u{1b}[2J\u{9b}",
            "changes": {"name": {"new": "a\u{202e}b"}}});
        let event = event.to_string();
        let mut line = String::new();
        write_json(&event, &mut line);
        let parsed: Value = serde_json::from_str(line.strip_suffix('\n').unwrap()).unwrap();
        assert_eq!(
            (&parsed["target"], &parsed["seq"]),
            (&"audit".into(), &1.into())
        );
        let long = "long".repeat(MAX_CHANGES_LEN);
        let line = format_text(&event.replace("new", &long));
        assert!(
            line.contains("changes={") && line.ends_with("…\n"),
            "{line}"
        );
        assert!(line.len() < 2 * MAX_CHANGES_LEN, "{line}");
        let line = format_text(&event);
        assert!(
            line.starts_with("t  INFO audit: identity.create ") && line.contains(" entityName="),
            "{line}"
        );
        assert!(
            !line.trim_end_matches('\n').contains(is_terminal_control),
            "{line}"
        );
    }
}
