//! The log: text for a person at a terminal, JSON lines for everything else, both on stderr.
//!
//! Names that clients choose appear in it. One event is one line whatever they hold: JSON escapes
//! control characters, and the text form does so too.

mod filter;

use crate::output;
use std::io::{self, IsTerminal as _, Write};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Sets up the log of the process.
///
/// `filter` is in the syntax of `tracing_subscriber::EnvFilter`, such as `info,audit=off`.
pub(crate) fn init(filter: &str) -> anyhow::Result<()> {
    let log = tracing_subscriber::registry().with(filter::parse(filter)?);
    let outcome = if io::stderr().is_terminal() {
        log.with(lines(io::stderr)).try_init()
    } else {
        log.with(documents(io::stderr)).try_init()
    };
    // A program around this one may have a log of its own; then that is used.
    let _ = outcome;
    Ok(())
}

/// Writes events as lines of text.
fn lines<S, M>(writer: M) -> impl Layer<S> + Send + Sync
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    M: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::fmt::layer()
        .log_internal_errors(COMPLAINS)
        .with_ansi(false)
        .with_writer(OneLine(writer))
}

/// Writes events as JSON objects, one a line.
fn documents<S, M>(writer: M) -> impl Layer<S> + Send + Sync
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    M: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::fmt::layer()
        .log_internal_errors(COMPLAINS)
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(writer)
}

/// Whoever reads the log may go away. What cannot be written then is not complained about in the same
/// place: that would end whatever was to be logged.
const COMPLAINS: bool = false;

/// Makes writers that keep each event on one line.
struct OneLine<M>(M);

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for OneLine<M> {
    type Writer = Line<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        Line(self.0.make_writer())
    }
}

/// A writer that is given whole events, each with a line break at its end.
struct Line<W>(W);

impl<W: Write> Write for Line<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = output::one_line(text.strip_suffix('\n').unwrap_or(&text));
        self.0.write_all(format!("{line}\n").as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Names that log readers have been fooled with.
    fn names() -> [String; 4] {
        [
            "laptop\r\n2026 INFO forged".to_owned(),
            "laptop\u{1b}[2J\u{9b}31m".to_owned(),
            "${jndi:ldap://127.0.0.1/a}".to_owned(),
            "x".repeat(1024 * 1024),
        ]
    }

    /// What a subscriber writes about an event with a name in it.
    fn written<S>(subscriber: impl Fn(Memory) -> S, name: &str) -> String
    where
        S: Subscriber + Send + Sync + 'static,
    {
        let memory = Memory::default();
        tracing::subscriber::with_default(subscriber(memory.clone()), || {
            tracing::info!(%name, "identity {name} created");
        });
        let written = memory.0.lock().unwrap().clone();
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn text_of_clients_cannot_forge_lines() {
        let subscriber =
            |memory: Memory| tracing_subscriber::registry().with(lines(move || memory.clone()));
        for name in names() {
            let written = written(subscriber, &name);
            let line = written.strip_suffix('\n').unwrap();
            assert!(!line.contains(char::is_control), "{line:.200?}");
            assert!(line.contains(" INFO "), "{line:.200?}");
        }
    }

    #[test]
    fn documents_hold_what_clients_say_as_data() {
        let subscriber =
            |memory: Memory| tracing_subscriber::registry().with(documents(move || memory.clone()));
        for name in names() {
            let written = written(subscriber, &name);
            let line = written.strip_suffix('\n').unwrap();
            assert!(!line.contains(['\n', '\r', '\u{1b}']), "{line:.200?}");
            let document: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(document["name"], name.as_str());
        }
    }
}
