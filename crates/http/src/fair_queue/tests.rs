use super::*;
use portcullis_domain::ids::RecordNumber;
use std::sync::{LazyLock, mpsc};
use tokio::sync::oneshot;

const ANNA: Peer = Peer::Identity(RecordNumber(1));
const BORIS: Peer = Peer::Identity(RecordNumber(2));

/// How long a job may wait for its client while others wait.
const SLOW: Duration = Duration::from_secs(1);

/// Starts a job that runs until it is cancelled; returns when it is running. The receiver resolves
/// when it ends.
async fn occupy(queue: &'static FairQueue) -> (tokio::task::JoinHandle<()>, mpsc::Receiver<()>) {
    let (started, starts) = oneshot::channel();
    let (ended, ends) = mpsc::channel();
    let request = tokio::spawn(async move {
        let _ = queue
            .run(ANNA, move |job| {
                started.send(()).unwrap();
                while !job.is_cancelled() {
                    std::thread::yield_now();
                }
                ended.send(()).unwrap();
                Ok(())
            })
            .await;
    });
    starts.await.unwrap();
    (request, ends)
}

#[tokio::test]
async fn job_is_cancelled_when_its_request_is_dropped() {
    static QUEUE: LazyLock<FairQueue> = LazyLock::new(|| FairQueue::new(1, 1, 1, SLOW));
    let (request, ends) = occupy(&QUEUE).await;
    request.abort();
    let ended = tokio::task::spawn_blocking(move || ends.recv_timeout(Duration::from_secs(20)));
    ended.await.unwrap().unwrap();
    let next = QUEUE.run(ANNA, |_job| Ok("next")).await;
    assert_eq!(next.unwrap(), "next");
}

#[tokio::test]
async fn queue_is_bounded_and_left_by_dropped_requests() {
    static QUEUE: LazyLock<FairQueue> = LazyLock::new(|| FairQueue::new(1, 1, 1, SLOW));
    let (request, _ends) = occupy(&QUEUE).await;
    let never = QUEUE.run(ANNA, |_job| -> Result<(), ApiError> {
        panic!("for nobody")
    });
    let waits = tokio::spawn(never);
    while QUEUE.queue.in_use() < 1 {
        tokio::task::yield_now().await;
    }
    let error = QUEUE.run(ANNA, |_job| Ok(())).await.unwrap_err();
    assert_eq!(error.status, 429);
    assert!(error.headers.iter().any(|(name, _)| name == "retry-after"));

    waits.abort();
    assert!(waits.await.unwrap_err().is_cancelled());
    request.abort();
    let next = QUEUE.run(ANNA, |_job| Ok("next")).await;
    assert_eq!(next.unwrap(), "next");
}

#[tokio::test]
async fn slot_is_kept_until_the_job_ends() {
    static QUEUE: LazyLock<FairQueue> = LazyLock::new(|| FairQueue::new(1, 1, 1, SLOW));
    let (started, starts) = oneshot::channel();
    let (end, ending) = mpsc::channel::<()>();
    let request = tokio::spawn(QUEUE.run(ANNA, move |_deaf| {
        started.send(()).unwrap();
        ending.recv().unwrap();
        Ok(())
    }));
    starts.await.unwrap();
    request.abort();
    assert!(request.await.unwrap_err().is_cancelled());
    assert_eq!(QUEUE.slots.available_permits(), 0);
    end.send(()).unwrap();
    QUEUE.run(ANNA, |_job| Ok(())).await.unwrap();
}

#[tokio::test]
async fn peer_has_neither_all_slots_nor_the_whole_queue() {
    static QUEUE: LazyLock<FairQueue> = LazyLock::new(|| FairQueue::new(2, 1, 4, SLOW));
    let (request, _ends) = occupy(&QUEUE).await;
    let wait = || tokio::spawn(QUEUE.run(ANNA, |_job| Ok(())));
    let waiting = [wait(), wait()];
    while QUEUE.queue.in_use() < 2 {
        tokio::task::yield_now().await;
    }
    let error = QUEUE.run(ANNA, |_job| Ok(())).await.unwrap_err();
    assert_eq!(error.status, 429);
    QUEUE.run(BORIS, |_job| Ok(())).await.unwrap();

    request.abort();
    for waits in waiting {
        waits.await.unwrap().unwrap();
    }
    // Peers without requests are forgotten.
    while !QUEUE.peers().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn full_queue_evicts_the_heaviest_peer() {
    static QUEUE: LazyLock<FairQueue> = LazyLock::new(|| FairQueue::new(1, 1, 2, SLOW));
    const CLARA: Peer = Peer::Identity(RecordNumber(3));
    let (request, _ends) = occupy(&QUEUE).await;
    let wait = |peer| tokio::spawn(QUEUE.run(peer, |_job| Ok(())));
    let mut of_boris = Vec::new();
    for number in 1..=2 {
        of_boris.push(wait(BORIS));
        while QUEUE.queue.in_use() < number {
            tokio::task::yield_now().await;
        }
    }
    let of_clara = wait(CLARA);
    let newest = of_boris.pop().unwrap();
    assert_eq!(newest.await.unwrap().unwrap_err().status, 429);
    request.abort();
    of_clara.await.unwrap().unwrap();
    of_boris.pop().unwrap().await.unwrap().unwrap();
}

#[tokio::test]
async fn slots_of_slow_clients_go_to_waiting_requests() {
    static QUEUE: LazyLock<FairQueue> = LazyLock::new(|| FairQueue::new(3, 2, 4, SLOW));
    const CLARA: Peer = Peer::Identity(RecordNumber(3));
    let slow = |peer| {
        let (started, starts) = oneshot::channel();
        let work = QUEUE.run(peer, move |job| {
            assert!(!job.must_yield(SLOW), "nobody waits");
            started.send(()).unwrap();
            while !job.must_yield(SLOW) && !job.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(job.is_cancelled())
        });
        (tokio::spawn(work), starts)
    };
    let mut requests = Vec::new();
    for peer in [ANNA, ANNA, BORIS] {
        let (request, begins) = slow(peer);
        begins.await.unwrap();
        requests.push(request);
    }
    // Both get a slot, and the third slow job keeps its own.
    for _ in 0..2 {
        let (next, other) = tokio::join!(
            QUEUE.run(BORIS, |job| {
                assert!(!job.must_yield(Duration::ZERO), "it is not slow");
                Ok("next")
            }),
            QUEUE.run(CLARA, |_job| Ok("other"))
        );
        assert_eq!((next.unwrap(), other.unwrap()), ("next", "other"));
    }
    let demand = QUEUE.demand();
    assert_eq!((demand.waiting, demand.yielded), (0, 0));
    drop(demand);
    for request in &requests {
        request.abort();
    }
}
