//! What is left behind, by this program and by others.

use crate::command::sh;
use crate::echo::{self, LIMIT, greeting, instance, options};
use crate::namespace::{in_same_namespace, is_isolated, isolated};
use portcullis_tproxy::LocalNetworks;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// All that tunnelers change.
fn kernel() -> String {
    let routes = "ip route show table all; ip -6 route show table all";
    sh(&format!("nft list ruleset; ip rule; ip -6 rule; {routes}"))
}

/// Tables and rules of other programs, and of another tunneler.
const OTHERS: &str = "
    nft add table inet other
    nft add chain inet other output '{ type filter hook output priority 0; }'
    ip rule add pref 90 fwmark 7 lookup 7
    ip route add local default dev lo table 7
    ip -6 rule add pref 40000 fwmark 7 lookup 7
";

#[test]
fn everything_is_removed_at_the_end() {
    isolated("removal::everything_is_removed_at_the_end", || async {
        sh(OTHERS);
        let mut of_other = options();
        of_other.instance = instance("other");
        let other = echo::start(of_other, &["tcp 192.0.2.0/24 80"]).await;
        let before = kernel();

        let rules = ["tcp 100.64.0.0/10 80", "udp fd64::/64 1-65535"];
        let interceptor = echo::start(options(), &rules).await;
        let networks = LocalNetworks::start(&instance("test"))
            .await
            .expect("starts");
        let network = "10.9.0.0/16".parse().expect("a network");
        networks.add(network).await.expect("is added");
        assert_ne!(kernel(), before);
        let clone = interceptor.clone();
        interceptor.stop().await;
        networks.stop().await;
        assert_eq!(kernel(), before);
        let late = clone.apply(echo::added(&["tcp 10.0.0.0/8 1"])).await;
        assert_eq!(
            late.expect_err("is stopped").to_string(),
            "nothing is intercepted any more"
        );

        let interceptor = echo::start(options(), &rules).await;
        drop(interceptor);
        eventually("the last clone removes everything", || kernel() == before);
        assert!(greeting("192.0.2.1:80").await.starts_with("intercepted "));
        other.stop().await;
    });
}

#[test]
fn what_a_killed_one_has_left_is_removed_at_the_next_start() {
    let test = "removal::what_a_killed_one_has_left_is_removed_at_the_next_start";
    isolated(test, || async {
        sh(OTHERS);
        let before = kernel();
        let mut child = in_same_namespace("removal::waits_to_be_killed", &["env"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut lines = output.lines();
        assert!(lines.any(|line| line.expect("a text").contains("intercepting")));
        // SIGKILL.
        child.kill().expect("is killed");
        child.wait().expect("ends");
        let left = kernel();
        assert!(
            left.contains("portcullis_test") && left.contains("10.9.0.0/16"),
            "{left}"
        );

        let interceptor = echo::start(options(), &["tcp 100.64.0.0/10 443"]).await;
        let networks = LocalNetworks::start(&instance("test"))
            .await
            .expect("starts");
        assert!(greeting("100.64.0.2:443").await.starts_with("intercepted "));
        assert!(!kernel().contains("100.65.0.0/16") && !kernel().contains("10.9.0.0/16"));
        interceptor.stop().await;
        networks.stop().await;
        assert_eq!(kernel(), before);
    });
}

/// The process that the test above kills.
#[test]
#[ignore = "a process of another test"]
fn waits_to_be_killed() {
    let test = "removal::waits_to_be_killed";
    if !is_isolated(test) {
        return;
    }
    isolated(test, || async {
        let _interceptor = echo::start(options(), &["tcp 100.65.0.0/16 80"]).await;
        let networks = LocalNetworks::start(&instance("test"))
            .await
            .expect("starts");
        let network = "10.9.0.0/16".parse().expect("a network");
        networks.add(network).await.expect("is added");
        println!("intercepting");
        tokio::time::sleep(LIMIT * 10).await;
    });
}

#[test]
fn what_others_remove_is_set_up_again() {
    isolated("removal::what_others_remove_is_set_up_again", || async {
        let mut options = options();
        options.check_interval = Duration::from_millis(50);
        let rules = ["tcp 100.64.0.0/10 80", "tcp fd64::/64 80"];
        let interceptor = echo::start(options, &rules).await;
        let whole = kernel();
        for removal in [
            "nft flush ruleset",
            "ip rule flush && ip rule add lookup main pref 32766 && ip rule add lookup default pref 32767",
            "nft flush ruleset; ip -6 rule del pref 90",
            "ip link set lo down; ip link set lo up",
        ] {
            sh(removal);
            eventually(removal, || kernel() == whole);
            for address in ["100.64.0.2:80", "[fd64::2]:80"] {
                assert!(
                    greeting(address).await.starts_with("intercepted "),
                    "{removal}"
                );
            }
        }
        // That of networks without another route; it has the number of the mark.
        let table = instance("test").own_mark();
        sh(&format!("ip route flush table {table}"));
        eventually("routes", || kernel() == whole);
        // A change notices at once.
        sh("nft flush ruleset");
        interceptor
            .apply(echo::added(&["tcp 100.64.0.0/10 81"]))
            .await
            .expect("is applied");
        assert!(greeting("100.64.0.2:80").await.starts_with("intercepted "));
        interceptor.stop().await;
    });
}

fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LIMIT, "{what}: {}", kernel());
    }
}
