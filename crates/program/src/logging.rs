//! Log on stderr: text on a terminal, JSON lines otherwise.
//!
//! It contains names that clients choose. One event is always one line of bounded length: control
//! characters are escaped in JSON and in text.
//! Logging never blocks on the reader: see `log_queue`.

mod current_filter;
mod filter;
mod line_length;
mod log_queue;

use crate::blocking_writer::BlockingWriter;
use crate::{output, usage};
use anyhow::Context as _;
use current_filter::CurrentFilter;
use log_queue::{LogQueue, QueueWriter};
use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

pub use current_filter::FilterChange;
pub use filter::InvalidFilterError;

/// The queue of the process, which has one log.
static QUEUE: OnceLock<Arc<LogQueue>> = OnceLock::new();

/// The filter of the log.
static FILTER: OnceLock<CurrentFilter> = OnceLock::new();

/// Maximum time that the end of the process waits for the log to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Sets up the log of the process.
///
/// `filter` is the one of `source`, an option or a variable: a level, and levels of components, such as
/// `info,audit=off`. Without it, a configuration can name one: see [`configure_filter`].
pub fn init(filter: Option<&str>, source: &str) -> anyhow::Result<()> {
    let (current, filter) =
        CurrentFilter::new(filter).map_err(|error| usage::error(format!("{source}: {error}")))?;
    let log = tracing_subscriber::registry().with(filter);
    let queue =
        LogQueue::start(BlockingWriter(io::stderr())).context("cannot start the logging thread")?;
    let writer = QueueWriter(Arc::clone(&queue));
    let outcome = if io::stderr().is_terminal() {
        log.with(text_layer(writer)).try_init()
    } else {
        log.with(json_layer(writer)).try_init()
    };
    // An embedding program may have set up its own log, which is then used.
    if outcome.is_ok() {
        let _ = QUEUE.set(queue);
        let _ = FILTER.set(current);
    }
    Ok(())
}

/// Applies the filter that a configuration names, unless the command line gave one. `None` if the log is
/// not this program's.
///
/// # Errors
/// If the filter cannot be used; the old one stays.
pub fn configure_filter(configured: &str) -> Result<Option<FilterChange>, InvalidFilterError> {
    let current = FILTER.get();
    current
        .map(|current| current.configure(configured))
        .transpose()
}

/// Checks a filter without applying it.
pub fn check_filter(text: &str) -> Result<(), InvalidFilterError> {
    filter::parse(text).map(drop)
}

/// Waits until the log is written, for a second at most, since its reader may be stuck.
pub fn flush() {
    if let Some(queue) = QUEUE.get() {
        queue.flush(FLUSH_TIMEOUT);
    }
}

/// Writes a line to the output of the log, regardless of the filter. Returns whether there is a log.
pub fn write_line(line: &str) -> bool {
    let Some(queue) = QUEUE.get() else {
        return false;
    };
    let line = format!("{}\n", text_line(line));
    (&**queue).write_all(line.as_bytes()).is_ok()
}

/// Guard that flushes the log when the program ends.
#[derive(Debug)]
pub struct FlushAtEnd;

impl Drop for FlushAtEnd {
    fn drop(&mut self) {
        flush();
    }
}

/// Whether the filter of the log explicitly turns a component off.
pub fn is_off(component: &str) -> bool {
    FILTER
        .get()
        .is_some_and(|filter| filter.silences(component))
}

/// Health check: a message if lines of the log were dropped.
pub fn dropped_lines_message() -> Option<String> {
    let dropped = QUEUE.get()?.dropped();
    (dropped > 0).then(|| {
        format!(
            "{dropped} lines of the log were dropped: the reader of standard error is stuck or gone"
        )
    })
}

/// Layer that writes events as lines of text.
fn text_layer<S, M>(writer: M) -> impl Layer<S> + Send + Sync
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    M: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::fmt::layer()
        .log_internal_errors(LOG_INTERNAL_ERRORS)
        .with_ansi(false)
        .with_writer(LineMakeWriter {
            writer,
            format: text_line,
        })
}

/// Layer that writes events as JSON objects, one per line.
fn json_layer<S, M>(writer: M) -> impl Layer<S> + Send + Sync
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    M: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::fmt::layer()
        .log_internal_errors(LOG_INTERNAL_ERRORS)
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(LineMakeWriter {
            writer,
            format: line_length::truncate_json,
        })
}

/// Errors of writing to stderr are not reported to stderr: that would panic in the code that logs.
const LOG_INTERNAL_ERRORS: bool = false;

/// Escapes control characters and truncates long lines.
fn text_line(line: &str) -> Cow<'_, str> {
    match output::one_line(line) {
        Cow::Borrowed(line) => line_length::truncate_text(line),
        Cow::Owned(line) => Cow::Owned(line_length::truncate_text(&line).into_owned()),
    }
}

/// Function that escapes and truncates the line of an event.
type LineFormat = fn(&str) -> Cow<'_, str>;

/// Creates writers that format each event as one line.
struct LineMakeWriter<M> {
    writer: M,
    format: LineFormat,
}

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for LineMakeWriter<M> {
    type Writer = LineWriter<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        LineWriter {
            writer: self.writer.make_writer(),
            format: self.format,
        }
    }
}

/// Writer of complete events, each with a trailing line break.
struct LineWriter<W> {
    writer: W,
    format: LineFormat,
}

impl<W: Write> Write for LineWriter<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let whole = text.strip_suffix('\n').unwrap_or(&text);
        match (self.format)(whole) {
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
        let subscriber = |memory: Memory| {
            tracing_subscriber::registry().with(text_layer(move || memory.clone()))
        };
        for name in names() {
            let written = written(subscriber, &name);
            let line = written.strip_suffix('\n').unwrap();
            assert!(!line.contains(char::is_control), "{line:.200?}");
            assert!(line.contains(" INFO "), "{line:.200?}");
            assert!(line.len() <= line_length::MAX_LINE_LEN, "{}", line.len());
        }
    }

    #[test]
    fn documents_hold_what_clients_say_as_data() {
        let subscriber = |memory: Memory| {
            tracing_subscriber::registry().with(json_layer(move || memory.clone()))
        };
        for name in names() {
            let written = written(subscriber, &name);
            let line = written.strip_suffix('\n').unwrap();
            assert!(!line.contains(['\n', '\r', '\u{1b}']), "{line:.200?}");
            let document: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(line.len() <= line_length::MAX_LINE_LEN, "{}", line.len());
            let logged = document["name"].as_str().unwrap();
            assert!(name.starts_with(logged.trim_end_matches('…')), "{logged}");
            assert!(logged == name || logged.len() > 100, "{logged}");
        }
    }
}
