//! `portcullis-tunnel` at both ends of a network: an ordinary server at the one, ordinary clients at the other.

use crate::overlay::echo::{EchoServer, OpenConnection, exchange};
use crate::overlay::sdk::Sdk;
use crate::overlay::{self, Overlay};
use serde_json::json;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;
use support::controller::free_port;
use support::{
    Controller, Curl, Running, TestDirectory, Tool, binaries, command, run, tools, wait, wheel,
};

/// Time for a service to be reached, or not any more.
const PATIENCE: Duration = Duration::from_secs(30);

const MEGABYTES: usize = 4 << 20;

/// A controller with a router beside it.
fn network(site: &TestDirectory) -> Controller {
    let with_router = ["--router", "--router-port", "0"];
    site.quickstart().with(with_router).start()
}

/// An identity of this name, which the program has enrolled itself.
fn enroll(overlay: &Overlay<'_>, name: &str) -> PathBuf {
    let identity = json!({
        "name": name, "type": "Default", "isAdmin": false, "roleAttributes": [name],
        "enrollment": {"ott": true},
    });
    let id = overlay.create("identities", &identity);
    let created = overlay.admin.get(&format!("/identities/{id}")).data();
    let token = overlay.site.file(&format!("{name}.jwt"));
    let jwt = created["enrollment"]["ott"]["jwt"].as_str().unwrap();
    fs::write(&token, jwt).unwrap();
    let enrolled = run(Command::new(binaries::tunnel()).arg("enroll").arg(&token)).success();
    let file = overlay.site.file(&format!("{name}.json"));
    assert!(
        enrolled.text().contains("Enrolled; the identity is in "),
        "{}",
        enrolled.text()
    );
    file
}

/// A tunneler that hosts.
fn host(overlay: &Overlay<'_>, identity: &Path) -> Running {
    let mut command = Command::new(binaries::tunnel());
    command.arg("host").arg("--identity").arg(identity);
    Running::start(overlay.site, "tunnel-host", command)
}

/// A tunneler with these ports.
fn proxy(overlay: &Overlay<'_>, identity: &Path, rules: &[String]) -> Running {
    let mut command = Command::new(binaries::tunnel());
    command
        .arg("proxy")
        .arg("--identity")
        .arg(identity)
        .args(rules);
    Running::start(overlay.site, "tunnel-proxy", command)
}

fn until<T>(what: &str, attempt: impl FnMut() -> std::io::Result<T>) -> T {
    let done = wait::until(PATIENCE, attempt);
    done.unwrap_or_else(|problem| panic!("{what}: {problem}"))
}

/// Sends datagrams until one comes back.
fn echo_datagram(socket: &UdpSocket, text: &[u8]) -> std::io::Result<()> {
    socket.send(text)?;
    let mut back = [0; 2_048];
    let length = socket.recv(&mut back)?;
    assert_eq!(&back[..length], text);
    Ok(())
}

/// A server that sends datagrams back, until the process ends.
fn datagram_server() -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut buffer = vec![0; 65_536];
        while let Ok((length, client)) = socket.recv_from(&mut buffer) {
            let _ = socket.send_to(&buffer[..length], client);
        }
    });
    port
}

/// A page, and the server that has it.
fn serve_page(site: &TestDirectory) -> (u16, Running) {
    let folder = site.file("www");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("index.html"), "Hello from a dark service.").unwrap();
    let port = free_port();
    let mut server = Command::new("python3");
    server.args(["-m", "http.server", &port.to_string()]);
    server
        .args(["--bind", "127.0.0.1", "--directory"])
        .arg(folder);
    (port, Running::start(site, "pages", server))
}

/// Fetches the page, however long it takes until it is there.
fn fetch_page(url: &str) {
    let fetched = wait::until(PATIENCE, || {
        let output = Curl::bare(url).argument("--fail").output();
        let is_there = output.status.success();
        is_there.then(|| output.text()).ok_or(output.stderr)
    });
    assert!(fetched.unwrap().contains("Hello from a dark service."));
}

#[test]
fn an_unchanged_client_reaches_an_unchanged_server() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = network(&site);
    let overlay = Overlay::with_policies(&site, &controller);
    let (pages, _server) = serve_page(&site);
    let echo = EchoServer::start();
    overlay.service("wiki", &[overlay::host(pages)]);
    overlay.service("echo", &[overlay::host(echo.port())]);
    let datagrams = json!({"protocol": "udp", "address": "127.0.0.1", "port": datagram_server()});
    overlay.service("time", &[("host.v1", datagrams)]);
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let [host_file, client_file] = ["host", "client"].map(|name| enroll(&overlay, name));

    let mut hosting = host(&overlay, &host_file);
    hosting.until_logged("Services that are hosted: echo, time, wiki.");
    for service in ["wiki", "echo", "time"] {
        overlay.until_hosted(service);
    }
    let ports = [free_port(), free_port(), free_port()];
    let [wiki, echoing, time] = ports;
    let rules = [
        format!("wiki:{wiki}"),
        format!("echo:{echoing}"),
        format!("time:{time}:udp"),
    ];
    let mut proxying = proxy(&overlay, &client_file, &rules);
    proxying.until_logged(&format!("tcp port 127.0.0.1:{wiki} leads to wiki."));

    fetch_page(&format!("http://127.0.0.1:{wiki}/"));
    let connect = || TcpStream::connect(("127.0.0.1", echoing));
    until("megabytes", || exchange(&connect()?, MEGABYTES));
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(("127.0.0.1", time)).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    until("datagrams", || echo_datagram(&socket, &[7; 1_200]));

    // The port goes with the right, and so do connections.
    let mut open = OpenConnection::new(connect().unwrap());
    overlay.forbid("Dial");
    let mut rest = Vec::new();
    let ended = open.read_to_end(&mut rest);
    assert!(ended.is_err() || rest.is_empty(), "{ended:?} {rest:?}");
    let closed = wait::until(PATIENCE, || match connect() {
        Ok(_) => Err("the port is still open"),
        Err(_closed) => Ok(()),
    });
    closed.unwrap();
    overlay.allow("Dial", "client");
    until("the port is open again", || exchange(&connect()?, 1_000));

    proxying.end_well();
    hosting.end_well();
    assert!(controller.terminate().success());
}

/// The service is encrypted from end to end.
#[test]
fn host_of_the_c_sdk_is_reached() {
    let Some(python) = wheel::python().filter(|_| tools::are_available(&[Tool::Curl])) else {
        return;
    };
    let site = TestDirectory::new();
    // The SDK knows RS256 as the only signature of tokens.
    let with_router = ["--router", "--router-port", "0", "--key-type", "rsa2048"];
    let controller = site.quickstart().with(with_router).start();
    let overlay = Overlay::with_policies(&site, &controller);
    overlay.service("hosted", &[overlay::intercept("hosted.test")]);
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let [host_file, client_file] = ["host", "client"].map(|name| enroll(&overlay, name));
    let sdk = Sdk::C(python.into());

    let _hosting = sdk.host(&site, &host_file, "hosted");
    overlay.until_hosted("hosted");
    let port = free_port();
    let proxying = proxy(&overlay, &client_file, &[format!("hosted:{port}")]);
    until("the host of the C SDK", || {
        exchange_with_digest(&TcpStream::connect(("127.0.0.1", port))?)
    });
    proxying.end_well();
    assert!(controller.terminate().success());
}

/// Sends megabytes and closes the sending half; they come back, and after them their digest.
fn exchange_with_digest(mut connection: &TcpStream) -> std::io::Result<()> {
    const DIGEST: usize = 32;
    connection.set_read_timeout(Some(PATIENCE))?;
    let sent: Vec<u8> = (0..MEGABYTES)
        .map(|at| at.to_le_bytes()[0] ^ at.to_le_bytes()[1])
        .collect();
    let mut sender = connection.try_clone()?;
    let sending = thread::spawn({
        let sent = sent.clone();
        move || {
            sender.write_all(&sent)?;
            sender.shutdown(Shutdown::Write)
        }
    });
    let mut received = vec![0; sent.len() + DIGEST];
    connection.read_exact(&mut received)?;
    sending.join().unwrap()?;
    assert!(received.starts_with(&sent), "not what was sent came back");
    Ok(())
}

/// Names the test that is in its namespace.
const ISOLATED: &str = "PORTCULLIS_ISOLATED_TEST";

/// Runs a test once more in namespaces of its own: with a loopback interface and nothing else, and with mounts that
/// nobody else sees. Whether this is that run.
fn is_isolated(test: &str) -> bool {
    if std::env::var_os(ISOLATED).is_some() {
        return true;
    }
    let mut unshare = Command::new("unshare");
    unshare.args(["--net", "--mount", "--propagation", "private", "--"]);
    let can_isolate = unshare
        .arg("true")
        .status()
        .is_ok_and(|status| status.success());
    if !can_isolate {
        println!("skipped: it takes the rights of root to make network namespaces");
        return false;
    }
    // Nothing can be fetched there.
    binaries::tunnel();
    let mut again = Command::new("unshare");
    again
        .args(["--net", "--mount", "--propagation", "private", "--"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(ISOLATED, test);
    assert!(
        again.status().unwrap().success(),
        "{test} failed in its namespace"
    );
    false
}

fn sh(script: &str) -> String {
    run(Command::new("sh").args(["-c", script]))
        .success()
        .text()
}

#[test]
fn an_unchanged_browser_reaches_a_private_name() {
    let tools = ["nft", "ip", "unshare", "mount"];
    if !tools::are_available(&[Tool::Curl])
        || tools
            .iter()
            .any(|tool| command::find_in_path(tool).is_none())
        || !is_isolated("tunnel_program::an_unchanged_browser_reaches_a_private_name")
    {
        return;
    }
    sh("ip link set lo up");
    let site = TestDirectory::new();
    let controller = network(&site);
    let overlay = Overlay::with_policies(&site, &controller);
    let (pages, _server) = serve_page(&site);
    let intercept = overlay::intercept("wiki.internal");
    overlay.service("wiki", &[overlay::host(pages), intercept]);
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let [host_file, client_file] = ["host", "client"].map(|name| enroll(&overlay, name));
    let hosting = host(&overlay, &host_file);
    overlay.until_hosted("wiki");
    let before = sh("nft list tables; ip rule; ip -6 rule");

    let mut command = Command::new(binaries::tunnel());
    command.arg("run").arg("--identity").arg(&client_file);
    let mut running = Running::start(&site, "tunnel-run", command);
    running.until_logged("Connections are intercepted for 1 service.");
    let names = site.file("resolv.conf");
    fs::write(&names, "nameserver 100.64.0.1\noptions timeout:1\n").unwrap();
    sh(&format!(
        "mount --bind {} /etc/resolv.conf",
        names.display()
    ));
    fetch_page("http://wiki.internal/");

    overlay.forbid("Dial");
    let refused = wait::until(PATIENCE, || {
        let output = Curl::bare("http://wiki.internal/")
            .argument("--fail")
            .output();
        let is_gone = !output.status.success();
        is_gone
            .then_some(())
            .ok_or("the name still leads to the service")
    });
    refused.unwrap();

    running.end_well();
    hosting.end_well();
    assert_eq!(sh("nft list tables; ip rule; ip -6 rule"), before);
    assert!(controller.terminate().success());
}
