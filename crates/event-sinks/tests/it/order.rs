//! A sink that keeps up gets what was published, in order and once.

use crate::support::{number, router, sdk, start, subscription, until};
use portcullis_event_sinks::{EventBus, EventSinks, FileSettings, SinkOutput, SinkSettings};
use portcullis_events::{Event, EventPublisher as _};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;
use tokio::runtime::Runtime;

#[derive(Debug, Clone)]
enum Step {
    Router,
    Sdk,
    /// Somebody moves the file away.
    Move,
    /// The controller is told that files were moved.
    Reopen,
    /// The sink has written everything.
    Settle,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => Just(Step::Router),
        5 => Just(Step::Sdk),
        1 => Just(Step::Move),
        1 => Just(Step::Reopen),
        1 => Just(Step::Settle),
    ]
}

/// Publishes and moves files, and returns the numbers of the published events by kind.
async fn play(steps: &[Step], path: &Path, bus: &EventBus, sinks: &EventSinks) -> [Vec<usize>; 2] {
    let mut published = [vec![], vec![]];
    for (number, step) in steps.iter().enumerate() {
        let mut publish = |event: Event, kind: usize| {
            bus.publish(event);
            published[kind].push(number);
        };
        match step {
            Step::Router => publish(router(number), 0),
            Step::Sdk => publish(sdk(number), 1),
            Step::Reopen => sinks.reopen(),
            Step::Move => {
                // It may not exist yet, or be rotated right now.
                let _ = fs::rename(path, path.with_file_name(format!("moved-{number}")));
            },
            Step::Settle => {
                let wanted = published[0].len() as u64;
                until(|| sinks.statuses()[0].written == wanted).await;
            },
        }
    }
    published
}

/// The numbers in all files of a folder; those of each file must grow.
fn written(folder: &Path) -> Vec<usize> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let numbers: Vec<_> = text.lines().map(number).collect();
        assert!(
            numbers.is_sorted_by(|before, after| before < after),
            "{numbers:?}"
        );
        all.extend(numbers);
    }
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(Config {
        cases: 40,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x6576_656e),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn nothing_is_lost_between_files(
        steps in prop::collection::vec(step(), 0..200),
        max_bytes in prop_oneof![1u64..2000, Just(u64::MAX)],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.json");
        let sink = |event_type, output| SinkSettings {
            name: "sink".to_owned(),
            subscriptions: vec![subscription(event_type)],
            capacity: 200,
            output,
        };
        let file = FileSettings { path: path.clone(), max_bytes, max_backups: None };
        let other = tempfile::NamedTempFile::new().unwrap();
        let stream = SinkOutput::Stream(Box::new(other.reopen().unwrap()));
        let bus = EventBus::default();
        let sinks = start(&bus, vec![sink("router", SinkOutput::File(file)), sink("sdk", stream)]);
        let runtime = Runtime::new().unwrap();
        let [routers, sdks] = runtime.block_on(async {
            let published = play(&steps, &path, &bus, &sinks).await;
            assert!(sinks.stop(Duration::from_secs(20)).await);
            published
        });
        prop_assert_eq!(written(folder.path()), routers);
        let text = fs::read_to_string(other.path()).unwrap();
        prop_assert_eq!(text.lines().map(number).collect::<Vec<_>>(), sdks);
    }
}

#[test]
fn events_of_each_thread_stay_in_order() {
    const THREADS: usize = 4;
    const EACH: usize = 2_000;
    let bus = EventBus::default();
    let mut stream = bus.subscribe(vec![subscription("router")], THREADS * EACH);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let bus = bus.clone();
            scope.spawn(move || {
                for number in 0..EACH {
                    bus.publish(router(thread * EACH + number));
                }
            });
        }
    });
    bus.close();
    let mut next = [0; THREADS];
    Runtime::new().unwrap().block_on(async {
        while let Some(line) = stream.recv().await {
            let number = number(&line.json);
            assert_eq!(number % EACH, next[number / EACH]);
            next[number / EACH] += 1;
        }
    });
    assert_eq!(next, [EACH; THREADS]);
}
