//! Authentication policies.

use super::{Comparison, fill, found, name, stored_tags, tick};
use crate::support::naive::{Dice, Symbol};
use crate::support::{add_policy, modify_store, text};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::SignerId;
use portcullis_storage::tables::{Found, UniqueIndex};
use portcullis_testkit::Harness;

const AUTH_POLICIES: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "primary.cert.allowed": Boolean = "/primary/cert/allowed";
    "primary.cert.allowExpiredCerts": Boolean = "/primary/cert/allowExpiredCerts";
    "primary.updb.allowed": Boolean = "/primary/updb/allowed";
    "primary.updb.minPasswordLength": Integer = "/primary/updb/minPasswordLength";
    "primary.updb.requireSpecialChar": Boolean = "/primary/updb/requireSpecialChar";
    "primary.updb.requireNumberChar": Boolean = "/primary/updb/requireNumberChar";
    "primary.updb.requireMixedCase": Boolean = "/primary/updb/requireMixedCase";
    "primary.updb.maxAttempts": Integer = "/primary/updb/maxAttempts";
    "primary.extJwt.allowed": Boolean = "/primary/extJwt/allowed";
    "secondary.requireTotp": Boolean = "/secondary/requireTotp";
    "secondary.requireExtJwtSigner": Text = "/secondary/requireExtJwtSigner";
};

fn edit(dice: &mut Dice, number: usize) -> impl FnOnce(&mut AuthPolicy) + use<> {
    let mut flags = [false; 8];
    flags.fill_with(|| dice.one_in(2));
    let numbers = [5, 5, 8, 12, 1, 2].map(u32::from as fn(u8) -> u32);
    let (length, attempts) = (*dice.pick(&numbers), *dice.pick(&numbers));
    let (name, tags) = (name(dice, number), stored_tags(dice));
    move |policy| {
        policy.spec.name = name;
        policy.spec.tags = tags;
        let primary = &mut policy.spec.primary;
        [primary.cert.allowed, primary.cert.allow_expired_certs] = [flags[0], flags[1]];
        primary.updb.allowed = flags[2];
        primary.updb.require_special_char = flags[3];
        primary.updb.require_number_char = flags[4];
        primary.updb.require_mixed_case = flags[5];
        (primary.updb.min_password_length, primary.updb.max_attempts) = (length, attempts);
        primary.ext_jwt.allowed = flags[6];
        policy.spec.secondary.require_totp = flags[7];
        let signer = flags[0] && flags[3];
        policy.spec.secondary.require_ext_jwt_signer =
            signer.then(|| SignerId::from_wire(format!("signer{length}")));
    }
}

#[tokio::test]
async fn auth_policies_are_what_a_simple_reading_finds() {
    let seed = 31;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    fill(&controller, &mut dice, 60, async |dice, number| {
        add_policy(&controller, &format!("p{number:03}"), edit(dice, number)).await;
    })
    .await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/auth-policies",
        symbols: AUTH_POLICIES,
    };
    let mut number = 60;
    comparison
        .run(seed, 200, async |dice| {
            tick(&controller, dice);
            number += 1;
            let all = comparison.rows().await;
            let id = text(dice.pick(&all), "id").to_owned();
            if id == "default" || dice.one_in(2) {
                return add_policy(&controller, &format!("p{number:03}"), edit(dice, number)).await;
            }
            let mut edit = dice.one_in(2).then(|| edit(dice, number));
            let now = controller.app.env().now();
            modify_store(&controller, move |rows| {
                let one: Found<AuthPolicy> = found(rows, UniqueIndex::AuthPolicyId, &id);
                let Some(edit) = edit.take() else {
                    return rows.remove(&one.key, &one.entity).unwrap();
                };
                let mut after = one.entity.clone();
                edit(&mut after);
                after.updated_at = now;
                rows.replace(&one.key, &one.entity, &after).unwrap();
            })
            .await;
        })
        .await;
}
