//! S-22: tokens that are made to be expensive are refused, wherever tokens count. What judging them costs
//! is held against a bound in `crates/pki/tests/it/external/monsters.rs`.

use crate::support::idp::{Idp, enroll_with, log_in_with, session_without_token, who};
use crate::support::{create, revision};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};

/// Bytes for which there is memory in any request. Over a connection, a head has fewer.
const LARGEST_HEAD: usize = 4 << 20;

/// A value that nests so deeply.
fn nested(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

/// The text of an object with one more member in front.
fn with(object: &Value, member: &str) -> String {
    object.to_string().replacen('{', &format!("{{{member},"), 1)
}

/// Tokens in each of which one thing is wrong; all that can be signed is.
fn monsters(idp: &Idp, claims: &Value) -> Vec<(&'static str, String)> {
    let header = idp.header();
    let (header_text, claims_text) = (header.to_string(), claims.to_string());
    let good = idp.sign(&header, claims);
    let parts: Vec<_> = good.split('.').collect();
    let signed = |header: &str, claims: &str| idp.sign_text(header, claims);
    let deep = format!("\"x\":{}", nested(10_000));
    // A length that takes padding; spaces at the end of JSON are nothing wrong.
    let spaces = |text: &str| (4 - text.len() % 3) % 3;
    let padded = |text: &str| URL_SAFE.encode(format!("{text}{}", " ".repeat(spaces(text))));
    let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
    // In the usual alphabet, "+" and "/" stand where "-" and "_" do in that of URLs.
    let standard = STANDARD.encode(with(claims, "\"x\":\"???>>>???>>>\""));
    let broken = |part: &str| format!("{}\r\n{}", &part[..8], &part[8..]);
    assert!(padded(&header_text).ends_with('=') && padded(&claims_text).ends_with('='));
    assert!(standard.contains(['+', '/']));
    vec![
        ("a million dots", ".".repeat(1_000_000)),
        (
            "a million dots behind it",
            format!("{good}{}", ".".repeat(1_000_000)),
        ),
        (
            "a header of 10 MB",
            format!("{}.{}.{}", "A".repeat(10_000_000), parts[1], parts[2]),
        ),
        (
            "claims of 10 MB",
            signed(
                &header_text,
                &with(claims, &format!("\"x\":\"{}\"", "y".repeat(10_000_000))),
            ),
        ),
        (
            "a header nested 10 000 times",
            signed(&with(&header, &deep), &claims_text),
        ),
        (
            "claims nested 10 000 times",
            signed(&header_text, &with(claims, &deep)),
        ),
        (
            "two `sub`",
            signed(&header_text, &with(claims, "\"sub\":\"somebody\"")),
        ),
        (
            "two `iss`",
            signed(
                &header_text,
                &with(claims, &format!("\"iss\":{}", claims["iss"])),
            ),
        ),
        (
            "two `alg`",
            signed(&with(&header, "\"alg\":\"none\""), &claims_text),
        ),
        (
            "the same twice",
            signed(&header_text, &with(claims, "\"x\":{\"y\":1,\"\\u0079\":1}")),
        ),
        (
            "an unknown `crit`",
            signed(&with(&header, "\"crit\":[\"exp\"],\"exp\":1"), &claims_text),
        ),
        (
            "an empty `crit`",
            signed(&with(&header, "\"crit\":[]"), &claims_text),
        ),
        (
            "a padded header",
            idp.sign_parts(&padded(&header_text), &encode(&claims_text)),
        ),
        (
            "padded claims",
            idp.sign_parts(&encode(&header_text), &padded(&claims_text)),
        ),
        ("a padded signature", format!("{good}==")),
        (
            "the usual alphabet",
            idp.sign_parts(&encode(&header_text), standard.trim_end_matches('=')),
        ),
        (
            "a space",
            format!("{} .{}.{}", parts[0], parts[1], parts[2]),
        ),
        ("a space behind it", format!("{good} x")),
        (
            "a tab",
            idp.sign_parts(
                &encode(&header_text),
                &format!("{}\t", encode(&claims_text)),
            ),
        ),
        (
            "a line that is broken",
            idp.sign_parts(&encode(&header_text), &broken(&encode(&claims_text))),
        ),
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        ("no claims", format!("{}..{}", parts[0], parts[2])),
        ("two parts", format!("{}.{}", parts[0], parts[1])),
        ("four parts", format!("{good}.{}", parts[2])),
        ("no object", signed("[]", &claims_text)),
        ("claims that are no object", signed(&header_text, "\"sub\"")),
        (
            "what is behind an object",
            signed(&header_text, &format!("{claims}{claims}")),
        ),
    ]
}

#[tokio::test]
async fn monsters_are_refused_wherever_tokens_count() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let idp = Idp::new(&controller, "idp");
    let rules = json!({"enrollToCertEnabled": true, "enrollToTokenEnabled": true});
    let signer = idp.register(&controller, &admin, rules).await;
    create(&controller, &admin, "ada", json!({"externalId": "ada@x"})).await;
    let session = session_without_token(&controller, &admin, signer).await;
    let of = |holder: &str| idp.claims(&controller, holder);
    let at = revision(&controller);
    let monsters = ["ada@x", "eve@x", "new@x"].map(|holder| monsters(&idp, &of(holder)));
    let [of_ada, of_eve, of_newcomer] = monsters;
    for (what, monster) in of_ada.iter().filter(|(_, monster)| is_sendable(monster)) {
        let reply = log_in_with(&controller, &[monster]).await;
        assert_refused(&reply, what, monster, (401, "UNAUTHORIZED"));
    }
    for (what, monster) in of_eve.iter().filter(|(_, monster)| is_sendable(monster)) {
        let reply = who(&controller, &session, &[monster]).await;
        assert_refused(&reply, what, monster, (401, "UNAUTHORIZED"));
    }
    for (what, monster) in of_newcomer
        .iter()
        .filter(|(_, monster)| is_sendable(monster))
    {
        let reply = enroll_with(&controller, monster, "").await;
        let refusal = (400, "INVALID_ENROLLMENT_TOKEN");
        assert_refused(&reply, what, monster, refusal);
    }
    assert_eq!(revision(&controller), at, "nothing is done");
    // The same without what is wrong passes.
    let good = |holder: &str| idp.token(&controller, holder);
    assert_eq!(
        log_in_with(&controller, &[&good("ada@x")]).await.status,
        200
    );
    assert_eq!(
        who(&controller, &session, &[&good("eve@x")]).await.status,
        200
    );
    assert_eq!(
        enroll_with(&controller, &good("new@x"), "").await.status,
        200
    );
}

/// Asserts that a token was refused: for what it is, or since no request may be so large.
#[track_caller]
fn assert_refused(reply: &Reply, what: &str, monster: &str, (status, code): (u16, &str)) {
    let is_too_large = monster.len() > LARGEST_HEAD && reply.status == 429;
    assert!(
        is_too_large || reply.error() == (status, code.to_owned()),
        "{what}: {} {}",
        reply.status,
        reply.text()
    );
}

/// Whether a header can hold it: what has a line break in it is no header, and no request.
fn is_sendable(token: &str) -> bool {
    !token.contains(['\r', '\n'])
}
