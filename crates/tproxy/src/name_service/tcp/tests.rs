//! Connections of clients, over loopback.

use super::*;
use std::net::SocketAddr;

struct Server {
    address: SocketAddr,
    connections: Arc<Connections>,
    inputs: mpsc::Receiver<Input>,
    listening: tokio::task::JoinHandle<()>,
}

impl Server {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let address = listener.local_addr().expect("an address");
        let connections = Arc::new(Connections::default());
        let (sender, inputs) = mpsc::channel(8);
        let listening = tokio::spawn(listen(listener, Arc::clone(&connections), sender));
        Self {
            address,
            connections,
            inputs,
            listening,
        }
    }

    async fn query(&mut self) -> (Vec<u8>, usize) {
        match timeout(IDLE_TIME, self.inputs.recv()).await {
            Ok(Some(Input::Query { message, client })) => (message, client.socket),
            other => panic!("no query: {other:?}"),
        }
    }
}

#[tokio::test]
async fn answers_come_in_any_order_also_to_who_has_finished() {
    let mut server = Server::new().await;
    let mut client = TcpStream::connect(server.address).await.expect("connects");
    for query in ["one", "two", "three"] {
        send(&mut client, query.as_bytes()).await.expect("is sent");
    }
    client.shutdown().await.expect("is half closed");
    let mut number = 0;
    for expected in ["one", "two", "three"] {
        let (query, connection) = server.query().await;
        assert_eq!(query, expected.as_bytes());
        number = connection;
    }
    for answer in ["third", "first", "second"] {
        server.connections.answer(number, answer.into());
        let received = receive(&mut client).await.expect("an answer");
        assert_eq!(received, answer.as_bytes());
    }
    let end = receive(&mut client).await.expect_err("is closed");
    assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    server.listening.abort();
}

#[tokio::test]
async fn a_client_has_so_many_connections_and_no_more() {
    let mut server = Server::new().await;
    let mut clients = Vec::new();
    for _ in 0..MAX_CONNECTIONS_OF_CLIENT {
        let mut client = TcpStream::connect(server.address).await.expect("connects");
        send(&mut client, b"query").await.expect("is sent");
        let (_, number) = server.query().await;
        server.connections.answer(number, b"answer".to_vec());
        assert_eq!(receive(&mut client).await.expect("an answer"), b"answer");
        clients.push(client);
    }
    let mut further = TcpStream::connect(server.address).await.expect("connects");
    receive(&mut further).await.expect_err("is closed at once");

    // One that has gone makes room.
    clients.pop();
    loop {
        let mut next = TcpStream::connect(server.address).await.expect("connects");
        // It may be closed before that.
        let _ = send(&mut next, b"late").await;
        let (query, number) = tokio::select! {
            query = server.query() => query,
            _ = receive(&mut next) => continue,
        };
        assert_eq!(query, b"late");
        server.connections.answer(number, b"answer".to_vec());
        assert_eq!(receive(&mut next).await.expect("an answer"), b"answer");
        break;
    }
    server.listening.abort();
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_left() {
    let mut server = Server::new().await;
    let mut silent = TcpStream::connect(server.address).await.expect("connects");
    // The first byte of a length.
    silent.write_all(&[0]).await.expect("is sent");
    receive(&mut silent).await.expect_err("is closed");
    assert!(server.inputs.try_recv().is_err());
    server.listening.abort();
}
