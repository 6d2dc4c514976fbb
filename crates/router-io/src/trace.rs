//! The section `trace`: messages of all channels, decoded, a line of JSON for each.
//!
//! ```json
//! {"time":"2026-11-28T22:30:00.123456789Z","protocol":"control","channel":"4f0c","direction":"received",
//!  "type":1006,"name":"Unroute","sequence":7,"bytes":41,"message":"Unroute { circuit_id: \"c1\", .. }"}
//! ```
//!
//! Payloads, tokens and what else may not reach a log show as `Secret`. The file is written by a thread of its
//! own: when the disk is too slow, lines are left out, and the next one says how many (`"dropped"`).

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use portcullis_channel::Frame;
use portcullis_channel::group::GroupId;
use portcullis_channel_traces::{Description, Protocol};
use portcullis_transport::{Direction, Observer};
use serde_json::{Map, Value as Json};

use crate::clock::RouterClock;

/// Lines that may wait for the disk.
const MAX_LINES: usize = 1024;

/// A file that gets the messages. It is complete when this and all observers are dropped.
pub(crate) struct Trace {
    lines: SyncSender<String>,
    dropped: AtomicU64,
    clock: RouterClock,
}

impl Trace {
    /// Appends to a file, which nobody else may read.
    pub(crate) fn open(path: &Path, clock: RouterClock) -> io::Result<Arc<Self>> {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)?;
        let (lines, waiting) = sync_channel(MAX_LINES);
        let writer = thread::Builder::new().name("trace".to_owned());
        writer.spawn(move || {
            if let Err(error) = write(file, &waiting) {
                tracing::error!(%error, "the trace ends: its file cannot be written");
            }
        })?;
        Ok(Arc::new(Self {
            lines,
            dropped: AtomicU64::new(0),
            clock,
        }))
    }

    /// What the channels of a protocol show their messages to.
    pub(crate) fn observer(self: &Arc<Self>, protocol: Protocol) -> Arc<dyn Observer> {
        Arc::new(ProtocolTrace {
            trace: Arc::clone(self),
            protocol,
        })
    }

    fn write(&self, mut line: Map<String, Json>) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            line.insert("dropped".to_owned(), dropped.into());
        }
        let line = Json::Object(line).to_string();
        if self.lines.try_send(line).is_err() {
            self.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }
}

/// Writes lines until there are no more, and flushes whenever none wait.
fn write(file: File, lines: &Receiver<String>) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    while let Ok(line) = lines.recv() {
        writeln!(file, "{line}")?;
        while let Ok(line) = lines.try_recv() {
            writeln!(file, "{line}")?;
        }
        file.flush()?;
    }
    Ok(())
}

struct ProtocolTrace {
    trace: Arc<Trace>,
    protocol: Protocol,
}

impl Observer for ProtocolTrace {
    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        let Description { name, text } = self.protocol.describe(frame);
        let mut line = Map::new();
        let mut set = |key: &str, value: Json| {
            line.insert(key.to_owned(), value);
        };
        set("time", self.trace.clock.timestamp().to_string().into());
        set("protocol", self.protocol.name().into());
        set("channel", channel.as_str().into());
        let direction = match direction {
            Direction::Sent => "sent",
            Direction::Received => "received",
        };
        set("direction", direction.into());
        set("type", frame.content_type().0.into());
        set("name", name.into());
        set("sequence", frame.sequence().0.into());
        if let Some(request) = frame.reply_for() {
            set("replyFor", request.0.into());
        }
        set("bytes", frame.wire_len().into());
        if !text.is_empty() {
            set("message", text.into());
        }
        self.trace.write(line);
    }
}

impl fmt::Debug for ProtocolTrace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ProtocolTrace")
            .field("protocol", &self.protocol)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::{Duration, Instant};

    use bytes::Bytes;
    use portcullis_channel::{FrameLimits, Message, Sequence};
    use portcullis_domain::clock::Timestamp;
    use portcullis_wire::Secret;
    use portcullis_wire::control::ControlMessage;
    use portcullis_wire::control::route::Unroute;
    use portcullis_wire::link::LinkMessage;
    use portcullis_wire::xgress::Payload;

    use super::*;

    fn frame(message: Message) -> Frame {
        Frame::new(message, Sequence(7), &FrameLimits::default()).unwrap()
    }

    fn payload() -> LinkMessage {
        LinkMessage::Payload(Payload {
            circuit_id: "c1".to_owned(),
            data: Secret::new(Bytes::from_static(b"TOP SECRET")),
            ..Payload::default()
        })
    }

    /// The lines of a file, once there are so many.
    fn lines(path: &Path, count: usize) -> Vec<Json> {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let text = fs::read_to_string(path).unwrap();
            let complete = text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            let complete: Vec<Json> = complete.collect();
            if complete.len() >= count || Instant::now() > deadline {
                return complete;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn lines_tell_of_messages_and_keep_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("router.trace");
        let clock = RouterClock::start(Timestamp::UNIX_EPOCH);
        let trace = Trace::open(&path, clock).unwrap();
        let channel = GroupId::new("4f0c").unwrap();
        let unroute = ControlMessage::Unroute(Unroute {
            circuit_id: "c2".to_owned(),
            ..Unroute::default()
        });
        let control = trace.observer(Protocol::Control);
        control.observe(
            &channel,
            Direction::Received,
            &frame(unroute.encode().unwrap()),
        );
        let link = trace.observer(Protocol::Link);
        link.observe(
            &channel,
            Direction::Sent,
            &frame(payload().encode().unwrap()),
        );
        let found = lines(&path, 2);
        assert_eq!(found[0]["name"], "Unroute");
        assert_eq!(found[0]["protocol"], "control");
        assert_eq!(found[0]["direction"], "received");
        assert_eq!(found[0]["type"], 1006);
        assert_eq!(found[0]["sequence"], 7);
        assert_eq!(found[0]["channel"], "4f0c");
        assert!(found[0]["message"].as_str().unwrap().contains("\"c2\""));
        assert_eq!(found[1]["name"], "Payload");
        assert!(
            found[1]["message"]
                .as_str()
                .unwrap()
                .contains("data: Secret")
        );
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            !text.contains("TOP SECRET") && !text.contains("84, 79, 80"),
            "{text}"
        );
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    #[test]
    fn lines_that_do_not_fit_are_counted() {
        let (lines, waiting) = sync_channel(1);
        let trace = Arc::new(Trace {
            lines,
            dropped: AtomicU64::new(0),
            clock: RouterClock::start(Timestamp::UNIX_EPOCH),
        });
        let channel = GroupId::new("4f0c").unwrap();
        let observer = trace.observer(Protocol::Link);
        let observe = || {
            let message = payload().encode().unwrap();
            observer.observe(&channel, Direction::Sent, &frame(message));
        };
        (0..4).for_each(|_| observe());
        let first: Json = serde_json::from_str(&waiting.recv().unwrap()).unwrap();
        assert_eq!(first.get("dropped"), None);
        observe();
        let second: Json = serde_json::from_str(&waiting.recv().unwrap()).unwrap();
        assert_eq!(second["dropped"], 3);
    }
}
