//! What tokens claim, and how it is judged.

use jiff::{SignedDuration, Timestamp};
use portcullis_pki::external::{
    CLOCK_LEEWAY, ClaimLookupError, ClaimSelector, Claims, ClaimsError, JwtError, PresentedToken,
};
use serde_json::{Value, json};

use super::signer::{Signer, key_set};
use crate::support::now;

const ISSUER: &str = "https://idp.example.test";
const AUDIENCE: &str = "network";

fn read(claims: &Value) -> Result<Claims, JwtError> {
    let signer = Signer::new("ES256");
    let token = signer.token(claims);
    let token = PresentedToken::parse(&token)?;
    let keys = signer.key_set();
    token.verify(keys.candidates("k1")).cloned()
}

fn with(changes: &Value) -> Value {
    let mut claims = json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "a"});
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

fn check(changes: &Value, at: Timestamp) -> Result<(), ClaimsError> {
    read(&with(changes)).unwrap().validate(ISSUER, AUDIENCE, at)
}

#[test]
fn each_wrong_claim_has_its_own_refusal() {
    use ClaimsError::{Expired, IssuedInFuture, NotYetValid, WrongAudience, WrongIssuer};
    let second = now().as_second();
    let early = second + CLOCK_LEEWAY.as_secs() + 1;
    for (changes, expected) in [
        (json!({}), Ok(())),
        (
            json!({"exp": second + 60, "nbf": second, "iat": second}),
            Ok(()),
        ),
        (json!({"aud": ["other", AUDIENCE]}), Ok(())),
        (json!({"aud": []}), Err(WrongAudience)),
        (json!({"aud": ["other"]}), Err(WrongAudience)),
        (json!({"aud": "Network"}), Err(WrongAudience)),
        (json!({"aud": ""}), Err(WrongAudience)),
        (
            json!({"iss": "https://idp.example.test/"}),
            Err(WrongIssuer),
        ),
        (json!({"iss": "https://IDP.example.test"}), Err(WrongIssuer)),
        (json!({"iss": ""}), Err(WrongIssuer)),
        (json!({"nbf": early}), Err(NotYetValid)),
        (json!({"iat": early}), Err(IssuedInFuture)),
        (json!({"exp": second - 1}), Err(Expired)),
        // A new token would not help, so expiry is not what is said.
        (
            json!({"exp": second - 1, "aud": "other"}),
            Err(WrongAudience),
        ),
        (json!({"exp": second - 1, "iss": "other"}), Err(WrongIssuer)),
    ] {
        assert_eq!(check(&changes, now()), expected, "{changes}");
    }
    for missing in ["iss", "aud"] {
        let mut claims = with(&json!({}));
        claims.as_object_mut().unwrap().remove(missing);
        let refused = read(&claims).unwrap().validate(ISSUER, AUDIENCE, now());
        assert!(refused.is_err(), "{missing}");
    }
}

#[test]
fn the_end_is_exact_and_the_beginning_has_leeway() {
    let instant = |text: &str| -> Timestamp { text.parse().unwrap() };
    let nanosecond = SignedDuration::from_nanos(1);
    let end = instant("2026-03-01T12:00:00Z");
    let exp = json!({"exp": end.as_second()});
    assert_eq!(check(&exp, end - nanosecond), Ok(()));
    assert_eq!(check(&exp, end), Err(ClaimsError::Expired));
    let exp = json!({"exp": 1_772_366_400.5});
    assert_eq!(check(&exp, instant("2026-03-01T12:00:00.499Z")), Ok(()));
    let late = instant("2026-03-01T12:00:00.5Z");
    assert_eq!(check(&exp, late), Err(ClaimsError::Expired));
    for (claim, expected) in [
        ("nbf", ClaimsError::NotYetValid),
        ("iat", ClaimsError::IssuedInFuture),
    ] {
        let begin = json!({claim: end.as_second()});
        assert_eq!(check(&begin, end - CLOCK_LEEWAY), Ok(()));
        assert_eq!(
            check(&begin, end - CLOCK_LEEWAY - nanosecond),
            Err(expected)
        );
    }
}

#[test]
fn dates_beyond_all_time_are_its_ends() {
    for far in [
        json!(1e300),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(253_402_300_800_i64),
    ] {
        assert_eq!(check(&json!({"exp": far}), now()), Ok(()), "{far}");
        assert_eq!(
            check(&json!({"nbf": far}), now()),
            Err(ClaimsError::NotYetValid)
        );
        assert_eq!(
            check(&json!({"iat": far}), now()),
            Err(ClaimsError::IssuedInFuture)
        );
    }
    for far in [json!(-1e300), json!(i64::MIN), json!(0), json!(-0.5)] {
        assert_eq!(
            check(&json!({"exp": far}), now()),
            Err(ClaimsError::Expired),
            "{far}"
        );
        assert_eq!(check(&json!({"nbf": far, "iat": far}), now()), Ok(()));
    }
}

#[test]
fn registered_claims_of_wrong_types_are_refused() {
    for claim in ["exp", "nbf", "iat"] {
        for wrong in [json!("1"), json!(null), json!(true), json!([1]), json!({})] {
            let refused = read(&json!({claim: wrong})).unwrap_err();
            assert_eq!(refused, JwtError::ClaimType { claim }, "{wrong}");
        }
    }
    for wrong in [json!(1), json!(null), json!(["a"])] {
        let refused = read(&json!({"iss": wrong})).unwrap_err();
        assert_eq!(refused, JwtError::ClaimType { claim: "iss" }, "{wrong}");
    }
    for wrong in [json!(1), json!(null), json!(["a", 1]), json!({"a": "b"})] {
        let refused = read(&json!({"aud": wrong})).unwrap_err();
        assert_eq!(refused, JwtError::ClaimType { claim: "aud" }, "{wrong}");
    }
}

#[test]
fn texts_are_found_where_the_selector_says() {
    use ClaimLookupError::{Empty, Missing, NotText};
    let claims = read(&json!({
        "sub": "a", "empty": "", "none": null, "number": 1, "yes": true, "list": ["x", "", "y"],
        "mixed": ["x", 1], "realm": {"roles": ["r"], "name": "n"}, "https://x/roles": "u", "no": [],
    }))
    .unwrap();
    for (selector, one, many) in [
        ("/sub", Ok("a"), Ok(vec!["a"])),
        ("sub", Ok("a"), Ok(vec!["a"])),
        ("/realm/name", Ok("n"), Ok(vec!["n"])),
        ("realm/name", Err(Missing), Err(Missing)),
        ("/realm/roles", Err(NotText), Ok(vec!["r"])),
        ("/realm/roles/0", Ok("r"), Ok(vec!["r"])),
        ("https://x/roles", Ok("u"), Ok(vec!["u"])),
        ("/list", Err(NotText), Ok(vec!["x", "y"])),
        ("/empty", Err(Empty), Ok(vec![])),
        ("/no", Err(NotText), Ok(vec![])),
        ("/none", Err(Missing), Err(Missing)),
        ("/absent", Err(Missing), Err(Missing)),
        ("/number", Err(NotText), Err(NotText)),
        ("/yes", Err(NotText), Err(NotText)),
        ("/mixed", Err(NotText), Err(NotText)),
        ("/realm", Err(NotText), Err(NotText)),
    ] {
        let found = ClaimSelector::parse(selector).unwrap();
        assert_eq!(claims.text(&found), one, "{selector}");
        assert_eq!(claims.texts(&found), many, "{selector}");
    }
}

#[test]
fn issuer_and_key_are_known_before_the_signature() {
    let signer = Signer::new("ES256");
    let token = signer.token(&json!({"iss": ISSUER}));
    let presented = PresentedToken::parse(&token).unwrap();
    assert_eq!(presented.claimed_issuer(), Some(ISSUER));
    assert_eq!(presented.key_id(), Some("k1"));
    assert_eq!(presented.algorithm(), "ES256");
    let others = Signer::new("ES256");
    let refused = presented.verify(others.key_set().candidates("k1"));
    assert_eq!(refused.err(), Some(JwtError::BadSignature));
    let refused = presented.verify(key_set(&[]).candidates("k1"));
    assert_eq!(refused.err(), Some(JwtError::UnknownKey));
}

#[test]
fn what_tells_of_people_is_not_shown() {
    let claims = read(&with(
        &json!({"sub": "somebody", "email": "a@example.test"}),
    ))
    .unwrap();
    let shown = format!("{claims:?}");
    assert!(
        shown.contains(ISSUER) && shown.contains(AUDIENCE),
        "{shown}"
    );
    assert!(
        !shown.contains("somebody") && !shown.contains("a@"),
        "{shown}"
    );
}
