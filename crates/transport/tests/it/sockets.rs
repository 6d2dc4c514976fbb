//! Channels over TCP, in real time.

use crate::support::{
    Pair, assert_no_tasks, controller, note, number, router, send_notes, transport,
};
use portcullis_channel::{CloseReason, Message, Priority};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (accepted, dialed) = tokio::join!(listener.accept(), TcpStream::connect(address));
    (accepted.unwrap().0, dialed.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_messages_in_both_directions_over_two_connections() {
    const COUNT: usize = 20_000;
    let transport = transport();
    let (near, far) = pair().await;
    let mut pair_ = Pair::open_over(&transport, controller(), router(), near, far).await;
    let (near, far) = pair().await;
    pair_.extend_over(near, far).await;
    let exchange = |mut end: crate::support::End| async move {
        let handle = end.handle.clone();
        let sending = tokio::spawn(async move {
            for each in 0..COUNT {
                let sent = handle.send_tracked(Priority::Default, note(each)).unwrap();
                if each % 100 == 0 {
                    sent.await;
                }
            }
        });
        for expected in 0..COUNT {
            assert_eq!(number(&end.inbox.next().await.unwrap()), expected);
        }
        sending.await.unwrap();
        end
    };
    let Pair {
        router, controller, ..
    } = pair_;
    let (router, controller) = tokio::join!(exchange(router), exchange(controller));
    // The last messages arrive although the socket is closed behind them.
    send_notes(&controller.handle, 0..10);
    drop(controller);
    let mut inbox = router.inbox;
    for expected in 0..10 {
        assert_eq!(number(&inbox.next().await.unwrap()), expected);
    }
    drop(inbox);
    assert_no_tasks(&transport).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_from_many_tasks_get_their_own_replies() {
    let transport = transport();
    let (near, far) = pair().await;
    let Pair {
        router, controller, ..
    } = Pair::open_over(&transport, controller(), router(), near, far).await;
    let mut inbox = controller.inbox;
    let handle = controller.handle;
    let answering = tokio::spawn(async move {
        while let Some(request) = inbox.next().await {
            let reply = Message::new(request.content_type()).with_body(request.body().clone());
            handle
                .reply(&request.reply_to(), Priority::Default, reply)
                .unwrap();
        }
        handle.closed().await
    });
    let asking: Vec<_> = (0..16)
        .map(|task| {
            let handle = router.handle.clone();
            tokio::spawn(async move {
                for each in task * 1000..task * 1000 + 500 {
                    let reply = handle
                        .request(Priority::Default, note(each), Duration::from_secs(30))
                        .unwrap();
                    assert_eq!(number(&reply.await.unwrap()), each);
                }
            })
        })
        .collect();
    for each in asking {
        each.await.unwrap();
    }
    drop(router.inbox);
    assert_eq!(answering.await.unwrap(), CloseReason::ConnectionsLost);
}
