//! External JWT signers.

use super::{Comparison, fill, name, tags, tick};
use crate::support::idp::{create_signer, patch_signer};
use crate::support::naive::{Dice, Symbol};
use crate::support::text;
use http::Method;
use portcullis_testkit::Harness;
use serde_json::json;

const SIGNERS: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "issuer": Text = "/issuer";
    "audience": Text = "/audience";
    "kid": Text = "/kid";
    "claimsProperty": Text = "/claimsProperty";
    "clientId": Text = "/clientId";
    "targetToken": Text = "/targetToken";
    "enabled": Boolean = "/enabled";
    "useExternalId": Boolean = "/useExternalId";
};

async fn add_signer(controller: &Harness, dice: &mut Dice, admin: &str, number: usize) {
    let mut body = json!({
        "name": name(dice, number), "enabled": dice.one_in(2), "audience": format!("a{}", number % 5),
        "issuer": format!("https://{number}.example.test"), "useExternalId": dice.one_in(2),
        "jwksEndpoint": "https://keys.example.test/", "tags": tags(dice),
        "targetToken": *dice.pick(&["ACCESS", "ID"]), "claimsProperty": *dice.pick(&["/sub", "email"]),
    });
    if dice.one_in(2) {
        body["kid"] = json!(format!("kid-{number}"));
        body["clientId"] = json!(format!("client-{}", number % 3));
    }
    let reply = create_signer(controller, admin, &body).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
}

#[tokio::test]
async fn signers_are_what_a_simple_reading_finds() {
    let seed = 61;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    fill(&controller, &mut dice, 40, async |dice, number| {
        add_signer(&controller, dice, &admin, number).await;
    })
    .await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/external-jwt-signers",
        symbols: SIGNERS,
    };
    let mut number = 40;
    comparison
        .run(seed, 120, async |dice| {
            tick(&controller, dice);
            number += 1;
            let all = comparison.rows().await;
            if all.is_empty() || dice.one_in(2) {
                return add_signer(&controller, dice, &admin, number).await;
            }
            let id = text(dice.pick(&all), "id");
            let reply = if dice.one_in(3) {
                let path = format!("/external-jwt-signers/{id}");
                controller
                    .manage(Method::DELETE, &path, &admin)
                    .send()
                    .await
            } else {
                let body = json!({"name": name(dice, number), "enabled": dice.one_in(2)});
                patch_signer(&controller, &admin, id, body).await
            };
            assert_eq!(reply.status, 200, "{}", reply.text());
        })
        .await;
}
