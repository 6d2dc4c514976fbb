//! The API over HTTP: a small server, asked by `curl` where it is installed, else over a plain socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;

use portcullis_router::health::{ControllerStatus, DueCheck, HealthChecks, Request, respond};
use portcullis_router::web::BindPoint;

use crate::world::{at, checks};

/// Answers as many requests as are expected, one for each connection.
fn serve(listener: &TcpListener, checks: &HealthChecks, requests: usize) {
    let here = BindPoint::new(listener.local_addr().unwrap().to_string());
    for _ in 0..requests {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = BufReader::new(&stream).lines();
        let first = head.next().unwrap().unwrap();
        for line in head {
            if line.unwrap().is_empty() {
                break;
            }
        }
        let mut words = first.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let answer = respond(checks, Request { method, target }, &here);
        write!(stream, "HTTP/1.1 {} \r\n", answer.status).unwrap();
        for (name, value) in &answer.headers {
            write!(stream, "{name}: {value}\r\n").unwrap();
        }
        let length = answer.body.len();
        write!(
            stream,
            "content-length: {length}\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        stream.write_all(answer.body.as_bytes()).unwrap();
    }
}

/// Asks and gives the whole answer, head and body.
fn ask(address: SocketAddr, target: &str) -> String {
    let url = format!("http://{address}{target}");
    match Command::new("curl")
        .args([
            "--silent",
            "--show-error",
            "--include",
            "--max-time",
            "20",
            &url,
        ])
        .env_remove("http_proxy")
        .env("NO_PROXY", "*")
        .output()
    {
        Ok(output) => {
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        },
        Err(absent) => {
            println!("curl cannot be run ({absent}); asking over a plain socket");
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {target} HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        },
    }
}

#[test]
fn a_client_gets_the_document_and_the_status_it_asks_for() {
    let failing = checks("{}");
    let mut passing = checks("{}");
    for work in passing.poll(at(15_000)) {
        match work {
            DueCheck::Ping(run) => {
                passing.finish_ping(run, ControllerStatus::Answering, at(15_001));
            },
            DueCheck::CountLinks(run) => passing.finish_count(run, vec![], at(15_000)),
        }
    }
    let cases = [
        ("/health-checks", 200, 200),
        ("/health-checks?type=short", 200, 200),
        ("/health-checks?type=short&status=code", 200, 503),
        ("/anything/else", 200, 200),
    ];
    for (checks, healthy) in [(passing, true), (failing, false)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // Nobody waits for the server: a failed test must not hang.
        thread::spawn(move || serve(&listener, &checks, cases.len()));
        for (target, when_passing, when_failing) in cases {
            let text = ask(address, target);
            let (head, body) = text.split_once("\r\n\r\n").expect("head and body");
            let status = if healthy { when_passing } else { when_failing };
            assert!(
                head.starts_with(&format!("HTTP/1.1 {status} ")),
                "{target}: {head}"
            );
            assert!(head.contains("content-type: application/json"), "{head}");
            let document: serde_json::Value = serde_json::from_str(body).expect("JSON");
            assert_eq!(document["data"]["healthy"], healthy, "{target}");
            let is_short = document["data"]["checks"][0]["lastCheckTime"].is_null();
            assert_eq!(is_short, target.contains("short"), "{target}");
        }
    }
}
