//! Configurations that are good by their making, and what becomes of them.

use crate::support::schema_of;
use portcullis_config_types::Schema;
use portcullis_domain::config::JsonObject;
use proptest::collection::btree_set;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::{Value, json};
use std::sync::LazyLock;

static HOST: LazyLock<Schema> = LazyLock::new(|| schema_of("host.v1"));
static HOSTS: LazyLock<Schema> = LazyLock::new(|| schema_of("host.v2"));
static INTERCEPT: LazyLock<Schema> = LazyLock::new(|| schema_of("intercept.v1"));

fn protocols() -> impl Strategy<Value = Value> {
    subsequence(vec!["tcp", "udp"], 1..=2).prop_map(|names| json!(names))
}

fn addresses() -> impl Strategy<Value = Value> {
    btree_set("[a-z0-9.*/:é-]{1,12}", 1..5).prop_map(|names| json!(names))
}

fn port_ranges() -> impl Strategy<Value = Value> {
    btree_set((any::<u16>(), any::<u16>()), 1..5).prop_map(|ranges| {
        let range = |(low, high)| json!({"low": low, "high": high});
        Value::Array(ranges.into_iter().map(range).collect())
    })
}

/// Either where to dial, or that it is forwarded and what may be.
fn term(
    [fixed, forward, allowed]: [&'static str; 3],
    value: impl Strategy<Value = Value>,
    values: impl Strategy<Value = Value>,
) -> impl Strategy<Value = JsonObject> {
    (value, values, 0..3).prop_map(move |(value, values, form)| {
        let members = match form {
            0 => vec![(fixed, value)],
            1 => vec![(forward, json!(true)), (allowed, values)],
            _ => vec![(fixed, value), (forward, json!(true)), (allowed, values)],
        };
        members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    })
}

fn options() -> impl Strategy<Value = Value> {
    let precedence = prop_oneof![Just("default"), Just("required"), Just("failed")];
    (
        any::<u16>(),
        1..u32::MAX,
        0..=2_147_483_647_u32,
        precedence,
        any::<bool>(),
    )
        .prop_map(|(cost, connections, seconds, precedence, bind)| {
            json!({
                "cost": cost, "maxConnections": connections, "connectTimeoutSeconds": seconds,
                "precedence": precedence, "bindUsingEdgeIdentity": bind,
                "connectTimeout": format!("{seconds}ms"),
            })
        })
}

fn host() -> impl Strategy<Value = JsonObject> {
    let protocol = prop_oneof![Just(json!("tcp")), Just(json!("udp"))];
    let address = "[a-z0-9.]{1,20}".prop_map(Value::String);
    let port = any::<u16>().prop_map(|port| json!(port));
    (
        term(
            ["protocol", "forwardProtocol", "allowedProtocols"],
            protocol,
            protocols(),
        ),
        term(
            ["address", "forwardAddress", "allowedAddresses"],
            address,
            addresses(),
        ),
        term(
            ["port", "forwardPort", "allowedPortRanges"],
            port,
            port_ranges(),
        ),
        option::of(options()),
    )
        .prop_map(|(mut protocol, address, port, options)| {
            protocol.extend(address);
            protocol.extend(port);
            protocol.extend(options.map(|options| ("listenOptions".to_owned(), options)));
            protocol
        })
}

fn intercept() -> impl Strategy<Value = JsonObject> {
    (
        protocols(),
        addresses(),
        port_ranges(),
        option::of(addresses()),
    )
        .prop_map(|(protocols, addresses, ranges, sources)| {
            let mut data = JsonObject::new();
            data.insert("protocols".to_owned(), protocols);
            data.insert("addresses".to_owned(), addresses);
            data.insert("portRanges".to_owned(), ranges);
            data.extend(sources.map(|sources| ("allowedSourceAddresses".to_owned(), sources)));
            data
        })
}

/// Takes every member away in turn: what is left is refused at the root, or good as well.
fn without_each(schema: &Schema, data: &JsonObject) -> Result<(), TestCaseError> {
    for name in data.keys() {
        let mut less = data.clone();
        less.remove(name);
        if let Err(error) = schema.validate(&less) {
            prop_assert_eq!(error.field, "(root)");
            prop_assert!(error.reason.ends_with("is required"), "{}", error.reason);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn good_hosts_pass(data in host()) {
        prop_assert_eq!(HOST.validate(&data), Ok(data.clone()));
        let several = json!({"terminators": [data.clone(), data.clone()]});
        prop_assert!(HOSTS.validate(several.as_object().unwrap()).is_ok());
        without_each(&HOST, &data)?;
    }

    #[test]
    fn good_intercepts_pass(data in intercept()) {
        prop_assert_eq!(INTERCEPT.validate(&data), Ok(data.clone()));
        without_each(&INTERCEPT, &data)?;
    }

    #[test]
    fn a_strange_member_is_named(data in host(), name in "[A-Z]{1,8}") {
        let mut more = data;
        more.insert(name.clone(), json!(1));
        let error = HOST.validate(&more).unwrap_err();
        prop_assert_eq!(error.field, "(root)");
        prop_assert_eq!(error.reason, format!("unknown property `{name}`"));
    }
}
