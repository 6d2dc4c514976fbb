//! The log: text for a person at a terminal, JSON lines for everything else, both on stderr.
//!
//! Names that clients choose appear in it. One event is one line whatever they hold, and of bounded
//! length: JSON escapes control characters, and the text form does so too.
//!
//! Nobody who logs waits for whoever reads it: see [`queue`].

mod filter;
mod line_length;
mod queue;

use crate::output;
use crate::waiting_writer::WaitingWriter;
use anyhow::Context as _;
use queue::{LogQueue, QueueWriter};
use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The queue of the process, which has one log.
static QUEUE: OnceLock<Arc<LogQueue>> = OnceLock::new();

/// How long the end of the process waits for the log to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Sets up the log of the process.
///
/// `filter` is in the syntax of `tracing_subscriber::EnvFilter`, such as `info,audit=off`.
pub(crate) fn init(filter: &str) -> anyhow::Result<()> {
    AUDIT_IS_OFF.store(filter::silences_audit(filter), Ordering::Relaxed);
    let log = tracing_subscriber::registry().with(filter::parse(filter)?);
    let queue = LogQueue::start(WaitingWriter(io::stderr()))
        .context("the thread that writes the log cannot be started")?;
    let writer = QueueWriter(Arc::clone(&queue));
    let outcome = if io::stderr().is_terminal() {
        log.with(lines(writer)).try_init()
    } else {
        log.with(documents(writer)).try_init()
    };
    // A program around this one may have a log of its own; then that is used.
    if outcome.is_ok() {
        let _ = QUEUE.set(queue);
    }
    Ok(())
}

/// Waits until the log is written, for a second at most: whoever reads it may be stuck.
pub(crate) fn flush() {
    if let Some(queue) = QUEUE.get() {
        queue.flush(LAST_WORDS);
    }
}

/// Writes a line to where the log goes, whatever is logged. Answers whether there is a log.
pub(crate) fn write_line(line: &str) -> bool {
    let Some(queue) = QUEUE.get() else {
        return false;
    };
    let line = format!("{}\n", text_line(line));
    (&**queue).write_all(line.as_bytes()).is_ok()
}

/// Flushes the log when the program ends, in whatever way.
#[derive(Debug)]
pub(crate) struct FlushAtEnd;

impl Drop for FlushAtEnd {
    fn drop(&mut self) {
        flush();
    }
}

/// Whether the filter of the log silences the audit trail.
static AUDIT_IS_OFF: AtomicBool = AtomicBool::new(false);

/// Whether the filter says in so many words that there is to be no audit trail.
pub(crate) fn audit_is_off() -> bool {
    AUDIT_IS_OFF.load(Ordering::Relaxed)
}

/// What is wrong with the log, if something is.
pub(crate) fn fault() -> Option<String> {
    let dropped = QUEUE.get()?.dropped();
    (dropped > 0).then(|| {
        format!(
            "{dropped} lines of the log were dropped: the reader of standard error is stuck or gone"
        )
    })
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
        .with_writer(OneLine {
            writer,
            form: text_line,
        })
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
        .with_writer(OneLine {
            writer,
            form: line_length::document,
        })
}

/// Whoever reads the log may go away. What cannot be written then is not complained about in the same
/// place: that would end whatever was to be logged.
const COMPLAINS: bool = false;

/// Escapes what would break a line, and cuts what is too long.
fn text_line(line: &str) -> Cow<'_, str> {
    match output::one_line(line) {
        Cow::Borrowed(line) => line_length::text(line),
        Cow::Owned(line) => Cow::Owned(line_length::text(&line).into_owned()),
    }
}

/// What makes the line of an event fit to be written.
type Form = fn(&str) -> Cow<'_, str>;

/// Makes writers that give each event the form of a line.
struct OneLine<M> {
    writer: M,
    form: Form,
}

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for OneLine<M> {
    type Writer = Line<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        Line {
            writer: self.writer.make_writer(),
            form: self.form,
        }
    }
}

/// A writer that is given whole events, each with a line break at its end.
struct Line<W> {
    writer: W,
    form: Form,
}

impl<W: Write> Write for Line<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let whole = text.strip_suffix('\n').unwrap_or(&text);
        match (self.form)(whole) {
            Cow::Borrowed(line) if line.len() == whole.len() => self.writer.write_all(event)?,
            line => self.writer.write_all(format!("{line}\n").as_bytes())?,
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

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
            assert!(line.len() <= line_length::LIMIT, "{}", line.len());
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
            assert!(line.len() <= line_length::LIMIT, "{}", line.len());
            let logged = document["name"].as_str().unwrap();
            assert!(name.starts_with(logged.trim_end_matches('…')), "{logged}");
            assert!(logged == name || logged.len() > 100, "{logged}");
        }
    }
}
