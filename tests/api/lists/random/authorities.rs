//! Third-party authorities.

use super::{Comparison, fill, name, tags, tick};
use crate::support::naive::{Dice, Symbol};
use crate::support::text;
use crate::support::third_party::{self, Authority};
use portcullis_testkit::Harness;
use serde_json::json;

const CAS: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "fingerprint": Text = "/fingerprint";
    "verificationToken": Text = "/verificationToken";
    "isVerified": Boolean = "/isVerified";
    "isAuthEnabled": Boolean = "/isAuthEnabled";
    "isAutoCaEnrollmentEnabled": Boolean = "/isAutoCaEnrollmentEnabled";
    "isOttCaEnrollmentEnabled": Boolean = "/isOttCaEnrollmentEnabled";
};

/// Adds an authority, which is verified or not.
async fn add_authority(controller: &Harness, dice: &mut Dice, admin: &str, number: usize) {
    let (name, root) = (name(dice, number), Authority::root("root"));
    let more = json!({
        "tags": tags(dice), "isAuthEnabled": dice.one_in(2),
        "isAutoCaEnrollmentEnabled": dice.one_in(2), "isOttCaEnrollmentEnabled": dice.one_in(2),
    });
    let id = third_party::add_unverified(controller, admin, (&name, &root), more).await;
    if dice.one_in(2) {
        third_party::verify(controller, admin, &id, &root).await;
    }
}

#[tokio::test]
async fn authorities_are_what_a_simple_reading_finds() {
    let seed = 51;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    fill(&controller, &mut dice, 40, async |dice, number| {
        add_authority(&controller, dice, &admin, number).await;
    })
    .await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/cas",
        symbols: CAS,
    };
    let mut number = 40;
    comparison
        .run(seed, 120, async |dice| {
            tick(&controller, dice);
            number += 1;
            let all = comparison.rows().await;
            if all.is_empty() || dice.one_in(2) {
                return add_authority(&controller, dice, &admin, number).await;
            }
            let id = text(dice.pick(&all), "id");
            let reply = if dice.one_in(3) {
                third_party::remove(&controller, &admin, id).await
            } else {
                let body = json!({"name": name(dice, number), "isAuthEnabled": dice.one_in(2)});
                third_party::patch(&controller, &admin, id, body).await
            };
            assert_eq!(reply.status, 200, "{}", reply.text());
        })
        .await;
}
