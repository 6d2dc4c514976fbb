//! The built-in types: what they accept and what they refuse.

use crate::support::{named, object, schema_of};
use portcullis_config_types::built_in;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::ConfigTarget;
use serde_json::{Value, json};

#[test]
fn there_are_eight_types_with_fixed_ids() {
    let types: Vec<_> = built_in(Timestamp::UNIX_EPOCH)
        .into_iter()
        .map(|kind| {
            let schema = kind.spec.schema.unwrap();
            assert_eq!(schema["additionalProperties"], false, "{}", kind.spec.name);
            assert_eq!(kind.created_at, Timestamp::UNIX_EPOCH);
            let id = schema["$id"].as_str().unwrap().to_owned();
            (
                kind.id.as_str().to_owned(),
                kind.spec.name,
                kind.spec.target,
                id,
            )
        })
        .collect();
    let expected = [
        (
            "f2dd2df0-9c04-4b84-a91e-71437ac229f1",
            "ziti-tunneler-client.v1",
            "http://edge.openziti.org/schemas/ziti-tunneler-client.v1.config.json",
        ),
        (
            "cea49285-6c07-42cf-9f52-09a9b115c783",
            "ziti-tunneler-server.v1",
            "http://edge.openziti.org/schemas/ziti-tunneler-server.v1.config.json",
        ),
        (
            "g7cIWbcGg",
            "intercept.v1",
            "http://edge.openziti.org/schemas/intercept.v1.config.json",
        ),
        (
            "NH5p4FpGR",
            "host.v1",
            "http://ziti-edge.netfoundry.io/schemas/host.v1.schema.json",
        ),
        (
            "host.v2",
            "host.v2",
            "http://ziti-edge.netfoundry.io/schemas/host.v2.schema.json",
        ),
        (
            "interfaces.v1",
            "interfaces.v1",
            "https://netfoundry.io/schemas/interfaces.v1.config.json",
        ),
        (
            "proxy.v1",
            "proxy.v1",
            "https://netfoundry.io/schemas/proxy.v1.config.json",
        ),
        (
            "router.link.v1",
            "router.link.v1",
            "https://netfoundry.io/schemas/router.link.v1.config.json",
        ),
    ];
    let expected = expected.map(|(id, name, schema)| {
        let target = if name == "router.link.v1" {
            ConfigTarget::Router
        } else {
            ConfigTarget::Service
        };
        (id.to_owned(), name.to_owned(), target, schema.to_owned())
    });
    assert_eq!(types, expected);
}

/// `base` with other values; `null` takes a member away.
fn with(base: &Value, changes: Value) -> Value {
    let mut data = base.clone();
    for (name, value) in object(changes) {
        if value.is_null() {
            data.as_object_mut().unwrap().remove(&name);
        } else {
            data[name] = value;
        }
    }
    data
}

/// Changes to `base` that are accepted, and those that are refused with the field that is named.
fn table(name: &str, base: &Value, good: Vec<Value>, bad: Vec<(Value, &str)>) {
    let schema = schema_of(name);
    for changes in good {
        let data = object(with(base, changes.clone()));
        let outcome = schema.validate(&data);
        assert_eq!(outcome.as_ref(), Ok(&data), "{name} with {changes}");
    }
    for (changes, field) in bad {
        let data = with(base, changes.clone());
        match schema.validate(&object(data)) {
            Ok(_) => panic!("{name} takes {changes}"),
            Err(error) => assert_eq!(error.field, field, "{name} with {changes}: {error}"),
        }
    }
}

#[test]
fn tunneler_client() {
    let base = json!({"hostname": "a.example.test", "port": 80});
    table(
        "ziti-tunneler-client.v1",
        &base,
        vec![json!({}), json!({"port": 0}), json!({"port": 65_535})],
        vec![
            (json!({"hostname": null}), "(root)"),
            (json!({"port": null}), "(root)"),
            (json!({"other": 1}), "(root)"),
            (json!({"hostname": 1}), "hostname"),
            (json!({"port": -1}), "port"),
            (json!({"port": 65_536}), "port"),
            (json!({"port": 1.5}), "port"),
            (json!({"port": "80"}), "port"),
        ],
    );
}

#[test]
fn tunneler_server() {
    let base = json!({"hostname": "a.example.test", "port": 80});
    table(
        "ziti-tunneler-server.v1",
        &base,
        vec![
            json!({}),
            json!({"protocol": "tcp"}),
            json!({"protocol": "udp"}),
            json!({"portChecks": [], "httpChecks": []}),
        ],
        vec![
            (json!({"hostname": null}), "(root)"),
            (json!({"port": null}), "(root)"),
            (json!({"other": 1}), "(root)"),
            (json!({"protocol": "sctp"}), "protocol"),
            (json!({"protocol": 1}), "protocol"),
        ],
    );
    let null = object(json!({"hostname": "a", "port": 1, "protocol": null}));
    schema_of("ziti-tunneler-server.v1")
        .validate(&null)
        .unwrap();
    health_checks("ziti-tunneler-server.v1", &base);
}

/// Rows of health checks, in any type that has them.
fn health_checks(name: &str, base: &Value) {
    let port = json!({"interval": "5s", "timeout": "100ms", "address": "localhost:80"});
    let http = json!({"interval": "1m", "timeout": "1h", "url": "https://localhost/"});
    let action = json!({"trigger": "fail", "action": "mark unhealthy"});
    let ports = |changes| json!({"portChecks": [with(&port, changes)]});
    let https = |changes| json!({"httpChecks": [with(&http, changes)]});
    let actions = |changes| ports(json!({"actions": [with(&action, changes)]}));
    let mut good = vec![ports(json!({})), https(json!({}))];
    for method in ["GET", "POST", "PUT", "PATCH"] {
        good.push(https(
            json!({"method": method, "body": "b", "expectInBody": "ok"}),
        ));
    }
    good.extend([100, 599].map(|status| https(json!({"expectStatus": status}))));
    for trigger in ["fail", "pass", "change"] {
        good.push(actions(
            json!({"trigger": trigger, "duration": "10s", "consecutiveEvents": 0}),
        ));
    }
    for deed in [
        "mark healthy",
        "increase cost 5",
        "decrease cost 10",
        "send event",
    ] {
        good.push(actions(
            json!({"action": deed, "consecutiveEvents": 65_535}),
        ));
    }
    good.push(ports(json!({"actions": vec![action.clone(); 20]})));
    let bad = vec![
        (ports(json!({"interval": null})), "portChecks.0"),
        (ports(json!({"timeout": null})), "portChecks.0"),
        (ports(json!({"address": null})), "portChecks.0"),
        (ports(json!({"url": "x"})), "portChecks.0"),
        (ports(json!({"interval": "5"})), "portChecks.0.interval"),
        (ports(json!({"timeout": 5})), "portChecks.0.timeout"),
        (ports(json!({"address": 5})), "portChecks.0.address"),
        (ports(json!({"actions": []})), "portChecks.0.actions"),
        (
            ports(json!({"actions": vec![action.clone(); 21]})),
            "portChecks.0.actions",
        ),
        (https(json!({"url": null})), "httpChecks.0"),
        (https(json!({"address": "x"})), "httpChecks.0"),
        (https(json!({"method": "get"})), "httpChecks.0.method"),
        (https(json!({"body": 1})), "httpChecks.0.body"),
        (
            https(json!({"expectStatus": 99})),
            "httpChecks.0.expectStatus",
        ),
        (
            https(json!({"expectStatus": 600})),
            "httpChecks.0.expectStatus",
        ),
        (
            https(json!({"expectInBody": 1})),
            "httpChecks.0.expectInBody",
        ),
        (actions(json!({"trigger": null})), "portChecks.0.actions.0"),
        (actions(json!({"action": null})), "portChecks.0.actions.0"),
        (actions(json!({"other": 1})), "portChecks.0.actions.0"),
        (
            actions(json!({"trigger": "never"})),
            "portChecks.0.actions.0.trigger",
        ),
        (
            actions(json!({"action": "explode"})),
            "portChecks.0.actions.0.action",
        ),
        (
            actions(json!({"duration": "x"})),
            "portChecks.0.actions.0.duration",
        ),
        (
            actions(json!({"consecutiveEvents": 65_536})),
            "portChecks.0.actions.0.consecutiveEvents",
        ),
        (
            actions(json!({"consecutiveEvents": -1})),
            "portChecks.0.actions.0.consecutiveEvents",
        ),
        (json!({"portChecks": {}}), "portChecks"),
        (json!({"httpChecks": [1]}), "httpChecks.0"),
    ];
    table(name, base, good, bad);
}

#[test]
fn intercept() {
    let base = json!({
        "protocols": ["tcp"],
        "addresses": ["a.example.test"],
        "portRanges": [{"low": 80, "high": 90}],
    });
    let range = |low: i64, high: i64| json!({"portRanges": [{"low": low, "high": high}]});
    let seconds = |seconds: Value| json!({"dialOptions": {"connectTimeoutSeconds": seconds}});
    table(
        "intercept.v1",
        &base,
        vec![
            json!({}),
            json!({"protocols": ["udp", "tcp"]}),
            json!({"addresses": ["*.example.test", "10.0.0.0/8", "::1", "münchen.example"]}),
            range(0, 65_535),
            json!({"dialOptions": {}}),
            seconds(json!(0)),
            seconds(json!(2_147_483_647)),
            json!({"dialOptions": {"identity": "$dst_protocol:$dst_ip:$dst_port"}}),
            json!({"sourceIp": "$tunneler_id.name"}),
            json!({"allowedSourceAddresses": ["10.1.0.0/16"]}),
        ],
        vec![
            (json!({"protocols": null}), "(root)"),
            (json!({"addresses": null}), "(root)"),
            (json!({"portRanges": null}), "(root)"),
            (json!({"adresses": []}), "(root)"),
            (json!({"protocols": []}), "protocols"),
            (json!({"protocols": ["tcp", "tcp"]}), "protocols"),
            (json!({"protocols": "tcp"}), "protocols"),
            (json!({"protocols": ["TCP"]}), "protocols.0"),
            (json!({"addresses": []}), "addresses"),
            (json!({"addresses": ["a", "a"]}), "addresses"),
            (json!({"addresses": [""]}), "addresses.0"),
            (json!({"addresses": ["a", 5]}), "addresses.1"),
            (json!({"portRanges": []}), "portRanges"),
            (
                json!({"portRanges": [{"low": 1, "high": 1}, {"high": 1, "low": 1}]}),
                "portRanges",
            ),
            (json!({"portRanges": [{"low": 1}]}), "portRanges.0"),
            (
                json!({"portRanges": [{"low": 1, "high": 2, "step": 1}]}),
                "portRanges.0",
            ),
            (range(-1, 1), "portRanges.0.low"),
            (range(1, 65_536), "portRanges.0.high"),
            (json!({"dialOptions": 5}), "dialOptions"),
            (json!({"dialOptions": {"other": 1}}), "dialOptions"),
            (
                json!({"dialOptions": {"identity": 1}}),
                "dialOptions.identity",
            ),
            (seconds(json!(-1)), "dialOptions.connectTimeoutSeconds"),
            (
                seconds(json!(2_147_483_648_u32)),
                "dialOptions.connectTimeoutSeconds",
            ),
            (seconds(json!("5s")), "dialOptions.connectTimeoutSeconds"),
            (json!({"sourceIp": 1}), "sourceIp"),
            (
                json!({"allowedSourceAddresses": []}),
                "allowedSourceAddresses",
            ),
        ],
    );
}

#[test]
fn host_conditions() {
    let base = json!({"protocol": "tcp", "address": "localhost", "port": 80});
    let forwarded = [
        (
            "protocol",
            "forwardProtocol",
            "allowedProtocols",
            json!(["tcp", "udp"]),
        ),
        (
            "address",
            "forwardAddress",
            "allowedAddresses",
            json!(["*.example.test"]),
        ),
        (
            "port",
            "forwardPort",
            "allowedPortRanges",
            json!([{"low": 1, "high": 2}]),
        ),
    ];
    for (fixed, forward, allowed, values) in forwarded {
        table(
            "host.v1",
            &base,
            vec![
                json!({forward: true, allowed: values, fixed: null}),
                // What is given besides is let through.
                json!({forward: true, allowed: values}),
                json!({allowed: values}),
            ],
            vec![
                (json!({fixed: null}), "(root)"),
                (json!({fixed: null, allowed: values}), "(root)"),
                (json!({forward: true}), "(root)"),
                (json!({forward: true, fixed: null}), "(root)"),
                (json!({forward: false}), forward),
                (json!({forward: "true"}), forward),
                (json!({forward: true, allowed: []}), allowed),
                (
                    json!({forward: true, allowed: [values[0], values[0]]}),
                    allowed,
                ),
                (
                    json!({forward: true, allowed: [5]}),
                    &format!("{allowed}.0"),
                ),
            ],
        );
    }
}

#[test]
fn host() {
    let base = json!({"protocol": "tcp", "address": "localhost", "port": 80});
    let options = |options: Value| json!({"listenOptions": options});
    let translation = |table: Value| json!({"forwardAddressTranslations": table});
    let four = json!({"from": "10.0.0.0", "to": "10.1.0.0", "prefixLength": 16});
    let six = json!({"from": "fd00::", "to": "fd01::", "prefixLength": 128});
    table(
        "host.v1",
        &base,
        vec![
            json!({"protocol": "udp", "port": 0}),
            json!({"address": "10.0.0.1", "port": 65_535}),
            json!({"allowedSourceAddresses": ["10.0.0.0/8"]}),
            translation(json!([four, six])),
            translation(json!([{"from": "1.2.3.4"}])),
            options(json!({})),
            options(
                json!({"connectTimeoutSeconds": 5, "connectTimeout": "5s", "maxConnections": 1}),
            ),
            options(json!({"identity": "$tunneler_id.name", "bindUsingEdgeIdentity": true})),
            options(json!({"cost": 65_535, "precedence": "required"})),
            options(json!({"cost": 0, "precedence": "failed"})),
            options(json!({"precedence": "default"})),
            json!({"proxy": {"type": "http", "address": "proxy:3128", "more": 1}}),
        ],
        vec![
            (json!({"other": 1}), "(root)"),
            (json!({"protocol": "sctp"}), "protocol"),
            (json!({"address": ""}), "address"),
            (json!({"port": 65_536}), "port"),
            (
                json!({"allowedSourceAddresses": [""]}),
                "allowedSourceAddresses.0",
            ),
            (translation(json!([])), "forwardAddressTranslations"),
            (
                translation(json!([four, four])),
                "forwardAddressTranslations",
            ),
            (translation(json!([{}])), "forwardAddressTranslations.0"),
            (
                translation(json!([with(&four, json!({"other": 1}))])),
                "forwardAddressTranslations.0",
            ),
            (
                translation(json!([with(&four, json!({"to": "fd00::"}))])),
                "forwardAddressTranslations.0",
            ),
            (
                translation(json!([with(&four, json!({"prefixLength": 33}))])),
                "forwardAddressTranslations.0.prefixLength",
            ),
            (
                translation(json!([with(&six, json!({"prefixLength": 129}))])),
                "forwardAddressTranslations.0.prefixLength",
            ),
            (options(json!({"other": 1})), "listenOptions"),
            (
                options(json!({"connectTimeoutSeconds": -1})),
                "listenOptions.connectTimeoutSeconds",
            ),
            (
                options(json!({"connectTimeout": "five"})),
                "listenOptions.connectTimeout",
            ),
            (
                options(json!({"maxConnections": 0})),
                "listenOptions.maxConnections",
            ),
            (options(json!({"identity": 1})), "listenOptions.identity"),
            (
                options(json!({"bindUsingEdgeIdentity": "yes"})),
                "listenOptions.bindUsingEdgeIdentity",
            ),
            (options(json!({"cost": 65_536})), "listenOptions.cost"),
            (
                options(json!({"precedence": "Default"})),
                "listenOptions.precedence",
            ),
            (json!({"proxy": {"type": "http"}}), "proxy"),
            (json!({"proxy": {"address": "a"}}), "proxy"),
            (
                json!({"proxy": {"type": "socks", "address": "a"}}),
                "proxy.type",
            ),
            (
                json!({"proxy": {"type": "http", "address": 1}}),
                "proxy.address",
            ),
        ],
    );
    health_checks("host.v1", &base);
}

#[test]
fn several_hosts() {
    let one = json!({"protocol": "tcp", "address": "localhost", "port": 80});
    let forwarding = json!({
        "forwardProtocol": true, "allowedProtocols": ["tcp"], "address": "a", "port": 1,
    });
    table(
        "host.v2",
        &json!({"terminators": [one]}),
        vec![json!({}), json!({"terminators": [one, forwarding, one]})],
        vec![
            (json!({"terminators": null}), "(root)"),
            (json!({"other": 1}), "(root)"),
            (json!({"terminators": []}), "terminators"),
            (json!({"terminators": one}), "terminators"),
            (json!({"terminators": [one, {"port": 80}]}), "terminators.1"),
            (
                json!({"terminators": [with(&one, json!({"other": 1}))]}),
                "terminators.0",
            ),
            (
                json!({"terminators": [with(&one, json!({"port": -1}))]}),
                "terminators.0.port",
            ),
        ],
    );
}

#[test]
fn interfaces() {
    table(
        "interfaces.v1",
        &json!({"interfaces": ["eth0"]}),
        vec![
            json!({}),
            json!({"interfaces": []}),
            json!({"interfaces": ["a", "a"]}),
        ],
        vec![
            (json!({"interfaces": null}), "(root)"),
            (json!({"other": 1}), "(root)"),
            (json!({"interfaces": "eth0"}), "interfaces"),
            (json!({"interfaces": ["eth0", 1]}), "interfaces.1"),
        ],
    );
}

#[test]
fn proxy() {
    table(
        "proxy.v1",
        &json!({"port": 8080, "protocols": ["tcp"]}),
        vec![
            json!({}),
            json!({"port": 1, "protocols": ["tcp", "udp"]}),
            json!({"port": 65_535, "binding": "lo"}),
        ],
        vec![
            (json!({"port": null}), "(root)"),
            (json!({"protocols": null}), "(root)"),
            (json!({"other": 1}), "(root)"),
            (json!({"port": 0}), "port"),
            (json!({"port": 65_536}), "port"),
            (json!({"port": "1"}), "port"),
            (json!({"protocols": []}), "protocols"),
            (json!({"protocols": ["sctp"]}), "protocols.0"),
            (json!({"binding": 1}), "binding"),
        ],
    );
}

#[test]
fn router_links() {
    let listener = |changes: Value| json!({"listeners": [with(&json!({"bind": "tls:0.0.0.0:6001"}), changes)]});
    let dialer = |dialer: Value| json!({"dialers": [dialer]});
    let options = |options: Value| dialer(json!({"options": options}));
    let backoff = |backoff: Value| dialer(json!({"unhealthyDialBackoff": backoff}));
    let mut good = vec![
        json!({}),
        json!({"listeners": [], "dialers": [{}]}),
        listener(json!({"binding": "transport", "advertise": "tls:a:1", "bindInterface": "eth0"})),
        listener(json!({"groups": "a"})),
        listener(json!({"groups": ["a", "b"], "options": {}})),
        dialer(json!({"binding": "transport", "bindInterface": "eth0", "groups": []})),
        dialer(json!({"maxDefaultConnections": 1, "maxAckConnections": 0})),
        dialer(
            json!({"maxDefaultConnections": 100, "maxAckConnections": 100, "startupDelay": "5s"}),
        ),
        dialer(json!({"healthyDialBackoff": {}})),
        backoff(
            json!({"retryBackoffFactor": 1.5, "minRetryInterval": "1s", "maxRetryInterval": "1h30m"}),
        ),
        options(json!({"outQueueSize": 0, "maxQueuedConnects": 0, "maxOutstandingConnects": 1})),
        options(json!({"maxQueuedConnects": 5000, "maxOutstandingConnects": 1000})),
        options(json!({"connectTimeout": "1.5s", "writeTimeout": "10µs"})),
        json!({"heartbeats": {"sendInterval": "10s", "checkInterval": "1s", "closeUnresponsiveTimeout": "1m"}}),
        json!({"payloadSenderQueueSize": 1, "ackSenderQueueSize": 1}),
    ];
    good.extend(["preserve", "orphaned", "changed"].map(|mode| json!({"gcMode": mode})));
    let bad = vec![
        (json!({"other": 1}), "(root)"),
        (json!({"listeners": {}}), "listeners"),
        (listener(json!({"bind": null})), "listeners.0"),
        (listener(json!({"other": 1})), "listeners.0"),
        (listener(json!({"bind": ""})), "listeners.0.bind"),
        (listener(json!({"binding": ""})), "listeners.0.binding"),
        (listener(json!({"advertise": 1})), "listeners.0.advertise"),
        (
            listener(json!({"bindInterface": 1})),
            "listeners.0.bindInterface",
        ),
        (listener(json!({"groups": 1})), "listeners.0.groups"),
        (
            listener(json!({"groups": ["a", 1]})),
            "listeners.0.groups.1",
        ),
        (dialer(json!({"bind": "a"})), "dialers.0"),
        (
            dialer(json!({"maxDefaultConnections": 0})),
            "dialers.0.maxDefaultConnections",
        ),
        (
            dialer(json!({"maxDefaultConnections": 101})),
            "dialers.0.maxDefaultConnections",
        ),
        (
            dialer(json!({"maxAckConnections": -1})),
            "dialers.0.maxAckConnections",
        ),
        (
            dialer(json!({"maxAckConnections": 101})),
            "dialers.0.maxAckConnections",
        ),
        (
            dialer(json!({"startupDelay": "5"})),
            "dialers.0.startupDelay",
        ),
        (
            dialer(json!({"startupDelay": "x5s"})),
            "dialers.0.startupDelay",
        ),
        (
            backoff(json!({"other": 1})),
            "dialers.0.unhealthyDialBackoff",
        ),
        (
            backoff(json!({"retryBackoffFactor": 0.5})),
            "dialers.0.unhealthyDialBackoff.retryBackoffFactor",
        ),
        (
            backoff(json!({"retryBackoffFactor": 101})),
            "dialers.0.unhealthyDialBackoff.retryBackoffFactor",
        ),
        (
            backoff(json!({"minRetryInterval": 5})),
            "dialers.0.unhealthyDialBackoff.minRetryInterval",
        ),
        (options(json!({"other": 1})), "dialers.0.options"),
        (
            options(json!({"outQueueSize": -1})),
            "dialers.0.options.outQueueSize",
        ),
        (
            options(json!({"maxQueuedConnects": 5001})),
            "dialers.0.options.maxQueuedConnects",
        ),
        (
            options(json!({"maxOutstandingConnects": 0})),
            "dialers.0.options.maxOutstandingConnects",
        ),
        (
            options(json!({"maxOutstandingConnects": 1001})),
            "dialers.0.options.maxOutstandingConnects",
        ),
        (
            options(json!({"connectTimeout": ""})),
            "dialers.0.options.connectTimeout",
        ),
        (json!({"heartbeats": {"other": "1s"}}), "heartbeats"),
        (
            json!({"heartbeats": {"sendInterval": "soon"}}),
            "heartbeats.sendInterval",
        ),
        (
            json!({"payloadSenderQueueSize": 0}),
            "payloadSenderQueueSize",
        ),
        (json!({"ackSenderQueueSize": 0}), "ackSenderQueueSize"),
        (json!({"gcMode": "all"}), "gcMode"),
    ];
    table("router.link.v1", &json!({}), good, bad);
}

/// Two controllers give out the same types, whenever they start.
#[test]
fn types_do_not_depend_on_the_time() {
    let later: Timestamp = "2031-04-05T06:07:08Z".parse().unwrap();
    for kind in built_in(later) {
        assert_eq!(kind.updated_at, later);
        assert_eq!(kind.spec, named(&kind.spec.name).spec);
    }
}
