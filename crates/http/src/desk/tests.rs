use super::*;
use portcullis_domain::ids::Number;
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::oneshot;

const ANNA: Peer = Peer::Identity(Number(1));
const BORIS: Peer = Peer::Identity(Number(2));

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
    static DESK: Desk = Desk::new(1, 1);
    let (request, ends) = occupy(&DESK).await;
    request.abort();
    let ended = tokio::task::spawn_blocking(move || ends.recv_timeout(Duration::from_secs(20)));
    ended.await.unwrap().unwrap();
    let next = DESK.work(ANNA, |_requester| Ok("next")).await;
    assert_eq!(next.unwrap(), "next");
}

#[tokio::test]
async fn line_is_bounded_and_left_by_those_who_give_up() {
    static DESK: Desk = Desk::new(1, 1);
    let (request, _ends) = occupy(&DESK).await;
    let never = DESK.work(ANNA, |_requester| -> Result<(), ApiError> {
        panic!("for nobody")
    });
    let waits = tokio::spawn(never);
    while DESK.line.available_permits() > 0 {
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
    static DESK: Desk = Desk::new(1, 1);
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
    static DESK: Desk = Desk::new(2, 4);
    let (request, _ends) = occupy(&DESK).await;
    let wait = || tokio::spawn(DESK.work(ANNA, |_requester| Ok(())));
    let waiting = [wait(), wait()];
    while DESK.line.available_permits() > 2 {
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
