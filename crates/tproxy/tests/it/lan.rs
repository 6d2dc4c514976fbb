//! Another machine beside that of the test: a network namespace at the other end of a cable.

use crate::command::{run, sh};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// Another machine, with the addresses 10.77.0.2 and `fd77::2`, to which the test's, 10.77.0.1 and `fd77::1`, is the
/// gateway. It has the networks 10.99.0.0/16 and `fd99::/64` as well, all addresses of which are its own, and the
/// test's machine sends everything else to it, too.
#[derive(Debug)]
pub(crate) struct Lan {
    holder: Child,
    servers: Vec<Child>,
}

/// Answers each line with the word `direct`, for as many connections as come.
const SERVER: &str = r#"
import socket, sys, threading
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
def serve(connection):
    for line in connection.makefile("rb"):
        connection.sendall(b"direct " + line)
listener = socket.create_server((sys.argv[1], int(sys.argv[2])), family=family, backlog=64)
print("ready", flush=True)
while True:
    connection, client = listener.accept()
    connection.sendall(("from %s\n" % client[0]).encode())
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
"#;

/// Sends a line, and prints what comes back: two lines.
const CLIENT: &str = r#"
import socket, sys
connection = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=20)
connection.sendall(b"hello\n")
lines = connection.makefile("r")
print(lines.readline() + lines.readline(), end="")
"#;

/// Sends so many bytes, and says whether the same come back, and from where.
const DATAGRAM_CLIENT: &str = r#"
import os, socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
client = socket.socket(family, socket.SOCK_DGRAM)
client.settimeout(20)
payload = os.urandom(int(sys.argv[3]))
client.sendto(payload, (sys.argv[1], int(sys.argv[2])))
answer, source = client.recvfrom(70000)
print("same" if answer == payload else "other", source[0], source[1])
"#;

impl Lan {
    pub(crate) fn new() -> Self {
        let mut holder = Command::new("unshare");
        holder.args(["--net", "sh", "-c", "echo ready; exec sleep 600"]);
        let holder = ready(&mut holder);
        let lan = Self {
            holder,
            servers: Vec::new(),
        };
        let pid = lan.holder.id();
        sh(&format!(
            "ip link add veth0 type veth peer name veth1 && ip link set veth1 netns {pid}"
        ));
        sh("ip addr add 10.77.0.1/24 dev veth0 && ip addr add fd77::1/64 dev veth0 nodad");
        sh("ip link set veth0 up");
        lan.sh("ip link set lo up && ip link set veth1 up");
        lan.sh("echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind");
        lan.sh("ip addr add 10.77.0.2/24 dev veth1 && ip addr add fd77::2/64 dev veth1 nodad");
        lan.sh("ip route add local 10.99.0.0/16 dev lo && ip -6 route add local fd99::/64 dev lo");
        lan.sh("ip route add default via 10.77.0.1 && ip -6 route add default via fd77::1");
        sh("ip route add default via 10.77.0.2 && ip -6 route add default via fd77::2");
        lan
    }

    /// Runs a line of the shell at the other machine.
    pub(crate) fn sh(&self, line: &str) -> String {
        self.run("sh", &["-c", line])
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let net = self.net();
        run("nsenter", &[&[net.as_str(), program], arguments].concat())
    }

    /// Starts a server there that tells clients that they have reached it.
    pub(crate) fn serve(&mut self, address: &str) {
        let (host, port) = split(address);
        let mut server = Command::new("nsenter");
        server.args([&self.net(), "python3", "-c", SERVER, &host, &port]);
        self.servers.push(ready(&mut server));
    }

    /// Starts another program there. It has to say that it is ready in a first line.
    pub(crate) fn start(&mut self, program: &[&str]) {
        let mut server = Command::new("nsenter");
        server.arg(self.net()).args(program);
        self.servers.push(ready(&mut server));
    }

    /// What a TCP client there gets when it connects to an address.
    pub(crate) fn connect(&self, address: &str) -> String {
        let (host, port) = split(address);
        self.run("python3", &["-c", CLIENT, &host, &port])
    }

    /// What a UDP client there gets when it sends so many bytes to an address.
    pub(crate) fn send(&self, address: &str, length: usize) -> String {
        let (host, port) = split(address);
        self.run(
            "python3",
            &["-c", DATAGRAM_CLIENT, &host, &port, &length.to_string()],
        )
    }

    fn net(&self) -> String {
        format!("--net=/proc/{}/ns/net", self.holder.id())
    }
}

impl Drop for Lan {
    fn drop(&mut self) {
        for child in self.servers.iter_mut().chain([&mut self.holder]) {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What a UDP client of this machine gets when it sends so many bytes to an address.
pub(crate) fn send_datagram(address: &str, length: usize) -> String {
    let (host, port) = split(address);
    run(
        "python3",
        &["-c", DATAGRAM_CLIENT, &host, &port, &length.to_string()],
    )
}

/// Starts a program, and waits until it prints a line.
fn ready(command: &mut Command) -> Child {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    assert!(!line.is_empty(), "{command:?} has ended");
    child
}

fn split(address: &str) -> (String, String) {
    let address: SocketAddr = address.parse().expect("an address");
    (address.ip().to_string(), address.port().to_string())
}
