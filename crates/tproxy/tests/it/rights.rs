//! Rights, and what lacks.

use crate::command::{beside, sh};
use crate::echo::{self, Connection, greeting, instance, options};
use crate::lan::Lan;
use crate::namespace::{in_same_namespace, is_isolated, isolated, run_test};
use portcullis_name_server::Output;
use portcullis_tproxy::{
    Input, InterceptError, Interceptor, LocalNetworks, NameSockets, connect_from,
};

/// Runs another test of this file as the user `nobody`, with these capabilities.
fn as_nobody(test: &str, capabilities: &str) {
    let capabilities = capabilities.to_owned();
    let sets = ["--inh-caps", "--ambient-caps", "--bounding-set"];
    let mut wrapper = vec![
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
    ];
    wrapper.push("--no-new-privs");
    for set in sets {
        wrapper.extend([set, &capabilities]);
    }
    run_test(test, &mut in_same_namespace(test, &wrapper));
}

#[test]
fn one_capability_is_enough() {
    isolated("rights::one_capability_is_enough", || async {
        let mut lan = Lan::new();
        lan.serve("10.99.0.1:80");
        tokio::task::block_in_place(|| {
            as_nobody("rights::works_with_one_capability", "-all,+net_admin");
        });
    });
}

#[test]
#[ignore = "a process of another test"]
fn works_with_one_capability() {
    let test = "rights::works_with_one_capability";
    if !is_isolated(test) {
        return;
    }
    isolated(test, || async {
        let capabilities = sh("grep CapEff /proc/self/status");
        assert_eq!(capabilities.trim(), "CapEff:\t0000000000001000");
        let rules = ["tcp 100.64.0.0/10 80", "tcp fd64::/64 80"];
        let interceptor = echo::start(options(), &rules).await;
        assert!(greeting("100.64.0.2:80").await.starts_with("intercepted "));
        assert!(greeting("[fd64::2]:80").await.starts_with("intercepted "));

        let own = instance("test");
        let networks = LocalNetworks::start(&own).await.expect("starts");
        let source = "192.0.2.7:0".parse().expect("an address");
        let server = "10.99.0.1:80".parse().expect("an address");
        let stream = connect_from(source, server, own.own_mark())
            .await
            .expect("connects");
        let (_, line) = Connection::greeted(stream).await.expect("a line");
        assert_eq!(line, "from 192.0.2.7");

        // Ports below 1024 take another capability.
        for place in ["127.0.0.1:53", "10.10.10.10:53"] {
            let address = place.parse().expect("an address");
            let mut sockets = NameSockets::open(address, &own, &interceptor, &networks)
                .await
                .expect("opens");
            assert_ne!(sockets.address().port(), 53);
            let host = address.ip();
            for flag in ["+notcp", "+tcp"] {
                let line = format!("dig +time=5 +tries=1 {flag} @{host} wiki.corp || true");
                let asking = tokio::spawn(beside(move || sh(&line)));
                let next = tokio::time::timeout(echo::LIMIT, sockets.next()).await;
                let Ok(Input::Query { message, client }) = next else {
                    panic!("no query at {place}, {flag}");
                };
                // The query with the flag that makes it an answer.
                let mut message = message;
                message[2] |= 0x80;
                sockets.perform(Output::Reply { client, message });
                let answer = asking.await.expect("does not panic");
                assert!(answer.contains("status: NOERROR"), "{answer}");
            }
        }
        interceptor.stop().await;
        networks.stop().await;
        assert!(!sh("ip rule; ip -6 rule").contains("fwmark"));
    });
}

#[test]
fn a_capability_of_the_file_is_enough() {
    isolated("rights::a_capability_of_the_file_is_enough", || async {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("copy");
        std::fs::copy(crate::namespace::this_program(), &copy).expect("copies");
        let copy = copy.to_str().expect("a text");
        sh(&format!(
            "chmod 755 {} && setcap cap_net_admin+ep {copy}",
            folder.path().display()
        ));
        let nobody = [
            "setpriv",
            "--reuid",
            "65534",
            "--regid",
            "65534",
            "--clear-groups",
            copy,
        ];
        let test = "rights::works_with_a_capability_of_its_file";
        let mut command = std::process::Command::new(nobody[0]);
        command
            .args(&nobody[1..])
            .args(["--exact", test, "--nocapture", "--include-ignored"]);
        command.env("PORTCULLIS_ISOLATED_TEST", test);
        run_test(test, &mut command);
    });
}

#[test]
#[ignore = "a process of another test"]
fn works_with_a_capability_of_its_file() {
    let test = "rights::works_with_a_capability_of_its_file";
    if !is_isolated(test) {
        return;
    }
    crate::namespace::prepared(|| async {
        let interceptor = echo::start(options(), &["tcp 100.64.0.0/10 80"]).await;
        assert!(greeting("100.64.0.2:80").await.starts_with("intercepted "));
        interceptor.stop().await;
    });
}

#[test]
fn without_rights_the_reason_is_said() {
    isolated("rights::without_rights_the_reason_is_said", || async {
        tokio::task::block_in_place(|| as_nobody("rights::fails_without_rights", "-all"));
    });
}

#[test]
#[ignore = "a process of another test"]
fn fails_without_rights() {
    let test = "rights::fails_without_rights";
    if !is_isolated(test) {
        return;
    }
    crate::namespace::prepared(|| async {
        let error = Interceptor::start(options())
            .await
            .expect_err("lacks rights");
        let expected = "the capability CAP_NET_ADMIN is needed, which this process does not have";
        assert_eq!(error.to_string(), expected);
        let error = LocalNetworks::start(&instance("test"))
            .await
            .expect_err("lacks rights");
        assert_eq!(error.to_string(), expected);
    });
}

#[test]
fn without_ipv6_ipv4_works() {
    isolated("rights::without_ipv6_ipv4_works", || async {
        sh("echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6");
        sh("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
        let rules = ["tcp 100.64.0.0/10 80", "tcp fd64::/64 80"];
        let interceptor = echo::start(options(), &rules).await;
        assert!(greeting("100.64.0.2:80").await.starts_with("intercepted "));
        assert!(!sh("nft list ruleset").contains("ip6"));
        interceptor.stop().await;
    });
}

#[test]
fn programs_of_the_path_get_no_rights() {
    isolated("rights::programs_of_the_path_get_no_rights", || async {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = folder.path().display();
        sh(&format!(
            "for name in nft ip; do printf '#!/bin/sh\\ntouch {ours}/was-run\\n' > {ours}/$name; \
             chmod 755 {ours}/$name; done"
        ));
        let test = "rights::intercepts";
        let path = format!("PATH={ours}:/usr/sbin:/usr/bin:/sbin:/bin");
        tokio::task::block_in_place(|| {
            run_test(test, &mut in_same_namespace(test, &["env", &path]));
        });
        assert!(!folder.path().join("was-run").exists());
    });
}

#[test]
#[ignore = "a process of another test"]
fn intercepts() {
    if !is_isolated("rights::intercepts") {
        return;
    }
    crate::namespace::prepared(|| async {
        let interceptor = echo::start(options(), &["tcp 100.64.0.0/10 80"]).await;
        assert!(greeting("100.64.0.2:80").await.starts_with("intercepted "));
        interceptor.stop().await;
    });
}

#[test]
fn a_missing_program_is_named() {
    isolated("rights::a_missing_program_is_named", || async {
        // Nothing is found below an empty folder.
        let folder = tempfile::tempdir().expect("a folder");
        let empty = folder.path().display();
        let place = sh("command -v nft").trim_end().to_owned();
        let folder_of_nft = place.strip_suffix("/nft").expect("a path");
        sh(&format!(
            "mount --bind {empty} $(readlink -f {folder_of_nft})"
        ));
        let error = Interceptor::start(options())
            .await
            .expect_err("lacks a program");
        assert!(
            matches!(error, InterceptError::MissingProgram { .. }),
            "{error}"
        );
    });
}
