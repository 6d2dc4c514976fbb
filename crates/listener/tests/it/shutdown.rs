//! The end of the listener.

use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use portcullis_listener::{
    Body, Connection, DrainFuture, Limits, Listener, ResponseFuture, ServerTls, Service,
    TlsVersion, full_body,
};
use portcullis_testkit::tls_client::{Client, Pair, Stream, closed, get, hear, soon};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::server::{Server, certified};

/// Sends a request that stays until it is let go.
async fn waiting(server: &Server) -> Stream {
    let mut stream = Client::anonymous().connect(server.address).await;
    soon(stream.write_all(b"GET /gate HTTP/1.1\r\nHost: a\r\n\r\n"))
        .await
        .unwrap();
    soon(server.signs.entered.acquire()).await.unwrap().forget();
    stream
}

#[tokio::test]
async fn running_request_finishes() {
    let handshake = Duration::from_mins(10);
    let server = Server::start(Limits {
        handshake,
        ..Limits::default()
    });
    let mut unused = Client::anonymous().connect(server.address).await;
    assert_eq!(get(&mut unused, "/").await.status, 200);
    let mut half_open = soon(TcpStream::connect(server.address)).await.unwrap();
    let mut running = waiting(&server).await;

    server.shutdown.cancel();

    closed(&mut unused).await;
    closed(&mut half_open).await;
    assert!(
        soon(TcpStream::connect(server.address)).await.is_err(),
        "nothing new is accepted"
    );
    server.signs.leave.add_permits(1);
    let reply = hear(&mut running).await;
    assert_eq!((reply.text(), reply.closes()), ("through", true));
    closed(&mut running).await;
    server.ended().await;
}

#[tokio::test]
async fn stuck_request_is_given_up() {
    let drain = Duration::from_millis(300);
    let server = Server::start(Limits {
        drain,
        ..Limits::default()
    });
    let mut running = waiting(&server).await;

    server.shutdown.cancel();

    closed(&mut running).await;
    server.ended().await;
}

/// A service whose requests leave a task behind.
struct Lasting {
    tasks: TaskTracker,
    leave: Arc<Semaphore>,
}

impl Service for Lasting {
    fn call(&self, _connection: &Arc<Connection>, _request: Request<Body>) -> ResponseFuture {
        let leave = Arc::clone(&self.leave);
        self.tasks
            .spawn(async move { leave.acquire().await.unwrap().forget() });
        Box::pin(std::future::ready(Response::new(full_body("begun"))))
    }

    fn drain(&self) -> DrainFuture<'_> {
        self.tasks.close();
        Box::pin(self.tasks.wait())
    }
}

/// Starts a server, lets a request leave a task behind, and begins to end.
async fn leave_a_task_behind(drain: Duration) -> (Arc<Semaphore>, JoinHandle<()>) {
    let pairs = certified(&[Pair::named(&["localhost"])]);
    let tls = ServerTls::new(pairs, TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
    let leave = Arc::new(Semaphore::new(0));
    let service = Lasting {
        tasks: TaskTracker::new(),
        leave: Arc::clone(&leave),
    };
    let limits = Limits {
        drain,
        ..Limits::default()
    };
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (address, shutdown) = (listener.local_addr(), CancellationToken::new());
    let serving = listener.serve(Arc::new(service), Arc::new(tls), limits, shutdown.clone());
    let serving = tokio::spawn(serving);
    let mut stream = Client::anonymous().connect(address).await;
    assert_eq!(get(&mut stream, "/").await.text(), "begun");
    shutdown.cancel();
    closed(&mut stream).await;
    (leave, serving)
}

#[tokio::test]
async fn work_that_outlives_its_request_finishes() {
    let (leave, mut serving) = leave_a_task_behind(Duration::from_mins(1)).await;
    let early = timeout(Duration::from_millis(300), &mut serving).await;
    assert!(early.is_err(), "the work is not done");
    leave.add_permits(1);
    soon(serving).await.unwrap();
}

#[tokio::test]
async fn stuck_work_is_given_up() {
    let (_leave, serving) = leave_a_task_behind(Duration::from_millis(300)).await;
    soon(serving).await.unwrap();
}
