use super::super::KeySetFuture;
use super::*;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// A key set with one Ed25519 key of a name.
fn document(key_id: &str) -> Vec<u8> {
    let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"; // RFC 8037 appendix A
    format!(r#"{{"keys":[{{"kid":"{key_id}","kty":"OKP","crv":"Ed25519","x":"{x}"}}]}}"#)
        .into_bytes()
}

#[derive(Default)]
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::SeqCst)).unwrap()
    }
}

/// Answers what is next in line, each answer when there is leave for it.
struct ScriptedFetcher {
    answers: Mutex<VecDeque<Option<Vec<u8>>>>,
    permits: Semaphore,
    fetches: AtomicUsize,
}

impl KeySetFetcher for ScriptedFetcher {
    fn validate_address(&self, _address: &str) -> Result<(), KeySetError> {
        Ok(())
    }

    fn fetch<'f>(&'f self, _address: &'f str) -> KeySetFuture<'f> {
        Box::pin(async move {
            self.fetches.fetch_add(1, Ordering::SeqCst);
            self.permits.acquire().await.unwrap().forget();
            let next = self.answers.lock().pop_front().flatten();
            next.ok_or_else(|| KeySetError("away".to_owned()))
        })
    }
}

struct Fixture {
    endpoint: Arc<KeySetEndpoint>,
    fetcher: Arc<ScriptedFetcher>,
    clock: Arc<TestClock>,
}

impl Fixture {
    fn new(answers: impl IntoIterator<Item = Option<Vec<u8>>>) -> Self {
        Self {
            endpoint: Arc::new(KeySetEndpoint::new("https://idp.example.test/keys")),
            fetcher: Arc::new(ScriptedFetcher {
                answers: Mutex::new(answers.into_iter().collect()),
                permits: Semaphore::new(1000),
                fetches: AtomicUsize::new(0),
            }),
            clock: Arc::default(),
        }
    }

    async fn has(&self, key_id: &str) -> bool {
        let (fetcher, clock) = (self.fetcher.clone() as _, self.clock.clone() as _);
        let set = self.endpoint.keys(key_id, &fetcher, &clock).await;
        set.is_some_and(|set| set.candidates(key_id).next().is_some())
    }

    /// Lets whoever fetches come to an end.
    async fn finish_fetch(&self) {
        drop(self.endpoint.fetch_lock.lock().await);
    }

    fn advance(&self, seconds: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "a few seconds")]
        let millis = (seconds * 1000.0) as i64;
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    fn fetches(&self) -> usize {
        self.fetcher.fetches.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn unknown_keys_are_asked_for_once_a_second() {
    let scene = Fixture::new([Some(document("a")), Some(document("b"))]);
    assert!(scene.has("a").await);
    for _ in 0..100 {
        assert!(!scene.has("b").await);
        assert!(scene.has("a").await);
    }
    scene.advance(0.999);
    assert!(!scene.has("b").await);
    assert_eq!(scene.fetches(), 1);
    scene.advance(0.001);
    assert!(scene.has("b").await);
    assert!(!scene.has("a").await, "it was withdrawn");
    assert_eq!(scene.fetches(), 2);
}

#[tokio::test]
async fn old_sets_are_fetched_anew_and_served_while_the_address_is_away() {
    let scene = Fixture::new([Some(document("a")), None, None, Some(document("b"))]);
    assert!(scene.has("a").await);
    scene.advance(299.0);
    assert!(scene.has("a").await);
    assert_eq!(scene.fetches(), 1);
    for expected in 2..=3 {
        scene.advance(31.0);
        for _ in 0..10 {
            assert!(scene.has("a").await, "it is served meanwhile");
            scene.finish_fetch().await;
        }
        assert_eq!(
            scene.fetches(),
            expected,
            "an address that is away is left in peace"
        );
    }
    scene.advance(31.0);
    assert!(scene.has("a").await, "nobody waits for the fetch");
    scene.finish_fetch().await;
    assert!(!scene.has("a").await, "it was withdrawn");
    assert!(scene.has("b").await);
}

#[tokio::test]
async fn nobody_waits_whose_key_is_there() {
    let scene = Fixture::new([Some(document("a"))]);
    assert!(scene.has("a").await);
    scene.fetcher.permits.forget_permits(1000);
    for seconds in [300.0, 0.0, 31.0, 500.0] {
        scene.advance(seconds);
        for _ in 0..10 {
            assert!(scene.has("a").await);
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(scene.fetches(), 2, "and one fetch runs at a time");
}

#[tokio::test]
async fn what_was_withdrawn_long_ago_does_not_count_once_more() {
    let scene = Fixture::new([Some(document("a")), Some(document("b"))]);
    assert!(scene.has("a").await);
    scene.advance(900.0);
    assert!(!scene.has("a").await);
}

#[tokio::test]
async fn an_address_that_is_away_is_asked_ever_more_rarely() {
    for known in [None, Some(document("a"))] {
        let is_known = known.is_some();
        let scene = Fixture::new([known]);
        assert_eq!(scene.has("a").await, is_known);
        if is_known {
            scene.advance(1.0);
            assert!(!scene.has("b").await);
        }
        let before = scene.fetches();
        let mut gaps = Vec::new();
        let mut last = 0;
        for second in 1..=121 {
            scene.advance(1.0);
            let tried = scene.fetches();
            assert!(!scene.has("b").await);
            if scene.fetches() > tried {
                gaps.push(second - last);
                last = second;
            }
        }
        assert_eq!(gaps, [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(scene.fetches() - before, 8);
    }
}

#[tokio::test]
async fn an_address_that_is_back_is_asked_as_before() {
    let scene = Fixture::new([None, None, Some(document("a")), None, Some(document("b"))]);
    for seconds in [0.0, 1.0, 2.0] {
        scene.advance(seconds);
        assert!(!scene.has("b").await);
    }
    assert!(scene.has("a").await);
    for seconds in [1.0, 1.0] {
        scene.advance(seconds);
        scene.has("b").await;
    }
    assert!(scene.has("b").await);
}

#[tokio::test]
async fn what_is_no_key_set_changes_nothing() {
    let nothing = |text: &str| Some(text.as_bytes().to_vec());
    let useless = r#"{"keys":[{"kid":"a","kty":"none"}]}"#;
    for text in ["<html></html>", r#"{"keys":[]}"#, useless] {
        let scene = Fixture::new([nothing(text), Some(document("a")), nothing(text)]);
        assert!(!scene.has("a").await);
        scene.advance(1.0);
        assert!(scene.has("a").await);
        scene.advance(1.0);
        assert!(!scene.has("b").await);
        assert!(scene.has("a").await, "{text}");
        assert_eq!(scene.fetches(), 3);
    }
}

#[tokio::test]
async fn a_clock_that_was_put_back_does_not_keep_old_keys() {
    let scene = Fixture::new([Some(document("a")), Some(document("b"))]);
    scene.advance(1000.0);
    assert!(scene.has("a").await);
    scene.advance(-500.0);
    assert!(scene.has("b").await);
}

#[tokio::test]
async fn one_fetch_is_for_all_who_wait() {
    let scene = Arc::new(Fixture::new([Some(document("a"))]));
    scene.fetcher.permits.forget_permits(1000);
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let scene = Arc::clone(&scene);
        waiting.spawn(async move { scene.has("a").await });
    }
    // Whoever began goes away; the others get what it asked for all the same.
    let impatient = Arc::clone(&scene);
    let first = tokio::spawn(async move { impatient.has("a").await });
    while scene.fetches() == 0 {
        tokio::task::yield_now().await;
    }
    first.abort();
    scene.fetcher.permits.add_permits(1000);
    while let Some(has) = waiting.join_next().await {
        assert!(has.unwrap());
    }
    assert_eq!(scene.fetches(), 1);
}
