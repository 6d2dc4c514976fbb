//! Rules that change while connections are open.

use crate::echo::{self, Connection, added, greeting, options, removed};
use crate::lan::Lan;
use crate::namespace::isolated;
use portcullis_tunneler::RuleChange;

#[test]
fn open_connections_stay_as_they_are() {
    isolated("changes::open_connections_stay_as_they_are", || async {
        let mut lan = Lan::new();
        for address in ["10.99.0.1:80", "[fd99::1]:80"] {
            lan.serve(address);
        }
        let rules = ["tcp 10.99.0.0/16 80", "tcp fd99::/64 80"];
        let interceptor = echo::start(options(), &[]).await;
        for address in ["10.99.0.1:80", "[fd99::1]:80"] {
            let (mut direct, line) = Connection::open(address).await.expect("connects");
            assert!(line.starts_with("from "), "{line}");
            assert_eq!(direct.ask("one").await.expect("a line"), "direct one");

            interceptor.apply(added(&rules)).await.expect("is applied");
            assert_eq!(direct.ask("two").await.expect("a line"), "direct two");
            let (mut intercepted, line) = Connection::open(address).await.expect("connects");
            assert!(line.starts_with("intercepted "), "{line}");

            interceptor
                .apply(removed(&rules))
                .await
                .expect("is applied");
            assert!(intercepted.is_echoed(1_000_000).await);
            assert_eq!(direct.ask("three").await.expect("a line"), "direct three");
            assert!(greeting(address).await.starts_with("from "));
        }
        interceptor.stop().await;
    });
}

#[test]
fn a_rule_may_give_way_to_wider_and_narrower_ones() {
    isolated(
        "changes::a_rule_may_give_way_to_wider_and_narrower_ones",
        || async {
            let steps = [
                "tcp 100.64.0.0/10 80",
                "tcp 100.64.0.0/10 70-90",
                "tcp 100.64.0.0/16 80",
                "tcp 100.64.0.2 1-65535",
                "tcp 100.0.0.0/8 80",
            ];
            let interceptor = echo::start(options(), &[]).await;
            let mut before: Vec<&str> = Vec::new();
            for step in steps {
                let change = RuleChange {
                    removed: removed(&before).removed,
                    added: added(&[step]).added,
                };
                interceptor.apply(change).await.expect(step);
                before = vec![step];
                let line = greeting("100.64.0.2:80").await;
                assert!(line.starts_with("intercepted "), "{step}: {line}");
            }
            // What is told twice, or was never there, does no harm.
            interceptor.apply(added(&before)).await.expect("is applied");
            interceptor
                .apply(removed(&["tcp 203.0.113.0/24 1"]))
                .await
                .expect("is applied");
            assert!(greeting("100.64.0.2:80").await.starts_with("intercepted "));
            interceptor
                .apply(removed(&before))
                .await
                .expect("is applied");
            Connection::open("100.64.0.2:80")
                .await
                .expect_err("there is no route");
            interceptor.stop().await;
        },
    );
}

#[test]
fn a_change_that_is_refused_changes_nothing() {
    isolated(
        "changes::a_change_that_is_refused_changes_nothing",
        || async {
            let interceptor = echo::start(options(), &["tcp 100.64.0.0/10 80"]).await;
            // They have a part in common, which the kernel does not take.
            let overlapping = [
                "tcp 192.0.2.0/24 70-80",
                "tcp 192.0.2.0/25 75-90",
                "udp 192.0.2.0/24 9",
            ];
            let error = interceptor
                .apply(added(&overlapping))
                .await
                .expect_err("is refused");
            assert!(
                error.to_string().starts_with("`nft` has failed: "),
                "{error}"
            );
            assert!(greeting("100.64.0.2:80").await.starts_with("intercepted "));
            Connection::open("192.0.2.1:75")
                .await
                .expect_err("there is no route");
            interceptor
                .apply(added(&["tcp 192.0.2.0/24 70-80"]))
                .await
                .expect("is applied");
            assert!(greeting("192.0.2.1:75").await.starts_with("intercepted "));
            interceptor.stop().await;
        },
    );
}
