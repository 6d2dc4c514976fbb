//! Services, configurations, policies and posture checks.

use super::{Comparison, fill, name, tags, tick};
use crate::support::naive::{Dice, Symbol};
use crate::support::{merge, send, text};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

const SERVICES: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "terminatorStrategy": Text = "/terminatorStrategy";
    "roleAttributes": Set = "/roleAttributes";
    "isFabricOnly": Boolean = |_row| false.into();
};

const CONFIGS: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "type": Text = "/configTypeId";
};

const SERVICE_POLICIES: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "type": Text = "/type";
    "semantic": Text = "/semantic";
    "identityRoles": Set = "/identityRoles";
    "serviceRoles": Set = "/serviceRoles";
    "postureCheckRoles": Set = "/postureCheckRoles";
};

const SERVICE_ROUTER_POLICIES: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "semantic": Text = "/semantic";
    "serviceRoles": Set = "/serviceRoles";
    "edgeRouterRoles": Set = "/edgeRouterRoles";
};

const POSTURE_CHECKS: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "typeId": Text = "/typeId";
    "roleAttributes": Set = "/roleAttributes";
};

/// A few words, as role attributes or, with `sign` before them, as selectors.
fn words(dice: &mut Dice, sign: &str) -> Vec<String> {
    let known = ["a", "sales", "ops"];
    let count = dice.roll(3);
    (0..count)
        .map(|_| format!("{sign}{}", dice.pick(&known)))
        .collect()
}

fn service(dice: &mut Dice) -> Value {
    let strategy = *dice.pick(&["smartrouting", "weighted", "random", "sticky"]);
    json!({
        "encryptionRequired": dice.one_in(2), "terminatorStrategy": strategy,
        "roleAttributes": words(dice, ""),
    })
}

fn config(dice: &mut Dice) -> Value {
    if dice.one_in(2) {
        let data = json!({"protocol": "tcp", "address": "db", "port": dice.roll(9) + 1});
        json!({"configTypeId": "NH5p4FpGR", "data": data})
    } else {
        let data = json!({"interfaces": ["eth0"]});
        json!({"configTypeId": "interfaces.v1", "data": data})
    }
}

fn service_policy(dice: &mut Dice) -> Value {
    json!({
        "type": *dice.pick(&["Dial", "Bind"]), "semantic": *dice.pick(&["AllOf", "AnyOf"]),
        "identityRoles": words(dice, "#"), "serviceRoles": words(dice, "#"),
        "postureCheckRoles": words(dice, "#"),
    })
}

fn service_router_policy(dice: &mut Dice) -> Value {
    json!({
        "semantic": *dice.pick(&["AllOf", "AnyOf"]), "serviceRoles": words(dice, "#"),
        "edgeRouterRoles": words(dice, "#"),
    })
}

fn posture_check(dice: &mut Dice) -> Value {
    let mut body = if dice.one_in(2) {
        json!({"typeId": "MFA"})
    } else {
        json!({"typeId": "DOMAIN", "domains": ["example.test"]})
    };
    merge(&mut body, json!({"roleAttributes": words(dice, "")}));
    body
}

#[tokio::test]
async fn services_are_what_a_simple_reading_finds() {
    compare("/services", SERVICES, 71, service).await;
}

#[tokio::test]
async fn configurations_are_what_a_simple_reading_finds() {
    compare("/configs", CONFIGS, 72, config).await;
}

#[tokio::test]
async fn service_policies_are_what_a_simple_reading_finds() {
    compare("/service-policies", SERVICE_POLICIES, 73, service_policy).await;
}

#[tokio::test]
async fn service_edge_router_policies_are_what_a_simple_reading_finds() {
    let path = "/service-edge-router-policies";
    compare(path, SERVICE_ROUTER_POLICIES, 74, service_router_policy).await;
}

#[tokio::test]
async fn posture_checks_are_what_a_simple_reading_finds() {
    compare("/posture-checks", POSTURE_CHECKS, 75, posture_check).await;
}

/// Compares a list under creations, changes and deletions; `body` has what is special about a kind.
async fn compare(
    path: &'static str,
    symbols: &'static [Symbol],
    seed: u64,
    body: fn(&mut Dice) -> Value,
) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    let add = async |dice: &mut Dice, number: usize| {
        let mut body = body(dice);
        merge(
            &mut body,
            json!({"name": name(dice, number), "tags": tags(dice)}),
        );
        let reply = send(&controller, &admin, (Method::POST, path), &body).await;
        assert_eq!(reply.status, 201, "{body}: {}", reply.text());
    };
    fill(&controller, &mut dice, 40, &add).await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path,
        symbols,
    };
    let mut number = 40;
    comparison
        .run(seed, 100, async |dice| {
            tick(&controller, dice);
            number += 1;
            let all = comparison.rows().await;
            if all.is_empty() || dice.one_in(2) {
                return add(dice, number).await;
            }
            let one = dice.pick(&all);
            let place = format!("{path}/{}", text(one, "id"));
            let (method, body) = if dice.one_in(3) {
                (Method::DELETE, json!({}))
            } else {
                // The type of a posture check stands in each change of it.
                let change = json!({
                    "name": name(dice, number), "tags": tags(dice), "typeId": one["typeId"],
                });
                (Method::PATCH, change)
            };
            let reply = send(&controller, &admin, (method, &place), &body).await;
            assert_eq!(reply.status, 200, "{body}: {}", reply.text());
        })
        .await;
}
