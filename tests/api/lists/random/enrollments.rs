//! Enrollments.

use super::Comparison;
use super::identities::Identities;
use crate::support::naive::{Dice, Symbol};
use crate::support::text;
use http::Method;
use portcullis_testkit::Harness;

const ENROLLMENTS: &[Symbol] = &symbols! {
    "identity": Text = "/identityId";
    "edgeRouter": Text = "/edgeRouterId";
    "transitRouter": Text = "/transitRouterId";
    "caId": Text = "/caId";
};

#[tokio::test]
async fn enrollments_are_what_a_simple_reading_finds() {
    let seed = 11;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    let mut identities = Identities::begin(&controller, &admin, &mut dice, 60).await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/enrollments",
        symbols: ENROLLMENTS,
    };
    comparison
        .run(seed, 150, async |dice| {
            if dice.one_in(2) {
                return identities.change(dice).await;
            }
            let all = comparison.rows().await;
            if all.is_empty() {
                return;
            }
            let path = format!("/enrollments/{}", text(dice.pick(&all), "id"));
            let request = controller.manage(Method::DELETE, &path, &admin);
            assert_eq!(request.send().await.status, 200);
        })
        .await;
}
