//! Clients that want to be expensive.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::api::{CLIENT, MANAGEMENT};
use support::tools::are_available;
use support::{Api, CommandOutput, Controller, Openssl, TestDirectory, Tool, command, wait};

/// Half-open connections of an ordinary run. `PORTCULLIS_HALF_OPEN` opens as many as wanted, if this
/// process may open as many descriptors.
const HALF_OPEN: usize = 2_000;

/// How many of them may take a MiB: 64 KiB each.
const HALF_OPEN_IN_A_MEBIBYTE: usize = 16;

/// Time that a handshake may take (S-21), and some for a busy machine.
const HANDSHAKE: Duration = Duration::from_secs(10);
const SLACK: Duration = Duration::from_secs(20);

/// Sends bytes over TLS as they are, and reads until the controller closes.
fn raw(site: &TestDirectory, controller: &Controller, bytes: &[u8]) -> CommandOutput {
    let mut command = Openssl::new(site.work()).command();
    command.args(["s_client", "-quiet", "-connect", controller.host_port()]);
    command::run_with(&mut command, bytes, wait::DEFAULT_TIMEOUT)
}

fn status(outcome: &CommandOutput) -> String {
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let line = text.lines().next().unwrap_or_default();
    line.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn bodies_beyond_the_limit_of_their_route_are_refused() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let login = format!("{CLIENT}/authenticate?method=password");
    let create = format!("{MANAGEMENT}/identities");
    let fill = |size: usize| format!("{{\"name\":\"{}\"}}", "x".repeat(size));
    for (api, path, size, expected) in [
        (&Api::anonymous(&controller), &login, 300 << 10, 413),
        (&admin, &create, 2 << 20, 413),
        // Large, but allowed: judged for what it says.
        (&admin, &create, 512 << 10, 400),
    ] {
        for flags in [&[][..], &["--header", "transfer-encoding: chunked"]] {
            let reply = api
                .curl(path)
                .arguments(flags.iter().copied())
                .body("POST", "application/json", fill(size))
                .send();
            assert_eq!(reply.status, expected, "{path} {size} {flags:?}");
        }
    }
    assert_eq!(
        admin.get("/identities?limit=1").status,
        200,
        "nothing was harmed"
    );
}

#[test]
fn client_hears_the_answer_to_a_body_that_nobody_reads() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let stranger = Api::anonymous(&controller);
    let create = format!("{MANAGEMENT}/identities");
    for size in [0, 40 << 10, 1 << 20] {
        for flags in [
            &["--http2"][..],
            &["--http1.1"],
            &["--http1.1", "--header", "transfer-encoding: chunked"],
        ] {
            let request = stranger.curl(&create).arguments(flags.iter().copied());
            let body = "x".repeat(size);
            let reply = request.body("POST", "application/json", body).send();
            assert_eq!(reply.status, 401, "{size} {flags:?}");
        }
    }
}

/// Resident memory of a process, in MiB.
pub(crate) fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
#[cfg(target_os = "linux")]
fn memory_of_password_hashes_is_given_back() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let stranger = Api::anonymous(&controller);
    let login = format!("{CLIENT}/authenticate?method=password");
    let before = resident(controller.process());
    for _ in 0..25 {
        let body = r#"{"username":"nobody","password":"a wrong one"}"#;
        let reply = stranger.curl(&login).body("POST", "application/json", body);
        reply.send().expect_status(401);
    }
    let after = resident(controller.process());
    assert!(
        after < before + 40,
        "{before} MiB became {after} MiB: a hash takes 19"
    );
}

#[test]
fn requests_that_do_not_make_sense_are_refused_and_end_the_connection() {
    if !are_available(&[Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let head = "Host: localhost\r\n";
    let url = format!("GET /{} HTTP/1.1\r\n{head}\r\n", "a".repeat(1 << 20));
    let header = format!("GET / HTTP/1.1\r\n{head}X: {}\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("GET / HTTP/1.1\r\n{head}{}\r\n", "X: y\r\n".repeat(100_000));
    let promised = "Content-Type: application/json\r\nContent-Length: 1099511627776\r\n";
    let huge = format!("POST {CLIENT}/authenticate HTTP/1.1\r\n{head}{promised}\r\n{{}}");
    let twice = "Content-Length: 2\r\nContent-Length: 3\r\n";
    let lengths = format!("POST {CLIENT}/authenticate HTTP/1.1\r\n{head}{twice}\r\n{{}} ");
    let both = "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n";
    let smuggled = format!("POST {CLIENT}/authenticate HTTP/1.1\r\n{head}{both}\r\n0\r\n\r\n");
    for (what, request) in [
        ("a URL of 1 MiB", url),
        ("a header of 1 MiB", header),
        ("100 000 headers", many),
        ("a body of 1 TiB", huge),
        ("two lengths", lengths),
        ("length and chunks", smuggled),
    ] {
        // That the command ends says that the controller closed the connection.
        let outcome = raw(&site, &controller, request.as_bytes());
        let status = status(&outcome);
        let is_refused = status.starts_with('4');
        // A client that still writes when the connection closes may lose the answer.
        assert!(
            is_refused || (status.is_empty() && request.len() > 1 << 16),
            "{what}: {status}"
        );
    }
}

#[test]
fn body_that_trickles_is_given_up() {
    if !are_available(&[Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let mut client = Openssl::new(site.work())
        .command()
        .args(["s_client", "-quiet", "-connect", controller.host_port()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = client.stdin.take().unwrap();
    let head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    write!(stdin, "POST {CLIENT}/authenticate HTTP/1.1\r\n{head}").unwrap();
    stdin.flush().unwrap();
    let ended = wait::until(Duration::from_secs(90), || {
        client
            .try_wait()
            .unwrap()
            .ok_or("the controller still waits for the rest")
    });
    let _ = client.kill();
    ended.unwrap();
}

/// As the C SDK does with each handshake. Strangers could fill the log with it.
#[test]
fn addresses_in_sni_are_a_detail_of_the_log() {
    if !are_available(&[Tool::Openssl]) {
        return;
    }
    for (filter, is_logged) in [("info", false), ("debug", true)] {
        let site = TestDirectory::new();
        let launch = site.quickstart().environment("PORTCULLIS_LOG", filter);
        let controller = launch.start();
        let mut command = Openssl::new(site.work()).command();
        command.args(["s_client", "-quiet", "-connect", controller.host_port()]);
        command.args(["-servername", "127.0.0.1"]);
        let request = b"GET /edge/client/v1/version HTTP/1.0\r\n\r\n";
        let answered = command::run_with(&mut command, request, wait::DEFAULT_TIMEOUT);
        assert_eq!(status(&answered), "200");
        assert!(controller.terminate().success());
        let logged = site.logged();
        assert_eq!(logged.contains("Illegal SNI"), is_logged, "{logged}");
    }
}

/// A sample of S-21: half of the connections say nothing, half begin a handshake.
#[test]
fn half_open_connections_are_closed_and_keep_nobody_out() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let count =
        std::env::var("PORTCULLIS_HALF_OPEN").map_or(HALF_OPEN, |count| count.parse().unwrap());
    let before = resident(controller.process());
    let start = Instant::now();
    let mut sockets: Vec<_> = (0..count)
        .map(|number| half_open(&controller, number % 2 == 0))
        .collect();

    let admin = Api::admin(&controller);
    assert_eq!(admin.get("/identities").status, 200);
    assert!(
        start.elapsed() < HANDSHAKE,
        "the login was not during the flood"
    );
    let grown = resident(controller.process()).saturating_sub(before);
    let room = u64::try_from(count / HALF_OPEN_IN_A_MEBIBYTE).unwrap();
    assert!(grown < room, "{count} connections took {grown} MiB");

    while let Some(mut socket) = sockets.pop() {
        let left = (HANDSHAKE + SLACK).saturating_sub(start.elapsed());
        socket
            .set_read_timeout(Some(left.max(Duration::from_millis(1))))
            .unwrap();
        let open = sockets.len() + 1;
        assert!(is_closed(&mut socket), "{open} connections are still open");
    }
    assert_eq!(admin.get("/identities").status, 200);
}

fn half_open(controller: &Controller, begins: bool) -> TcpStream {
    let mut socket = controller.connect();
    if begins {
        // A record that announces 512 bytes of handshake, and the first of them.
        socket
            .write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])
            .unwrap();
    }
    socket
}

/// Reads to the end; an alert may come before it.
fn is_closed(socket: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    match socket.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}
