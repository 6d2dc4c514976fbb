//! What hosts offer, and what they refuse.

use super::*;
use crate::app_data::AppData;
use crate::template::TunnelerIdentity;
use portcullis_domain::identity::Precedence;
use serde_json::json;
use std::time::Duration;

fn terminator(config: &Value) -> HostTerminator {
    let host = Host::from_configs(|name| (name == "host.v1").then_some(config));
    let host = host.expect("valid").expect("one");
    let mut terminators = host.terminators.into_iter();
    terminators.next().expect("a terminator").expect("valid")
}

fn error(config: &Value) -> String {
    let host = Host::from_configs(|name| (name == "host.v1").then_some(config));
    host.expect_err("invalid").to_string()
}

fn forwarding() -> HostTerminator {
    terminator(&json!({
        "forwardProtocol": true, "allowedProtocols": ["tcp"],
        "forwardAddress": true, "allowedAddresses": ["10.0.0.0/8", "*.corp", "2001:db8::/32"],
        "forwardPort": true, "allowedPortRanges": [{"low": 80, "high": 90}, {"low": 443, "high": 443}],
        "allowedSourceAddresses": ["192.0.2.0/24"],
        "forwardAddressTranslations": [
            {"from": "10.0.0.0", "to": "172.16.0.0", "prefixLength": 12},
            {"from": "10.1.1.4", "to": "198.51.100.4", "prefixLength": 32},
        ],
    }))
}

/// The target of a connection, or why there is none, in words.
fn target(terminator: &HostTerminator, data: Value) -> Result<String, String> {
    let data: AppData = serde_json::from_value(data).expect("texts");
    let target = terminator
        .target(&data)
        .map_err(|error| error.to_string())?;
    let source = target.source.map(|source| format!(" from {source}"));
    Ok(format!("{target}{}", source.unwrap_or_default()))
}

/// Defect 11 of the original: addresses of IPv6 had no brackets.
#[test]
fn fixed_servers_are_what_they_are() {
    let fixed = terminator(&json!({"protocol": "udp", "address": "DNS.corp.", "port": 53}));
    let expected = Ok("udp:dns.corp:53".to_owned());
    assert_eq!(target(&fixed, json!({})), expected);
    assert_eq!(
        target(&fixed, json!({"dst_protocol": "tcp", "dst_ip": "10.0.0.1"})),
        expected
    );
    let ipv6 = terminator(&json!({"protocol": "tcp", "address": "2001:db8::7", "port": 80}));
    assert_eq!(
        target(&ipv6, json!({})),
        Ok("tcp:[2001:db8::7]:80".to_owned())
    );
}

#[test]
fn forwarded_servers_are_in_the_lists() {
    let host = forwarding();
    let asked = |address: &str, port: &str| {
        let key = if address.parse::<IpAddr>().is_ok() {
            "dst_ip"
        } else {
            "dst_hostname"
        };
        target(
            &host,
            json!({"dst_protocol": "tcp", key: address, "dst_port": port}),
        )
    };
    assert_eq!(
        asked("10.200.3.4", "80"),
        Ok("tcp:10.200.3.4:80".to_owned())
    );
    assert_eq!(
        asked("2001:db8::9", "443"),
        Ok("tcp:[2001:db8::9]:443".to_owned())
    );
    assert_eq!(asked("Wiki.Corp", "90"), Ok("tcp:wiki.corp:90".to_owned()));
    assert_eq!(
        asked("wiki.other", "80"),
        Err("the address \"wiki.other\" is not one of those that the service allows".to_owned())
    );
    assert_eq!(
        asked("10.0.0.1", "91"),
        Err("the port \"91\" is not one of those that the service allows".to_owned())
    );
    assert_eq!(
        asked("10.0.0.1", "65616"),
        Err("the port \"65616\" makes no sense".to_owned())
    );
    assert_eq!(
        target(
            &host,
            json!({"dst_protocol": "udp", "dst_ip": "10.0.0.1", "dst_port": "80"})
        ),
        Err("the protocol \"udp\" is not one of those that the service allows".to_owned())
    );
    assert_eq!(
        target(&host, json!({"dst_protocol": "tcp", "dst_port": "80"})),
        Err(
            "the service takes the address from the connection, but the connection does not say it"
                .to_owned()
        )
    );
}

#[test]
fn names_that_are_addresses_count_as_addresses() {
    let host = forwarding();
    let asked = |name: &str| {
        target(
            &host,
            json!({"dst_protocol": "tcp", "dst_hostname": name, "dst_port": "80"}),
        )
    };
    assert_eq!(asked("10.200.3.4"), Ok("tcp:10.200.3.4:80".to_owned()));
    assert!(asked("127.0.0.1").is_err());
    assert!(asked("::ffff:127.0.0.1").is_err());
}

#[test]
fn the_longest_translation_counts() {
    let host = forwarding();
    let asked = |ip: &str| {
        target(
            &host,
            json!({"dst_protocol": "tcp", "dst_ip": ip, "dst_port": "80"}),
        )
    };
    assert_eq!(asked("10.1.2.3"), Ok("tcp:172.17.2.3:80".to_owned()));
    assert_eq!(asked("10.1.1.4"), Ok("tcp:198.51.100.4:80".to_owned()));
    assert_eq!(asked("10.64.0.1"), Ok("tcp:10.64.0.1:80".to_owned()));
}

/// Defects 9 and 10 of the original: whoever dialed chose any address of the host, and one that made no sense left the
/// controller without an answer.
#[test]
fn source_addresses_are_in_the_list_or_refused() {
    let host = forwarding();
    let from = |host: &HostTerminator, source: &str| {
        let data = json!({
            "dst_protocol": "tcp", "dst_ip": "10.200.0.1", "dst_port": "80", "source_addr": source,
        });
        target(host, data)
    };
    assert_eq!(
        from(&host, "192.0.2.9"),
        Ok("tcp:10.200.0.1:80 from 192.0.2.9".to_owned())
    );
    assert_eq!(
        from(&host, "192.0.2.9:99"),
        Ok("tcp:10.200.0.1:80 from 192.0.2.9:99".to_owned())
    );
    assert_eq!(
        from(&host, "127.0.0.1"),
        Err(
            "the source address \"127.0.0.1\" is not one of those that the service allows"
                .to_owned()
        )
    );
    assert_eq!(
        from(&host, "192.0.2.9:http"),
        Err("the source address \"192.0.2.9:http\" makes no sense".to_owned())
    );
    let fixed = terminator(&json!({"protocol": "tcp", "address": "server", "port": 80}));
    assert!(from(&fixed, "192.0.2.9").is_err());
    assert!(from(&fixed, "").is_ok());
}

#[test]
fn the_newest_type_counts_and_has_several_terminators() {
    let newest = json!({"terminators": [
        {"protocol": "tcp", "address": "one", "port": 1},
        {"protocol": "tcp", "address": "two", "port": 2},
    ]});
    let older = json!({"protocol": "tcp", "address": "old", "port": 1});
    let oldest = json!({"hostname": "oldest", "port": 1, "protocol": null});
    let host = Host::from_configs(|name| match name {
        "host.v2" => Some(&newest),
        "host.v1" => Some(&older),
        _ => Some(&oldest),
    });
    assert_eq!(host.expect("valid").expect("one").terminators.len(), 2);

    let host = Host::from_configs(|name| (name == "ziti-tunneler-server.v1").then_some(&oldest));
    let host = host.expect("valid").expect("one");
    assert_eq!(
        target(host.terminators[0].as_ref().expect("valid"), json!({})),
        Ok("tcp:oldest:1".to_owned())
    );
    assert_eq!(Host::from_configs(|_| None), Ok(None));
}

#[test]
fn a_broken_terminator_leaves_the_others() {
    let config = json!({"terminators": [
        {"protocol": "tcp", "address": "a", "port": "http"},
        {"protocol": "tcp", "address": "b", "port": 81},
        {"protocol": "tcp", "address": "c"},
    ]});
    let host = Host::from_configs(|name| (name == "host.v2").then_some(&config));
    let terminators = host.expect("valid").expect("one").terminators;
    let places: Vec<_> = terminators
        .iter()
        .map(|terminator| terminator.as_ref().err().map(|error| error.place.as_str()))
        .collect();
    assert_eq!(places[0], Some("terminators[0].port"));
    assert_eq!(places[1], None);
    assert!(places[2].is_some_and(|place| place.starts_with("terminators[2]")));
}

#[test]
fn options_of_listening() {
    let host = terminator(&json!({
        "protocol": "tcp", "address": "server", "port": 80,
        "listenOptions": {
            "cost": 7, "precedence": "required", "connectTimeoutSeconds": 9, "connectTimeout": "3s",
            "identity": "$tunneler_id.appData[site]", "maxConnections": 2,
        },
        "proxy": {"type": "http", "address": "proxy:3128"},
    }));
    assert_eq!(host.listen.connect_timeout, Duration::from_secs(3));
    assert_eq!(host.listen.max_connections, Some(2));
    assert_eq!(
        host.proxy.map(|proxy| proxy.address).as_deref(),
        Some("proxy:3128")
    );

    let chosen = |service| {
        host.listen
            .precedence_and_cost((Precedence::Default, 1), service)
    };
    assert_eq!(chosen((None, None)), (Precedence::Required, 7));
    assert_eq!(
        chosen((Some(Precedence::Failed), Some(9))),
        (Precedence::Failed, 9)
    );
    let silent = ListenOptions::default();
    let chosen = silent.precedence_and_cost((Precedence::Default, 1), (None, None));
    assert_eq!(chosen, (Precedence::Default, 1));

    let mut tunneler = TunnelerIdentity {
        name: "gateway".to_owned(),
        ..TunnelerIdentity::default()
    };
    assert!(host.listen.identity(&tunneler).is_err());
    tunneler
        .app_data
        .insert("site".to_owned(), "paris".to_owned());
    assert_eq!(
        host.listen.identity(&tunneler),
        Ok(Some("paris".to_owned()))
    );
    tunneler.app_data.insert("site".to_owned(), String::new());
    assert_eq!(host.listen.identity(&tunneler), Ok(None));
}

#[test]
fn health_checks_of_both_kinds() {
    let host = terminator(&json!({
        "protocol": "tcp", "address": "server", "port": 80,
        "portChecks": [{"address": "server:80", "interval": "10ms", "timeout": "1s"}],
        "httpChecks": [{
            "url": "http://server/", "interval": "10s", "timeout": "1s", "expectInBody": "ok",
            "actions": [{"trigger": "fail", "action": "mark unhealthy"}],
        }],
    }));
    let [port, http] = host.health_checks.as_slice() else {
        panic!("{:?}", host.health_checks);
    };
    assert_eq!(port.interval, Duration::from_secs(1));
    assert_eq!(http.actions.len(), 1);
}

#[test]
fn what_is_wrong_is_placed() {
    let server = json!({"protocol": "tcp", "address": "server", "port": 80});
    let with = |member: &str, value: Value| {
        let mut config = server.clone();
        config[member] = value;
        error(&config)
    };
    assert_eq!(
        with("forwardPort", json!(true)),
        "`host.v1`: .: `allowedPortRanges` must have an entry if there is `forwardPort`"
    );
    assert_eq!(
        error(&json!({"address": "server", "port": 80})),
        "`host.v1`: .: there must be `protocol` or `forwardProtocol`"
    );
    assert_eq!(
        with("address", json!("a b")),
        "`host.v1`: address: must be an IP address or a host name, not \"a b\""
    );
    assert_eq!(
        with(
            "forwardAddressTranslations",
            json!([{"from": "10.0.0.0", "to": "::1", "prefixLength": 8}])
        ),
        "`host.v1`: forwardAddressTranslations[0]: `from` and `to` must be of the same version of IP"
    );
    let check = json!([{"address": "a:1", "interval": "1s", "timeout": "1s", "actions": [
        {"trigger": "fail", "action": "increase cost 0"},
    ]}]);
    let error = with("portChecks", check);
    assert!(
        error.starts_with("`host.v1`: portChecks[0].actions[0]: `action` must be"),
        "{error}"
    );
}
