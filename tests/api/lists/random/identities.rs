//! Identities, and how the tests of what belongs to them make them.

use super::{Comparison, name, tags, tick};
use crate::support::naive::{Dice, Symbol};
use crate::support::{add_policy, create, disable_identity, find_identity_id, text};
use http::Method;
use portcullis_testkit::{ADMIN, Harness};
use serde_json::{Value, json};

const IDENTITIES: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "name": Text = "/name";
    "externalId": Text = "/externalId";
    "type": Text = "/typeId";
    "authPolicyId": Text = "/authPolicyId";
    "isAdmin": Boolean = "/isAdmin";
    "isDefaultAdmin": Boolean = "/isDefaultAdmin";
    "roleAttributes": Set = "/roleAttributes";
    "roleAttributes": Set = "/roleAttributes";
};

fn attributes(dice: &mut Dice) -> Value {
    let words = ["a", "sales", "Sales", "ops", "n0", "é"];
    let count = *dice.pick(&[0, 0, 1, 1, 2, 3]);
    (0..count).map(|_| *dice.pick(&words)).collect()
}

/// Makes and changes identities, with what belongs to them.
pub(super) struct Identities<'c> {
    controller: &'c Harness,
    admin: &'c str,
    pub(super) ids: Vec<String>,
    made: usize,
}

impl<'c> Identities<'c> {
    /// With the first of them made, under one of two policies.
    pub(super) async fn begin(
        controller: &'c Harness,
        admin: &'c str,
        dice: &mut Dice,
        count: usize,
    ) -> Self {
        add_policy(controller, "other", |_policy| {}).await;
        let mut identities = Self {
            controller,
            admin,
            ids: Vec::new(),
            made: 0,
        };
        for _ in 0..count {
            identities.make(dice).await;
        }
        identities
    }

    pub(super) async fn make(&mut self, dice: &mut Dice) {
        tick(self.controller, dice);
        self.made += 1;
        let name = name(dice, self.made);
        let enrollment = match dice.roll(4) {
            0 => json!({}),
            1 => json!({"updb": format!("user{}", self.made)}),
            _ => json!({"ott": true}),
        };
        let is_known_outside = dice.one_in(3);
        let more = json!({
            "isAdmin": dice.one_in(5), "roleAttributes": attributes(dice), "tags": tags(dice),
            "externalId": is_known_outside.then(|| format!("ext{}", self.made)),
            "authPolicyId": dice.pick(&["default", "other"]), "enrollment": enrollment,
        });
        self.ids
            .push(create(self.controller, self.admin, &name, more).await);
    }

    pub(super) async fn change(&mut self, dice: &mut Dice) {
        if self.ids.is_empty() || dice.one_in(4) {
            return self.make(dice).await;
        }
        tick(self.controller, dice);
        self.made += 1;
        let place = dice.roll(self.ids.len());
        let path = format!("/identities/{}", self.ids[place]);
        let changes = match dice.roll(8) {
            0 | 1 => {
                let request = self.controller.manage(Method::DELETE, &path, self.admin);
                assert_eq!(request.send().await.status, 200);
                self.ids.swap_remove(place);
                return;
            },
            2 => return disable_identity(self.controller, self.admin, &self.ids[place]).await,
            3 => json!({"name": name(dice, self.made)}),
            4 => json!({"roleAttributes": attributes(dice)}),
            5 => json!({"tags": tags(dice)}),
            6 => json!({"isAdmin": dice.one_in(2)}),
            _ => json!({"externalId": format!("ext{}", self.made)}),
        };
        let request = self.controller.manage(Method::PATCH, &path, self.admin);
        let reply = request.json(&changes).send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}

#[tokio::test]
async fn identities_are_what_a_simple_reading_finds() {
    // Few and many: what is cheapest differs.
    for (seed, count, questions) in [(1, 15, 160), (2, 50, 120), (3, 120, 80)] {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        let mut dice = Dice(seed);
        let mut identities = Identities::begin(&controller, &admin, &mut dice, count).await;
        let comparison = Comparison {
            controller: &controller,
            admin: &admin,
            path: "/identities",
            symbols: IDENTITIES,
        };
        comparison
            .run(seed, questions, async |dice| identities.change(dice).await)
            .await;
        let mut ids = identities.ids;
        ids.push(find_identity_id(&controller, &admin, ADMIN).await);
        ids.sort();
        let rows = comparison.rows().await;
        let shown: Vec<_> = rows.iter().map(|row| text(row, "id")).collect();
        assert_eq!(
            shown, ids,
            "seed {seed}: neither more nor less than was made"
        );
    }
}
