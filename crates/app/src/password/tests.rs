use super::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Waker};

fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn at(last: u8) -> Peer {
    Peer::from_address([192, 0, 2, last].into())
}

/// Keeps the only thread busy until the sender is used or dropped.
fn occupy(pool: &PasswordPool) -> Sender<()> {
    let (started, has_started): (_, Receiver<()>) = channel();
    let (release, released) = channel::<()>();
    pool.0.jobs.add(
        at(255),
        Box::new(move |_, _| {
            started.send(()).unwrap();
            // A dropped sender also ends the wait.
            let _ = released.recv();
        }),
    );
    has_started.recv().unwrap();
    release
}

/// Starts a check by a peer; it is queued when this returns.
fn begin(
    pool: &PasswordPool,
    peer: Peer,
) -> impl Future<Output = Result<PasswordCheck, PoolFullError>> {
    let mut check = Box::pin(pool.verify(peer, "x".into(), None));
    let mut early = match check.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    };
    async move {
        match early.take() {
            Some(outcome) => outcome,
            None => check.await,
        }
    }
}

#[test]
fn cheap_hash_is_renewed_when_the_password_is_right() {
    let pool = PasswordPool::start(1, 4).unwrap();
    // Argon2id of `correct horse` with the costs of OpenZiti and a salt of 10 bytes.
    let cheap = PasswordHash {
        memory: 3072,
        passes: 1,
        lanes: 4,
        salt: "MDEyMzQ1Njc4OQ==".to_owned(),
        hash: "2V0TwqXU7sK4zwcrqJxc4pMgJOo32t+2bHG9FvgMaYA=".to_owned(),
    };
    let check = |password: &str, stored: &PasswordHash| {
        wait(pool.verify(at(1), password.into(), Some(stored.clone()))).unwrap()
    };
    let right = |is_cheap| PasswordCheck::Right {
        needs_rehash: is_cheap,
    };
    assert_eq!(check("correct horse", &cheap), right(true));
    assert_eq!(check("correct hors", &cheap), PasswordCheck::Wrong);
    let renewed = wait(pool.hash(at(1), "correct horse".into(), [5; SALT_LENGTH])).unwrap();
    assert_eq!(check("correct horse", &renewed), right(false));
    assert_eq!(pool.hashed(), 4);
}

#[test]
fn excess_is_turned_away_at_once() {
    let pool = PasswordPool::start(1, 2).unwrap();
    let _release = occupy(&pool);
    let _waits = begin(&pool, at(1));
    let before = Instant::now();
    // The thread is still busy, so only the queue can have rejected it.
    assert_eq!(wait(begin(&pool, at(1))), Err(PoolFullError));
    assert!(before.elapsed().as_millis() < 50);
}

#[test]
fn one_address_keeps_no_other_address_out() {
    let pool = PasswordPool::start(1, 8).unwrap();
    let release = occupy(&pool);
    let flood: Vec<_> = (1..=2)
        .flat_map(|last| (0..100).map(move |_| at(last)))
        .map(|peer| begin(&pool, peer))
        .collect();
    let honest = [begin(&pool, at(3)), begin(&pool, at(4))];
    drop(release);
    for login in honest {
        assert_eq!(wait(login), Ok(PasswordCheck::Wrong));
    }
    let served = flood.into_iter().flat_map(wait).count();
    assert_eq!(served, 6, "the newest of each lost its place to others");
}

#[test]
fn addresses_that_have_logged_in_do_not_wait_behind_a_crowd_of_strangers() {
    let pool = PasswordPool::start(1, 8).unwrap();
    pool.trust(at(1));
    let release = occupy(&pool);
    let crowd: Vec<_> = (10..100).map(|last| begin(&pool, at(last))).collect();
    let (stranger, known) = (begin(&pool, at(2)), begin(&pool, at(1)));
    drop(release);
    assert_eq!(wait(known), Ok(PasswordCheck::Wrong));
    assert_eq!(wait(stranger), Err(PoolFullError));
    drop(crowd);
}
