//! Clients that only begin connections.

use crate::command::{run, sh};
use crate::echo::{self, options_of_gateway};
use crate::lan::Lan;
use crate::namespace::isolated;

/// Sends the first packet of 20 000 connections, from as many addresses that are nobody's.
const FLOOD: &str = r#"
import socket, struct
sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
destination = socket.inet_aton("100.64.0.2")
def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff
for number in range(20000):
    source = struct.pack("!BBH", 10, 88, number)
    segment = lambda check: struct.pack("!HHIIBBHHH", 1024 + number % 60000, 80, number, 0, 0x50, 2, 8192, check, 0)
    pseudo = source + destination + struct.pack("!BBH", 0, 6, 20)
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, 6, 0, source, destination)
    sender.sendto(header + segment(checksum(pseudo + segment(0))), ("100.64.0.2", 0))
print("sent")
"#;

#[test]
fn connections_that_are_only_begun_are_in_nobodys_way() {
    isolated(
        "flood::connections_that_are_only_begun_are_in_nobodys_way",
        || async {
            let mut lan = Lan::new();
            // The kernel remembers none of them, as it does when it has no room; how long that takes would be chance.
            sh("echo 2 > /proc/sys/net/ipv4/tcp_syncookies");
            let interceptor = echo::start(options_of_gateway(), &["tcp 100.64.0.0/10 80"]).await;
            // Returns when all packets have been sent.
            lan.start(&["python3", "-c", FLOOD]);
            let answer = tokio::task::block_in_place(|| lan.connect("100.64.0.2:80"));
            assert_eq!(answer, "intercepted 10.77.0.2 to 100.64.0.2:80\nhello\n");
            // It recognizes the one that goes on.
            let counters = run("nstat", &["-asz", "TcpExtSyncookiesRecv"]);
            let line = counters
                .lines()
                .find(|line| line.starts_with("TcpExtSyncookiesRecv"));
            let count = line
                .and_then(|line| line.split_whitespace().nth(1))
                .expect("a counter");
            assert_ne!(count, "0", "{counters}");
            interceptor.stop().await;
        },
    );
}
