//! Revocations, made and made anew.

use super::{Comparison, fill, tags, tick};
use crate::support::naive::{Dice, Symbol};
use crate::support::{send, text};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::json;

const SYMBOLS: &[Symbol] = &symbols! {
    "type": Text = "/type";
    "expiresAt": Time = "/expiresAt";
};

#[tokio::test]
async fn revocations_are_what_a_simple_reading_finds() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(76);
    let revoke = async |dice: &mut Dice, id: &str| {
        let kind = *dice.pick(&["JTI", "API_SESSION"]);
        let body = json!({"id": id, "type": kind, "tags": tags(dice)});
        let reply = send(&controller, &admin, (Method::POST, "/revocations"), &body).await;
        assert_eq!(reply.id(), id);
    };
    let numbered = |number: usize| format!("6f0b6c9e-1f63-4d0a-9a55-{number:012}");
    let add = async |dice: &mut Dice, number: usize| revoke(dice, &numbered(number)).await;
    fill(&controller, &mut dice, 40, &add).await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/revocations",
        symbols: SYMBOLS,
    };
    let mut number = 40;
    comparison
        .run(76, 100, async |dice| {
            tick(&controller, dice);
            number += 1;
            if dice.one_in(2) {
                return add(dice, number).await;
            }
            let all = comparison.rows().await;
            let again = text(dice.pick(&all), "id").to_owned();
            revoke(dice, &again).await;
        })
        .await;
}
