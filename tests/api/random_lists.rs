//! Lists compared with what a simple-minded reader makes of the same rows: random filters, orders
//! and pages, with changes between them.

use crate::idp::{create_signer, patch_signer};
use crate::lists_support::{list, pagination};
use crate::naive::{Condition, Dice, Maker, Symbol, Type, compare, sort, sort_text};
use crate::support::{add_policy, create, disable, get, id_of, operate, text};
use crate::third_party::{self, Authority};
use http::Method;
use portcullis_domain::api_session::{ApiSession, OpenedBy, TokenHash};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, AuthenticatorId, IdentityId, SignerId};
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_storage::tables::{
    API_SESSION, AUTHENTICATOR, Entity, Found, Index, RowsMut, UniqueValue,
};
use portcullis_testkit::{ADMIN, Harness};
use serde_json::{Value, json};

const fn symbol(name: &'static str, kind: Type, shown: fn(&Value) -> Value) -> Symbol {
    Symbol { name, kind, shown }
}

macro_rules! symbols {
    ($($name:literal: $kind:ident = $($pointer:literal)? $(|$row:ident| $shown:expr)?;)*) => {
        [
            symbol("id", Type::Text, |row| row["id"].clone()),
            symbol("createdAt", Type::Time, |row| row["createdAt"].clone()),
            symbol("updatedAt", Type::Time, |row| row["updatedAt"].clone()),
            symbol("isSystem", Type::Boolean, |_row| false.into()),
            symbol("tags.site", Type::Tag, |row| row["tags"]["site"].clone()),
            symbol("tags.level", Type::Tag, |row| row["tags"]["level"].clone()),
            symbol("tags.x.y-z", Type::Tag, |row| row["tags"]["x.y-z"].clone()),
            $(
                $(symbol($name, Type::$kind, |row| {
                    row.pointer($pointer).cloned().unwrap_or_default()
                }),)?
                $(symbol($name, Type::$kind, |$row| $shown),)?
            )*
        ]
    };
}

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

const ENROLLMENTS: &[Symbol] = &symbols! {
    "identity": Text = "/identityId";
    "edgeRouter": Text = "/edgeRouterId";
    "transitRouter": Text = "/transitRouterId";
    "caId": Text = "/caId";
};

const AUTHENTICATORS: &[Symbol] = &symbols! {
    "method": Text = "/method";
    "identity": Text = "/identityId";
    "certFingerprint": Text = "/fingerprint";
    "certPem": Text = "/certPem";
    "updbUsername": Text = "/username";
    "isIssuedByNetwork": Boolean = |row| match text(row, "method") {
        // Left out of what is shown where it is false.
        "cert" => (row["isIssuedByNetwork"] == true).into(),
        _ => Value::Null,
    };
};

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

const CAS: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "fingerprint": Text = "/fingerprint";
    "verificationToken": Text = "/verificationToken";
    "isVerified": Boolean = "/isVerified";
    "isAuthEnabled": Boolean = "/isAuthEnabled";
    "isAutoCaEnrollmentEnabled": Boolean = "/isAutoCaEnrollmentEnabled";
    "isOttCaEnrollmentEnabled": Boolean = "/isOttCaEnrollmentEnabled";
};

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

const API_SESSIONS: &[Symbol] = &symbols! {
    "identity": Text = "/identityId";
    "lastActivityAt": Time = "/cachedLastActivityAt";
    "authenticator": Text = "/authenticatorId";
    "ipAddress": Text = "/ipAddress";
    "mfaComplete": Boolean = "/isMfaComplete";
    "mfaRequired": Boolean = "/isMfaRequired";
    "improperClientCertChain": Boolean = |row| (row["improperClientCertChain"] == true).into();
};

/// A list under comparison.
struct Comparison<'c> {
    controller: &'c Harness,
    admin: &'c str,
    path: &'static str,
    symbols: &'static [Symbol],
}

impl Comparison<'_> {
    /// Asks `questions` times, and lets `change` do its work before every fourth.
    async fn run(&self, seed: u64, questions: usize, mut change: impl AsyncFnMut(&mut Dice)) {
        let mut dice = Dice(seed);
        let mut rows = Vec::new();
        for question in 0..questions {
            if question % 4 == 0 {
                for _ in 0..dice.roll(4) {
                    change(&mut dice).await;
                }
                rows = self.rows().await;
            }
            self.ask(
                &mut dice,
                &rows,
                &format!("seed {seed}, question {question}"),
            )
            .await;
        }
    }

    /// All rows, as they are shown.
    async fn rows(&self) -> Vec<Value> {
        let reply = list(self.controller, self.admin, self.path, &[("limit", "-1")]).await;
        let Value::Array(rows) = reply.data() else {
            panic!("{}", reply.text())
        };
        assert_eq!(pagination(&reply).2, rows.len());
        rows
    }

    async fn ask(&self, dice: &mut Dice, rows: &[Value], place: &str) {
        let symbols = self.symbols;
        let condition = if dice.one_in(12) {
            Condition::Constant(true)
        } else {
            let depth = dice.roll(4);
            Maker { symbols, rows }.condition(dice, depth)
        };
        let order = sort(dice, symbols);
        let mut expected: Vec<_> = rows.iter().filter(|row| condition.holds(row)).collect();
        expected.sort_by(|left, right| compare(&order, left, right));
        let total = expected.len();
        let edges = [
            0,
            1,
            5,
            total / 2,
            total.saturating_sub(1),
            total,
            total + 7,
        ];
        let offset = *dice.pick(&edges);
        let (limit, most) = *dice.pick(&[
            ("", 10),
            ("0", 10),
            ("1", 1),
            ("7", 7),
            ("100", 100),
            ("501", 500),
            ("-1", usize::MAX),
            ("-5", 10),
        ]);
        let expected: Vec<_> = expected.into_iter().skip(offset).take(most).collect();

        let (mut filter, sort) = (condition.text(), sort_text(&order));
        let offset = offset.to_string();
        let mut parameters = Vec::new();
        if !sort.is_empty() {
            if dice.one_in(2) {
                filter.extend([" sort by ", &sort]);
                // What stands in the filter counts.
                parameters.push(("sort", "id desc"));
            } else {
                parameters.push(("sort", &*sort));
            }
        }
        if dice.one_in(3) {
            filter.extend([" skip ", &offset]);
            parameters.push(("offset", "3"));
        } else {
            parameters.push(("offset", &*offset));
        }
        if limit == "-1" && dice.one_in(2) {
            filter.push_str(" limit none");
        } else {
            parameters.push(("limit", limit));
        }
        parameters.push(("filter", &*filter));
        let reply = list(self.controller, self.admin, self.path, &parameters).await;
        assert_eq!(
            reply.status,
            200,
            "{place}: {parameters:?}: {}",
            reply.text()
        );
        assert_eq!(pagination(&reply).2, total, "{place}: {parameters:?}");
        let given = reply.data();
        let given: Vec<_> = given.as_array().unwrap().iter().collect();
        let ids = |rows: &[&Value]| -> Vec<String> {
            rows.iter().map(|row| text(row, "id").to_owned()).collect()
        };
        assert_eq!(ids(&given), ids(&expected), "{place}: {parameters:?}");
        assert_eq!(given, expected, "{place}: {parameters:?}");
    }
}

/// Lets the clock stand, or moves it on.
fn tick(controller: &Harness, dice: &mut Dice) {
    let by = *dice.pick(&[0, 0, 1, 1000, 60_000]);
    controller.clock.advance(SignedDuration::from_millis(by));
}

fn name(dice: &mut Dice, number: usize) -> String {
    let word = dice.pick(&[
        "alpha", "Alpha", "beta", "naïve", "we\"ird", "back\\", "n", "ÄB c",
    ]);
    format!("{word}{}{number}", "0".repeat(dice.roll(3)))
}

fn tags(dice: &mut Dice) -> Value {
    let mut tags = json!({});
    if dice.one_in(2) {
        let sites = [
            json!("berlin"),
            json!("Oslo"),
            json!(true),
            json!(2),
            json!(null),
        ];
        tags["site"] = dice.pick(&sites).clone();
    }
    if dice.one_in(2) {
        let levels = [
            json!(-1),
            json!(0),
            json!(1),
            json!(1.5),
            json!(3),
            json!("3"),
            json!(false),
        ];
        tags["level"] = dice.pick(&levels).clone();
    }
    if dice.one_in(4) {
        tags["x.y-z"] = dice.pick(&[json!(12), json!("n0"), json!(true)]).clone();
    }
    tags
}

fn stored_tags(dice: &mut Dice) -> Tags {
    let Value::Object(tags) = tags(dice) else {
        unreachable!()
    };
    let value = |value| match value {
        Value::Null => TagValue::Null,
        Value::Bool(value) => TagValue::Bool(value),
        Value::Number(number) => TagValue::Number(number),
        Value::String(text) => TagValue::Text(text),
        other => panic!("no tag: {other}"),
    };
    tags.into_iter()
        .map(|(key, one)| (key, value(one)))
        .collect()
}

fn attributes(dice: &mut Dice) -> Value {
    let words = ["a", "sales", "Sales", "ops", "n0", "é"];
    let count = *dice.pick(&[0, 0, 1, 1, 2, 3]);
    (0..count).map(|_| *dice.pick(&words)).collect()
}

/// Makes and changes identities, with what belongs to them.
struct Identities<'c> {
    controller: &'c Harness,
    admin: &'c str,
    ids: Vec<String>,
    made: usize,
}

impl<'c> Identities<'c> {
    fn new(controller: &'c Harness, admin: &'c str) -> Self {
        Self {
            controller,
            admin,
            ids: Vec::new(),
            made: 0,
        }
    }

    async fn make(&mut self, dice: &mut Dice) {
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

    async fn change(&mut self, dice: &mut Dice) {
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
            2 => return disable(self.controller, self.admin, &self.ids[place]).await,
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
        add_policy(&controller, "other", |_policy| {}).await;
        let mut identities = Identities::new(&controller, &admin);
        let mut dice = Dice(seed);
        for _ in 0..count {
            identities.make(&mut dice).await;
        }
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
        ids.push(id_of(&controller, &admin, ADMIN).await);
        ids.sort();
        let rows = comparison.rows().await;
        let shown: Vec<_> = rows.iter().map(|row| text(row, "id")).collect();
        assert_eq!(
            shown, ids,
            "seed {seed}: neither more nor less than was made"
        );
    }
}

#[tokio::test]
async fn enrollments_are_what_a_simple_reading_finds() {
    let seed = 11;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "other", |_policy| {}).await;
    let mut identities = Identities::new(&controller, &admin);
    let mut dice = Dice(seed);
    for _ in 0..60 {
        identities.make(&mut dice).await;
    }
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

fn found<E: Entity>(rows: &RowsMut<'_>, index: Index, value: &str) -> Found<E> {
    let value = UniqueValue::new(index, value);
    rows.rows().find(&value).unwrap().unwrap()
}

/// Gives an identity one more authenticator, which nobody could log in with.
async fn add_authenticator(controller: &Harness, dice: &mut Dice, owner: &str, number: usize) {
    let (owner, tags) = (owner.to_owned(), stored_tags(dice));
    let is_certificate = dice.one_in(2);
    let is_ours = dice.one_in(2);
    let username = name(dice, number);
    let key = controller.engine.allocate(AUTHENTICATOR);
    let now = controller.app.env().now();
    operate(controller, move |rows| {
        let owner: Found<Identity> = found(rows, Index::IdentityId, &owner);
        let mut one: Authenticator =
            found::<Authenticator>(rows, Index::AuthenticatorUsername, ADMIN).entity;
        one.id = AuthenticatorId::from_wire(format!("a{number:03}"));
        (one.created_at, one.updated_at) = (now, now);
        one.tags = tags.clone();
        one.identity = owner.entity.id.clone();
        match &mut one.credential {
            Credential::Updb(updb) if !is_certificate => updb.username.clone_from(&username),
            credential => {
                *credential = Credential::Cert(CertCredential::new(
                    format!("{:x}", number * 1_000_003),
                    format!("-----BEGIN-----\nn{number}\n-----END-----\n"),
                    is_ours,
                ));
            },
        }
        let key = owner.key.dependent(AUTHENTICATOR, key);
        rows.insert(&key, &one).unwrap();
        let mut after = owner.entity.clone();
        after.attached.authenticators += 1;
        rows.replace(&owner.key, &owner.entity, &after).unwrap();
    })
    .await;
}

#[tokio::test]
async fn authenticators_are_what_a_simple_reading_finds() {
    let seed = 21;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "other", |_policy| {}).await;
    let mut identities = Identities::new(&controller, &admin);
    let mut dice = Dice(seed);
    for _ in 0..20 {
        identities.make(&mut dice).await;
    }
    for number in 0..80 {
        tick(&controller, &mut dice);
        let owner = dice.pick(&identities.ids).clone();
        add_authenticator(&controller, &mut dice, &owner, number).await;
    }
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/authenticators",
        symbols: AUTHENTICATORS,
    };
    let mut number = 80;
    comparison
        .run(seed, 200, async |dice| {
            tick(&controller, dice);
            number += 1;
            match dice.roll(4) {
                // Takes its authenticators with it.
                0 if dice.one_in(3) => identities.change(dice).await,
                0 => {
                    let all = comparison.rows().await;
                    let username = all.iter().find_map(|row| row["username"].as_str());
                    if let Some(before) = username.filter(|name| *name != ADMIN) {
                        let (before, after) = (before.to_owned(), name(dice, number));
                        operate(&controller, move |rows| {
                            let one: Found<Authenticator> =
                                found(rows, Index::AuthenticatorUsername, &before);
                            let mut changed = one.entity.clone();
                            if let Credential::Updb(updb) = &mut changed.credential {
                                updb.username.clone_from(&after);
                            }
                            rows.replace(&one.key, &one.entity, &changed).unwrap();
                        })
                        .await;
                    }
                },
                _ if identities.ids.is_empty() => identities.make(dice).await,
                _ => {
                    let owner = dice.pick(&identities.ids).clone();
                    add_authenticator(&controller, dice, &owner, number).await;
                },
            }
        })
        .await;
}

fn edit(dice: &mut Dice, number: usize) -> impl FnOnce(&mut AuthPolicy) + use<> {
    let mut flags = [false; 8];
    flags.fill_with(|| dice.one_in(2));
    let numbers = [5, 5, 8, 12, 1, 2].map(u32::from as fn(u8) -> u32);
    let (length, attempts) = (*dice.pick(&numbers), *dice.pick(&numbers));
    let (name, tags) = (name(dice, number), stored_tags(dice));
    move |policy| {
        policy.name = name;
        policy.tags = tags;
        let primary = &mut policy.primary;
        [primary.cert.allowed, primary.cert.allow_expired_certs] = [flags[0], flags[1]];
        primary.updb.allowed = flags[2];
        primary.updb.require_special_char = flags[3];
        primary.updb.require_number_char = flags[4];
        primary.updb.require_mixed_case = flags[5];
        (primary.updb.min_password_length, primary.updb.max_attempts) = (length, attempts);
        primary.ext_jwt.allowed = flags[6];
        policy.secondary.require_totp = flags[7];
        let signer = flags[0] && flags[3];
        policy.secondary.require_ext_jwt_signer =
            signer.then(|| SignerId::from_wire(format!("signer{length}")));
    }
}

#[tokio::test]
async fn auth_policies_are_what_a_simple_reading_finds() {
    let seed = 31;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    for number in 0..60 {
        tick(&controller, &mut dice);
        add_policy(
            &controller,
            &format!("p{number:03}"),
            edit(&mut dice, number),
        )
        .await;
    }
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
            operate(&controller, move |rows| {
                let one: Found<AuthPolicy> = found(rows, Index::AuthPolicyId, &id);
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
    for number in 0..40 {
        tick(&controller, &mut dice);
        add_authority(&controller, &mut dice, &admin, number).await;
    }
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
    for number in 0..40 {
        tick(&controller, &mut dice);
        add_signer(&controller, &mut dice, &admin, number).await;
    }
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

/// Gives an identity one more session, whose token nobody knows.
async fn add_session(controller: &Harness, dice: &mut Dice, owner: &str, number: usize) {
    let owner = owner.to_owned();
    let flags = [dice.one_in(2), dice.one_in(2), dice.one_in(3)];
    let address = (*dice.pick(&["127.0.0.1", "10.0.0.12", "::1", "fe80::A"])).to_owned();
    let authenticator = format!("a{}", dice.roll(9));
    let key = controller.engine.allocate(API_SESSION);
    let now = controller.app.env().now();
    let used = now + SignedDuration::from_millis(i64::try_from(dice.roll(3)).unwrap());
    operate(controller, move |rows| {
        let owner: Found<Identity> = found(rows, Index::IdentityId, &owner);
        let opened: Found<Identity> = found(rows, Index::IdentityName, ADMIN);
        let present = rows.rows().dependents::<ApiSession>(&opened.key).unwrap();
        let mut session = present[0].entity.clone();
        session.id = ApiSessionId::from_wire(format!("s{number:03}"));
        session.token_hash = TokenHash((number as u128).to_be_bytes());
        (session.created_at, session.last_activity_at) = (now, used);
        session.identity = owner.entity.id.clone();
        session.opened_by =
            OpenedBy::Authenticator(AuthenticatorId::from_wire(authenticator.as_str()));
        session.ip_address.clone_from(&address);
        [session.totp.is_required, session.totp.is_complete] = [flags[0], flags[1]];
        session.improper_client_cert_chain = flags[2];
        let key = owner.key.dependent(API_SESSION, key);
        rows.insert(&key, &session).unwrap();
    })
    .await;
}

#[tokio::test]
async fn sessions_are_what_a_simple_reading_finds() {
    let seed = 41;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "other", |_policy| {}).await;
    let mut identities = Identities::new(&controller, &admin);
    let mut dice = Dice(seed);
    for _ in 0..15 {
        identities.make(&mut dice).await;
    }
    for number in 0..80 {
        tick(&controller, &mut dice);
        let owner = dice.pick(&identities.ids).clone();
        add_session(&controller, &mut dice, &owner, number).await;
    }
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/api-sessions",
        symbols: API_SESSIONS,
    };
    let mut number = 80;
    comparison
        .run(seed, 200, async |dice| {
            // The caller's own session is used, and so changes, whenever the clock has moved.
            tick(&controller, dice);
            get(&controller, &admin, "/current-api-session").await;
            number += 1;
            if identities.ids.is_empty() || dice.one_in(6) {
                return identities.change(dice).await;
            }
            let owner = dice.pick(&identities.ids).clone();
            if dice.one_in(2) {
                return add_session(&controller, dice, &owner, number).await;
            }
            let owner = IdentityId::from_wire(owner);
            operate(&controller, move |rows| {
                let owner: Found<Identity> = found(rows, Index::IdentityId, owner.as_str());
                let sessions = rows.rows().dependents::<ApiSession>(&owner.key).unwrap();
                for session in sessions.iter().take(1) {
                    rows.remove(&session.key, &session.entity).unwrap();
                }
            })
            .await;
        })
        .await;
}
