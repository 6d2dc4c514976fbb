//! What does not take events stops nothing (property S-70).

use crate::support::{file, number, router, sink, start, until};
use portcullis_event_sinks::{EventBus, SinkOutput};
use portcullis_events::EventPublisher as _;
use rustix::fs::{CWD, Mode};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const EVENTS: usize = 5_000;
const TIMEOUT: Duration = Duration::from_secs(20);

fn numbers(path: &Path) -> Vec<usize> {
    let text = fs::read_to_string(path).expect("it can be read");
    text.lines().map(number).collect()
}

#[tokio::test]
async fn pipe_that_nobody_reads_delays_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let [pipe, plain] = ["pipe", "events.json"].map(|name| folder.path().join(name));
    rustix::fs::mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
    let bus = EventBus::default();
    let sinks = vec![
        sink("pipe", 100, file(&pipe)),
        sink("plain", EVENTS, file(&plain)),
    ];
    let sinks = start(&bus, sinks);
    bus.publish(router(0));
    until(|| sinks.statuses()[0].stuck_for.is_some()).await;
    let started = Instant::now();
    for number in 1..EVENTS {
        bus.publish(router(number));
    }
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    until(|| sinks.statuses()[1].written == EVENTS as u64).await;
    assert_eq!(numbers(&plain), (0..EVENTS).collect::<Vec<_>>());
    let [stuck, good] = &*sinks.statuses() else {
        panic!("there are two sinks");
    };
    assert_eq!((stuck.written, stuck.waiting), (0, 100));
    assert_eq!(stuck.dropped, EVENTS as u64 - 101);
    assert_eq!((good.dropped, good.waiting, &good.failure), (0, 0, &None));

    // A reader gets what waits, and then what comes.
    let reader = tokio::task::spawn_blocking(move || {
        let lines = BufReader::new(File::open(pipe).unwrap()).lines();
        lines.map(|line| number(&line.unwrap())).collect::<Vec<_>>()
    });
    until(|| sinks.statuses()[0].written == 101).await;
    bus.publish(router(EVENTS));
    assert!(sinks.stop(TIMEOUT).await);
    let read = reader.await.unwrap();
    assert_eq!(read, (0..=100).chain([EVENTS]).collect::<Vec<_>>());
}

#[tokio::test]
async fn end_does_not_wait_for_what_is_stuck() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("events.json");
    let (stream, reader) = UnixStream::pair().unwrap();
    let bus = EventBus::default();
    let sinks = vec![
        sink("stuck", EVENTS, SinkOutput::Stream(Box::new(stream))),
        sink("plain", EVENTS, file(&plain)),
    ];
    let sinks = start(&bus, sinks);
    for number in 0..EVENTS {
        bus.publish(router(number));
    }
    let started = Instant::now();
    assert!(!sinks.stop(Duration::from_millis(500)).await);
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    until(|| numbers(&plain).len() == EVENTS).await;
    drop(reader);
}

#[tokio::test]
async fn full_disk_costs_events_but_not_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("events.json");
    let bus = EventBus::default();
    let sinks = vec![
        sink("full", 10, file(Path::new("/dev/full"))),
        sink("plain", EVENTS, file(&plain)),
    ];
    let sinks = start(&bus, sinks);
    for number in 0..EVENTS {
        bus.publish(router(number));
    }
    until(|| sinks.statuses()[0].failure.is_some()).await;
    let full = &sinks.statuses()[0];
    let failure = full.failure.as_deref().unwrap_or_default();
    assert!(failure.contains("No space left"), "{failure}");
    assert!(full.dropped > 0 && full.written == 0, "{full:?}");
    assert!(!sinks.stop(TIMEOUT).await);
    assert_eq!(numbers(&plain), (0..EVENTS).collect::<Vec<_>>());
}

/// A stream that fails every other time, and takes little at once.
struct Flaky {
    taken: Arc<Mutex<Vec<u8>>>,
    fails: bool,
}

impl Write for Flaky {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.fails = !self.fails;
        if self.fails {
            return Err(io::Error::other("not now"));
        }
        let mut taken = self.taken.lock().unwrap();
        // The rest of the test would take seconds otherwise.
        let count = if taken.is_empty() {
            bytes.len().min(5)
        } else {
            bytes.len()
        };
        taken.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn what_fails_goes_on_where_it_stopped() {
    let taken = Arc::default();
    let stream = Flaky {
        taken: Arc::clone(&taken),
        fails: false,
    };
    let bus = EventBus::default();
    let sinks = start(
        &bus,
        vec![sink("flaky", 10, SinkOutput::Stream(Box::new(stream)))],
    );
    bus.publish(router(1));
    until(|| sinks.statuses()[0].written == 1).await;
    let status = &sinks.statuses()[0];
    assert_eq!((status.dropped, &status.failure), (0, &None));
    assert!(sinks.stop(TIMEOUT).await);
    let text = String::from_utf8(taken.lock().unwrap().clone()).unwrap();
    assert_eq!(text.lines().map(number).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn moved_file_is_released_at_once_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let [path, moved] = ["events.json", "moved"].map(|name| folder.path().join(name));
    let bus = EventBus::default();
    let sinks = start(&bus, vec![sink("file", 10, file(&path))]);
    bus.publish(router(1));
    until(|| sinks.statuses()[0].written == 1).await;
    fs::rename(&path, &moved).unwrap();
    sinks.reopen();
    until(|| path.exists()).await;
    bus.publish(router(2));
    assert!(sinks.stop(TIMEOUT).await);
    assert_eq!((numbers(&moved), numbers(&path)), (vec![1], vec![2]));
}
