//! Whether the time of an answer tells why a password was refused (property S-19).
//!
//! One client guesses at names of each kind in turn, in an order that changes from round to round; so
//! whatever else the machine does falls on all kinds alike.

use super::fixture::Fixture;
use super::report::{Figure, Report, Target, Unit};
use crate::testbed::calls::text_of;
use crate::testbed::link::Link;
use crate::testbed::request::{self, MANAGEMENT};
use crate::testbed::statistics::median;
use serde_json::{Value, json};
use std::time::Instant;

/// The passwords of those who have one.
const PASSWORD: &str = "open-sesame-1";

/// How near two medians have to be.
const NEAR: f64 = 0.97;

/// Rounds for each device of the scale.
const ROUNDS: usize = 4;

/// A kind of refused login, and how long each took, seconds.
struct Kind {
    name: &'static str,
    login: Vec<u8>,
    times: Vec<f64>,
}

/// Measures unknown names, wrong passwords, disabled identities and policies without passwords.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let admin = &fixture.admin;
    let mut link = fixture.controller.endpoint(None)?.connect().await?;
    user(&mut link, admin, "guessed-at").await?;
    let disabled = user(&mut link, admin, "disabled").await?;
    let path = format!("/identities/{disabled}/disable");
    post(
        &mut link,
        admin,
        (200, &path),
        &json!({"durationMinutes": 0}),
    )
    .await?;
    let certified = user(&mut link, admin, "without-passwords").await?;
    forbid_passwords(&mut link, admin, &certified).await?;
    let kind = |name, username, password| Kind {
        name,
        login: request::password_login(username, password),
        times: Vec::new(),
    };
    let mut wrong = kind("refused, wrong password", "guessed-at", "wrong");
    let mut others = [
        kind("refused, unknown name, median", "nobody-at-all", "wrong"),
        kind("refused, disabled identity, median", "disabled", PASSWORD),
        kind(
            "refused, no passwords allowed, median",
            "without-passwords",
            PASSWORD,
        ),
    ];
    for round in 0..fixture.scale.devices * ROUNDS {
        let mut kinds: Vec<&mut Kind> = others.iter_mut().chain([&mut wrong]).collect();
        let count = kinds.len();
        kinds.rotate_left(round % count);
        for kind in kinds {
            let start = Instant::now();
            link.expect(401, &kind.login).await?;
            kind.times.push(start.elapsed().as_secs_f64());
        }
    }
    for kind in others {
        let (one, other) = (median(&kind.times), median(&wrong.times));
        report.add(
            Figure::new(kind.name, one.min(other) * 1e3, Unit::Milliseconds)
                .beside(
                    "refused, wrong password, or the other way round",
                    one.max(other) * 1e3,
                )
                .target(Target::RatioAtLeast(NEAR)),
        );
    }
    Ok(())
}

/// Makes an identity that logs in with its name and a password; answers its id.
async fn user(link: &mut Link, admin: &str, name: &str) -> anyhow::Result<String> {
    let identity = json!({"name": name, "type": "Device", "isAdmin": false});
    let id = post(link, admin, (201, "/identities"), &identity).await?;
    let login = json!({
        "method": "updb", "identityId": id, "username": name, "password": PASSWORD,
    });
    post(link, admin, (201, "/authenticators"), &login).await?;
    Ok(id)
}

/// Puts an identity under a policy that allows no passwords.
async fn forbid_passwords(link: &mut Link, admin: &str, identity: &str) -> anyhow::Result<()> {
    let policy = json!({
        "name": "without passwords",
        "primary": {
            "cert": {"allowed": true, "allowExpiredCerts": true},
            "extJwt": {"allowed": true, "allowedSigners": []},
            "updb": {
                "allowed": false, "minPasswordLength": 5, "requireSpecialChar": false,
                "requireNumberChar": false, "requireMixedCase": false, "maxAttempts": 0,
                "lockoutDurationMinutes": 0,
            },
        },
        "secondary": {"requireTotp": false, "requireExtJwtSigner": null},
    });
    let policy = post(link, admin, (201, "/auth-policies"), &policy).await?;
    let path = format!("{MANAGEMENT}/identities/{identity}");
    let change = json!({"authPolicyId": policy}).to_string();
    link.expect(200, &request::patch(&path, Some(admin), &change))
        .await?;
    Ok(())
}

/// Sends a POST; answers the id of what was created, if anything was.
async fn post(
    link: &mut Link,
    admin: &str,
    (status, path): (u16, &str),
    body: &Value,
) -> anyhow::Result<String> {
    let path = format!("{MANAGEMENT}{path}");
    let asked = request::post(&path, Some(admin), &body.to_string());
    let answer = link.expect(status, &asked).await?;
    Ok(text_of(answer, "/data/id").unwrap_or_default())
}
