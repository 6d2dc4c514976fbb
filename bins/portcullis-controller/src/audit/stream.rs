//! The audit trail on standard error, beside the log.

use crate::output;
use crate::waiting_writer::WaitingWriter;
use portcullis_app::audit::{AuditEvent, AuditSink};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};

/// Writes events to standard error: text on a terminal, JSON lines otherwise, as the log is.
#[derive(Debug)]
pub(crate) struct AuditStream {
    is_terminal: bool,
}

impl AuditStream {
    /// Writes in the form that fits whoever reads.
    pub(crate) fn new() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
        }
    }
}

impl AuditSink for AuditStream {
    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        let mut lines = String::new();
        for event in events {
            if self.is_terminal {
                lines.push_str(&text(&event.text));
            } else {
                document(&event.text, &mut lines);
            }
        }
        // One call, or lines of the log could come between.
        WaitingWriter(io::stderr().lock()).write_all(lines.as_bytes())
    }
}

/// Nowhere, because whoever started the program wants no trail.
#[derive(Debug)]
pub(crate) struct Discarded;

impl AuditSink for Discarded {
    fn write(&mut self, _events: &[AuditEvent]) -> io::Result<()> {
        Ok(())
    }
}

fn document(event: &str, lines: &mut String) {
    lines.push_str(r#"{"level":"INFO","target":"audit","#);
    lines.push_str(event.strip_prefix('{').unwrap_or(event));
    lines.push('\n');
}

fn text(event: &str) -> String {
    let Ok(Value::Object(mut members)) = serde_json::from_str(event) else {
        return format!("{}\n", output::one_line(event));
    };
    let mut take = |name: &str| match members.remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let mut line = format!("{}  INFO audit: {}", take("timestamp"), take("operation"));
    for (name, value) in members {
        // Writing to a text does not fail.
        let _ = match value {
            Value::String(text) => write!(line, " {name}={text:?}"),
            value => write!(line, " {name}={value}"),
        };
    }
    format!("{}\n", output::one_line(&line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::terminal::drives_terminal;

    #[test]
    fn both_forms_are_one_line_whatever_a_name_holds() {
        let event = serde_json::json!({"seq": 1, "timestamp": "t", "operation": "identity.create",
            "entityName": "laptop\r\n\u{1b}[2J\u{9b}",
            "changes": {"name": {"new": "a\u{202e}b"}}});
        let event = event.to_string();
        let mut line = String::new();
        document(&event, &mut line);
        let parsed: Value = serde_json::from_str(line.strip_suffix('\n').unwrap()).unwrap();
        assert_eq!(
            (&parsed["target"], &parsed["seq"]),
            (&"audit".into(), &1.into())
        );
        let line = text(&event);
        assert!(
            line.starts_with("t  INFO audit: identity.create ") && line.contains(" entityName="),
            "{line}"
        );
        assert!(
            !line.trim_end_matches('\n').contains(drives_terminal),
            "{line}"
        );
    }
}
