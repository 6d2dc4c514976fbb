//! A web server on the loopback that publishes key sets, well or badly.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

/// What it does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Conduct {
    /// Answers JSON.
    Json(String),
    /// Answers a page for people.
    Html,
    /// Answers that something went wrong.
    Broken,
    /// Sends elsewhere.
    Redirect(String),
    /// Answers more than anybody wants to read.
    Huge,
    /// Says nothing.
    Silent,
}

/// The server; it ends when this is dropped.
pub(crate) struct KeyServer {
    pub(crate) url: String,
    conduct: Arc<Mutex<Conduct>>,
    requests: Arc<AtomicUsize>,
    _serving: AbortOnDropHandle<()>,
}

impl KeyServer {
    pub(crate) async fn start(conduct: Conduct) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        let conduct = Arc::new(Mutex::new(conduct));
        let requests = Arc::new(AtomicUsize::new(0));
        let (shared, counted) = (conduct.clone(), requests.clone());
        let serving = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let conduct = shared.lock().unwrap().clone();
                // Whoever asked may have gone away.
                tokio::spawn(async move { answer(socket, conduct).await.ok() });
            }
        });
        Self {
            url,
            conduct,
            requests,
            _serving: AbortOnDropHandle::new(serving),
        }
    }

    /// Does something else from now on.
    pub(crate) fn turn_to(&self, conduct: Conduct) {
        *self.conduct.lock().unwrap() = conduct;
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

async fn answer(mut socket: TcpStream, conduct: Conduct) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await?);
    }
    let (status, more, body) = match conduct {
        Conduct::Json(body) => ("200 OK", "content-type: application/json".to_owned(), body),
        Conduct::Html => {
            let body = "<html>Log in first</html>".to_owned();
            ("200 OK", "content-type: text/html".to_owned(), body)
        },
        Conduct::Broken => (
            "500 Oops",
            "content-type: application/json".to_owned(),
            "{}".to_owned(),
        ),
        Conduct::Redirect(to) => ("302 Found", format!("location: {to}"), String::new()),
        Conduct::Huge => {
            let body = format!("{{\"keys\":[],\"x\":\"{}\"}}", "x".repeat(2 * 1024 * 1024));
            ("200 OK", "content-type: application/json".to_owned(), body)
        },
        Conduct::Silent => return std::future::pending().await,
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{more}\r\ncontent-length: {length}\r\n\r\n");
    socket.write_all(head.as_bytes()).await?;
    socket.write_all(body.as_bytes()).await?;
    socket.shutdown().await
}
