//! `transport` and `proxy`.

use std::time::Duration;

use rustls_pki_types::ServerName;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::{PATIENCE, World};

const PROXY: &str = "{binding: proxy, address: 'tcp:127.0.0.1:0', service: echo}";
const TRANSPORT: &str = "{binding: transport, address: 'tcp:127.0.0.1:0'}";

async fn read_line(stream: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    let reading = stream.read_line(&mut line);
    timeout(PATIENCE, reading).await.unwrap().unwrap();
    line
}

#[tokio::test]
async fn proxy_sends_everything_to_its_service() {
    let world = World::new(PROXY).await;
    for number in 0..3 {
        let mut client = TcpStream::connect(world.address()).await.unwrap();
        let said = format!("hello {number}");
        client.write_all(said.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let mut heard = String::new();
        client.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, said);
    }
    let asked = (String::new(), "echo".to_owned());
    assert_eq!(world.requests(), [asked.clone(), asked.clone(), asked]);
    world.end().await;
}

#[tokio::test]
async fn proxy_closes_what_it_has_no_circuit_for() {
    let other = PROXY.replace("echo", "other");
    let world = World::new(&other).await;
    let mut client = TcpStream::connect(world.address()).await.unwrap();
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).await.unwrap();
    assert_eq!(heard, b"");
    world.end().await;
}

/// As long as a controller refuses circuits, an administrator is told once.
#[tokio::test]
async fn proxy_without_circuits_raises_one_alert() {
    let other = PROXY.replace("echo", "other");
    let world = World::new(&other).await;
    for _ in 0..3 {
        let mut client = TcpStream::connect(world.address()).await.unwrap();
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).await.unwrap();
    }
    let told = async {
        while world.alerts.lock().is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, told).await.unwrap();
    // Messages of a router are read in their order: one more request comes after all alerts.
    let mut client = TcpStream::connect(world.address()).await.unwrap();
    client.read_to_end(&mut Vec::new()).await.unwrap();
    assert_eq!(world.requests().len(), 4);
    let alerts = world.alerts.lock().clone();
    let [alert] = &alerts[..] else {
        panic!("{alerts:?}");
    };
    assert_eq!(alert.text, "unable to proxy service");
    assert_eq!(alert.details, ["listeners[0]: there is no service other"]);
    assert_eq!(alert.related_entities["service"], "other");
    world.end().await;
}

#[tokio::test]
async fn what_clients_ask_for_in_vain_is_no_alert() {
    let world = World::new(TRANSPORT).await;
    for _ in 0..2 {
        let client = TcpStream::connect(world.address()).await.unwrap();
        let mut client = BufReader::new(client);
        client.write_all(b"{\"svcId\":\"other\"}\n").await.unwrap();
        read_line(&mut client).await;
    }
    assert_eq!(world.requests().len(), 2);
    assert!(world.alerts.lock().is_empty());
    world.end().await;
}

/// What comes with the first line is not lost.
#[tokio::test]
async fn first_line_says_which_service_is_meant() {
    let world = World::new(TRANSPORT).await;
    let client = TcpStream::connect(world.address()).await.unwrap();
    let mut client = BufReader::new(client);
    let said = b"{\"id\":\"me\",\"svcId\":\"echo\"}\nwith the line, ";
    client.write_all(said).await.unwrap();
    let answer = read_line(&mut client).await;
    assert_eq!(
        answer,
        "{\"scc\":true,\"msg\":\"\",\"circuitId\":\"circuit-1\"}\n"
    );
    client.write_all(b"and after it").await.unwrap();
    client.shutdown().await.unwrap();
    let mut heard = String::new();
    client.read_to_string(&mut heard).await.unwrap();
    assert_eq!(heard, "with the line, and after it");
    assert_eq!(world.requests(), [("me".to_owned(), "echo".to_owned())]);
    world.end().await;
}

#[tokio::test]
async fn refusals_are_answered_by_a_line() {
    let world = World::new(TRANSPORT).await;
    for (line, message) in [
        ("{\"svcId\":\"other\"}\n", "there is no service other"),
        ("{}\n", "`svcId` in the first line is empty"),
    ] {
        let client = TcpStream::connect(world.address()).await.unwrap();
        let mut client = BufReader::new(client);
        client.write_all(line.as_bytes()).await.unwrap();
        let answer = read_line(&mut client).await;
        let expected = format!("{{\"scc\":false,\"msg\":\"{message}\",\"circuitId\":\"\"}}\n");
        assert_eq!(answer, expected);
        assert_eq!(read_line(&mut client).await, "", "closed");
    }
    world.end().await;
}

#[tokio::test]
async fn lines_that_never_end_are_refused() {
    let world = World::new(TRANSPORT).await;
    let client = TcpStream::connect(world.address()).await.unwrap();
    let mut client = BufReader::new(client);
    let _may_be_closed = client.write_all(&[b'x'; 5000]).await;
    let answer = read_line(&mut client).await;
    let expected =
        "{\"scc\":false,\"msg\":\"the first line is longer than 4096 bytes\",\"circuitId\":\"\"}\n";
    assert_eq!(answer, expected);
    world.end().await;
}

#[tokio::test]
async fn without_a_controller_nobody_gets_a_circuit() {
    let world = World::without_controller(TRANSPORT).await;
    let client = TcpStream::connect(world.address()).await.unwrap();
    let mut client = BufReader::new(client);
    client.write_all(b"{\"svcId\":\"echo\"}\n").await.unwrap();
    let answer = read_line(&mut client).await;
    assert!(answer.contains("no controller is connected"), "{answer}");
    world.end().await;
}

/// The client has been refused by then.
#[tokio::test]
async fn circuits_that_come_too_late_are_given_back() {
    let options = "options: {getCircuitTimeout: 50ms}}";
    let listener = TRANSPORT.replace('}', &format!(", {options}"));
    let world = World::new(&listener).await;
    let client = TcpStream::connect(world.address()).await.unwrap();
    let mut client = BufReader::new(client);
    client.write_all(b"{\"svcId\":\"late\"}\n").await.unwrap();
    let answer = read_line(&mut client).await;
    assert!(
        answer.contains("the controller does not answer"),
        "{answer}"
    );
    let given_back = async {
        while world.ended.lock().is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, given_back).await.unwrap();
    assert_eq!(*world.ended.lock(), ["circuit-1"]);
}

#[tokio::test]
async fn listeners_may_have_tls() {
    let world = World::new(&PROXY.replace("tcp:", "tls:")).await;
    let connector = world.certificate.connector();
    let socket = TcpStream::connect(world.address()).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connecting = connector.connect(name, socket);
    let mut client = connecting.await.unwrap();
    client.write_all(b"hello").await.unwrap();
    client.shutdown().await.unwrap();
    let mut heard = String::new();
    client.read_to_string(&mut heard).await.unwrap();
    assert_eq!(heard, "hello");
    world.end().await;
}
