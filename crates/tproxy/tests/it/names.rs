//! A name server with real sockets.

use crate::command::{beside, sh};
use crate::echo::{self, instance, options};
use crate::lan::Lan;
use crate::namespace::isolated;
use portcullis_channel::Moment;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_name_server::{InterceptedNames, NameLimits, NameServer, NameServerOptions};
use portcullis_seeded_random::Random;
use portcullis_tproxy::{Input, Interceptor, LocalNetworks, NameSockets};
use portcullis_tunnel_config::{Intercept, NameAddresses};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

struct Numbers(Mutex<Random>);

impl Entropy for Numbers {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let mut random = self.0.lock().expect("a lock");
        for byte in bytes {
            *byte = random.next().to_be_bytes()[0];
        }
        Ok(())
    }
}

/// Serves `wiki.corp` and names in `all.corp`, with addresses of a range.
async fn serve(mut sockets: NameSockets, options: NameServerOptions, range: &str) {
    let config = json!({
        "protocols": ["tcp"],
        "addresses": ["wiki.corp", "*.all.corp"],
        "portRanges": [{"low": 80, "high": 80}],
    });
    let range = range.parse().expect("a network");
    let mut names = InterceptedNames::new(NameAddresses::new(range), NameLimits::default());
    names.insert(
        "wiki",
        &Intercept::from_intercept_v1(&config).expect("a configuration"),
    );
    let entropy = Numbers(Mutex::new(Random::from_seed(1)));
    let mut server = NameServer::new(&options, Arc::new(entropy));
    let start = Instant::now();
    loop {
        while let Some(output) = server.poll_output() {
            sockets.perform(output);
        }
        let timer = server
            .poll_timeout()
            .map(|moment| start + moment.since(Moment::ZERO));
        let timer = async {
            match timer {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let input = tokio::select! {
            input = sockets.next() => Some(input),
            () = timer => None,
        };
        let now = Moment::ZERO + start.elapsed();
        match input {
            Some(Input::Query { message, client }) => {
                server.handle_query(&message, client, &mut names, now);
            },
            Some(Input::Answer {
                query,
                from,
                message,
            }) => {
                server.handle_answer(query, from, &message, now);
            },
            Some(Input::Unreachable { query }) => server.handle_unreachable(query, now),
            None => server.handle_timeout(now),
        }
    }
}

struct Host {
    interceptor: Interceptor,
    networks: LocalNetworks,
}

impl Host {
    async fn new(rules: &[&str]) -> Self {
        Self {
            interceptor: echo::start(options(), rules).await,
            networks: LocalNetworks::start(&instance("test"))
                .await
                .expect("starts"),
        }
    }

    async fn open(&self, address: &str) -> NameSockets {
        let address = address.parse().expect("an address");
        let own = instance("test");
        let opened = NameSockets::open(address, &own, &self.interceptor, &self.networks).await;
        opened.expect("opens")
    }

    async fn stop(self) {
        self.interceptor.stop().await;
        self.networks.stop().await;
    }
}

async fn dig(arguments: &'static str) -> String {
    let line = format!("dig +time=5 +tries=1 {arguments}");
    beside(move || sh(&line)).await.trim_end().to_owned()
}

#[test]
fn dig_is_answered_over_udp_and_tcp() {
    isolated("names::dig_is_answered_over_udp_and_tcp", || async {
        let host = Host::new(&["tcp 100.64.0.0/10 1-65535"]).await;
        // 10.10.10.10 belongs to no interface.
        let places = [
            ("127.0.0.1:53", "127.0.0.1"),
            ("10.10.10.10:53", "10.10.10.10"),
        ];
        for (address, _) in places {
            let sockets = host.open(address).await;
            assert_eq!(sockets.address().to_string(), address);
            tokio::spawn(serve(
                sockets,
                NameServerOptions::default(),
                "100.64.0.0/10",
            ));
        }
        assert_eq!(dig("+short @127.0.0.1 wiki.corp").await, "100.64.0.2");
        assert_eq!(dig("+short +tcp @127.0.0.1 wiki.corp").await, "100.64.0.2");
        assert_eq!(dig("+short @10.10.10.10 a.all.corp").await, "100.64.0.2");
        assert_eq!(
            dig("+short +tcp @10.10.10.10 wiki.corp").await,
            "100.64.0.3"
        );
        assert_eq!(dig("+short @127.0.0.1 AAAA wiki.corp").await, "");
        assert_eq!(dig("+short @127.0.0.1 -x 100.64.0.2").await, "wiki.corp.");
        assert!(
            dig("@127.0.0.1 example.com")
                .await
                .contains("status: REFUSED")
        );
        // Several queries on one connection.
        let several = dig("+short +tcp +keepopen @127.0.0.1 wiki.corp b.all.corp c.all.corp").await;
        assert_eq!(several, "100.64.0.2\n100.64.0.3\n100.64.0.4");
        host.stop().await;
    });
}

#[test]
fn other_names_are_asked_of_upstreams() {
    isolated("names::other_names_are_asked_of_upstreams", || async {
        let host = Host::new(&["udp 0.0.0.0/0 1-65535", "tcp 0.0.0.0/0 1-65535"]).await;
        let upstream = host.open("127.0.0.2:5300").await;
        let upstream = tokio::spawn(serve(
            upstream,
            NameServerOptions::default(),
            "203.0.113.0/24",
        ));
        for (address, scheme) in [("127.0.0.3:53", "udp"), ("127.0.0.4:53", "tcp")] {
            let options = NameServerOptions {
                upstreams: vec![
                    format!("{scheme}://127.0.0.2:5300")
                        .parse()
                        .expect("an upstream"),
                ],
                timeout: Duration::from_secs(2),
                ..NameServerOptions::default()
            };
            let sockets = host.open(address).await;
            // Names that this one does not have itself, but the other one.
            tokio::spawn(serve_nothing(sockets, options));
        }
        assert_eq!(dig("+short @127.0.0.3 wiki.corp").await, "203.0.113.2");
        assert_eq!(dig("+short @127.0.0.4 a.all.corp").await, "203.0.113.3");
        assert_eq!(dig("+short +tcp @127.0.0.4 wiki.corp").await, "203.0.113.2");
        stop(upstream).await;
        assert!(
            dig("@127.0.0.3 wiki.corp")
                .await
                .contains("status: SERVFAIL")
        );
        assert!(
            dig("@127.0.0.4 wiki.corp")
                .await
                .contains("status: SERVFAIL")
        );
        host.stop().await;
    });
}

/// A name server whose every query goes to upstreams.
async fn serve_nothing(mut sockets: NameSockets, options: NameServerOptions) {
    let mut names = InterceptedNames::<&str>::new(NameAddresses::default(), NameLimits::default());
    let entropy = Numbers(Mutex::new(Random::from_seed(2)));
    let mut server = NameServer::new(&options, Arc::new(entropy));
    let start = Instant::now();
    loop {
        while let Some(output) = server.poll_output() {
            sockets.perform(output);
        }
        let input = tokio::time::timeout(Duration::from_millis(20), sockets.next()).await;
        let now = Moment::ZERO + start.elapsed();
        match input {
            Ok(Input::Query { message, client }) => {
                server.handle_query(&message, client, &mut names, now);
            },
            Ok(Input::Answer {
                query,
                from,
                message,
            }) => {
                server.handle_answer(query, from, &message, now);
            },
            Ok(Input::Unreachable { query }) => server.handle_unreachable(query, now),
            Err(_elapsed) => server.handle_timeout(now),
        }
    }
}

async fn stop(task: JoinHandle<()>) {
    task.abort();
    task.await.expect_err("is cancelled");
}

#[test]
fn programs_reach_services_by_name() {
    isolated("names::programs_reach_services_by_name", || async {
        let _lan = Lan::new();
        let host = Host::new(&["tcp 100.64.0.0/10 1-65535"]).await;
        let sockets = host.open("127.0.0.1:53").await;
        tokio::spawn(serve(
            sockets,
            NameServerOptions::default(),
            "100.64.0.0/10",
        ));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resolv.conf");
        std::fs::write(&path, "nameserver 127.0.0.1\n").expect("written");
        sh(&format!("mount --bind {} /etc/resolv.conf", path.display()));
        // The proxy begins with a line of its own, and sends back the request.
        let answer =
            beside(|| sh("curl --silent --http0.9 --max-time 5 http://wiki.corp/page || true"))
                .await;
        let mut lines = answer.lines();
        assert_eq!(lines.next(), Some("intercepted 10.77.0.1 to 100.64.0.2:80"));
        assert_eq!(lines.next(), Some("GET /page HTTP/1.1"));
        assert_eq!(lines.next(), Some("Host: wiki.corp"));
        let answer = beside(|| sh("echo hello | nc -q 1 -w 5 a.all.corp 80")).await;
        assert_eq!(answer, "intercepted 10.77.0.1 to 100.64.0.3:80\nhello\n");
        host.stop().await;
    });
}
