use super::*;
use portcullis_domain::ids::Number;
use std::sync::{LazyLock, mpsc};
use tokio::sync::oneshot;

const ANNA: Peer = Peer::Identity(Number(1));
const BORIS: Peer = Peer::Identity(Number(2));

/// How long work at a desk may wait for its client while others wait.
const SLOW: Duration = Duration::from_secs(1);

/// Begins work that goes on until its requester is gone; answers when it is under way. The
/// receiver hears of its end.
async fn occupy(desk: &'static Desk) -> (tokio::task::JoinHandle<()>, mpsc::Receiver<()>) {
    let (begun, begins) = oneshot::channel();
    let (ended, ends) = mpsc::channel();
    let request = tokio::spawn(async move {
        let _ = desk
            .work(ANNA, move |requester| {
                begun.send(()).unwrap();
                while !requester.is_gone() {
                    std::thread::yield_now();
                }
                ended.send(()).unwrap();
                Ok(())
            })
            .await;
    });
    begins.await.unwrap();
    (request, ends)
}

#[tokio::test]
async fn work_learns_that_nobody_waits_any_more() {
    static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(1, 1, 1, SLOW));
    let (request, ends) = occupy(&DESK).await;
    request.abort();
    let ended = tokio::task::spawn_blocking(move || ends.recv_timeout(Duration::from_secs(20)));
    ended.await.unwrap().unwrap();
    let next = DESK.work(ANNA, |_requester| Ok("next")).await;
    assert_eq!(next.unwrap(), "next");
}

#[tokio::test]
async fn line_is_bounded_and_left_by_those_who_give_up() {
    static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(1, 1, 1, SLOW));
    let (request, _ends) = occupy(&DESK).await;
    let never = DESK.work(ANNA, |_requester| -> Result<(), ApiError> {
        panic!("for nobody")
    });
    let waits = tokio::spawn(never);
    while DESK.line.in_use() < 1 {
        tokio::task::yield_now().await;
    }
    let error = DESK.work(ANNA, |_requester| Ok(())).await.unwrap_err();
    assert_eq!(error.status, 429);
    assert!(error.headers.iter().any(|(name, _)| name == "retry-after"));

    waits.abort();
    assert!(waits.await.unwrap_err().is_cancelled());
    request.abort();
    let next = DESK.work(ANNA, |_requester| Ok("next")).await;
    assert_eq!(next.unwrap(), "next");
}

#[tokio::test]
async fn place_is_kept_until_the_work_ends() {
    static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(1, 1, 1, SLOW));
    let (begun, begins) = oneshot::channel();
    let (end, ending) = mpsc::channel::<()>();
    let request = tokio::spawn(DESK.work(ANNA, move |_deaf| {
        begun.send(()).unwrap();
        ending.recv().unwrap();
        Ok(())
    }));
    begins.await.unwrap();
    request.abort();
    assert!(request.await.unwrap_err().is_cancelled());
    assert_eq!(DESK.places.available_permits(), 0);
    end.send(()).unwrap();
    DESK.work(ANNA, |_requester| Ok(())).await.unwrap();
}

#[tokio::test]
async fn nobody_has_all_places_or_the_whole_line() {
    static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(2, 1, 4, SLOW));
    let (request, _ends) = occupy(&DESK).await;
    let wait = || tokio::spawn(DESK.work(ANNA, |_requester| Ok(())));
    let waiting = [wait(), wait()];
    while DESK.line.in_use() < 2 {
        tokio::task::yield_now().await;
    }
    let error = DESK.work(ANNA, |_requester| Ok(())).await.unwrap_err();
    assert_eq!(error.status, 429);
    DESK.work(BORIS, |_requester| Ok(())).await.unwrap();

    request.abort();
    for waits in waiting {
        waits.await.unwrap().unwrap();
    }
    // Who is not there is not known any more.
    while !DESK.peers().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn full_line_is_left_by_the_peer_that_has_most_of_it() {
    static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(1, 1, 2, SLOW));
    const CLARA: Peer = Peer::Identity(Number(3));
    let (request, _ends) = occupy(&DESK).await;
    let wait = |peer| tokio::spawn(DESK.work(peer, |_requester| Ok(())));
    let mut of_boris = Vec::new();
    for number in 1..=2 {
        of_boris.push(wait(BORIS));
        while DESK.line.in_use() < number {
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
async fn places_of_slow_clients_go_to_those_who_wait() {
    static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(3, 2, 4, SLOW));
    const CLARA: Peer = Peer::Identity(Number(3));
    let slow = |peer| {
        let (begun, begins) = oneshot::channel();
        let work = DESK.work(peer, move |requester| {
            assert!(!requester.gives_way(SLOW), "nobody waits");
            begun.send(()).unwrap();
            while !requester.gives_way(SLOW) && !requester.is_gone() {
                std::thread::yield_now();
            }
            Ok(requester.is_gone())
        });
        (tokio::spawn(work), begins)
    };
    let mut requests = Vec::new();
    for peer in [ANNA, ANNA, BORIS] {
        let (request, begins) = slow(peer);
        begins.await.unwrap();
        requests.push(request);
    }
    // Both get a place, and the third slow one keeps its own.
    for _ in 0..2 {
        let (next, other) = tokio::join!(
            DESK.work(BORIS, |requester| {
                assert!(!requester.gives_way(Duration::ZERO), "it is not slow");
                Ok("next")
            }),
            DESK.work(CLARA, |_requester| Ok("other"))
        );
        assert_eq!((next.unwrap(), other.unwrap()), ("next", "other"));
    }
    let demand = DESK.demand();
    assert_eq!((demand.waiting, demand.given_up), (0, 0));
    drop(demand);
    for request in &requests {
        request.abort();
    }
}
