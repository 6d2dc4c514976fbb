//! S-22: what it costs to judge a token that is made to be expensive. The time is that of the processor
//! on this thread: other work on the machine does not count.

use std::time::Duration;

use portcullis_pki::external::KeySet;
use serde_json::json;

use super::signer::{Signer, encode, verify};

/// Times that a token is judged: the system counts time in steps.
const TIMES: u32 = 64;

/// What judging one may cost: the bound of the property where the code is compiled for speed.
const MOST: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(20)
} else {
    Duration::from_millis(1)
};

/// The largest token that is looked at all.
const LARGEST: usize = 64 * 1024;

/// Processor time that this thread has used; `None` where the system does not tell.
fn used() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Has a token judged again and again, each time for nothing; answers what one time cost.
fn cost(token: &str, keys: &KeySet) -> Option<Duration> {
    let before = used()?;
    for _ in 0..TIMES {
        assert!(verify(token, keys).is_err());
    }
    Some(used()?.saturating_sub(before) / TIMES)
}

/// Cuts claims so that the whole token is as large as may be.
fn filled(fill: impl Fn(usize) -> String, signer: &Signer) -> String {
    let header = json!({"alg": signer.algorithm, "kid": "k1"}).to_string();
    let mut length = LARGEST * 3 / 4;
    loop {
        let token = signer.sign(&header, &fill(length));
        if token.len() <= LARGEST {
            return token;
        }
        length -= 64;
    }
}

#[test]
fn no_token_takes_long_to_judge() {
    let signer = Signer::new("ES256");
    let stranger = Signer::new("ES256");
    let keys = stranger.key_set();
    let header = json!({"alg": "ES256", "kid": "k1"}).to_string();
    let good = signer.sign(&header, r#"{"iss":"i","sub":"s"}"#);
    let parts: Vec<&str> = good.split('.').collect();
    let object = |members: String| format!("{{{members}}}");
    let unlike = |length: usize| {
        let members = (0..length / 10).map(|number| format!("\"{number:05}\":0"));
        object(members.collect::<Vec<_>>().join(","))
    };
    let alike = |length: usize| object(vec!["\"sub\":0"; length / 8].join(","));
    let lists = |length: usize| object(format!("\"x\":[{}]", vec!["[]"; length / 3].join(",")));
    let numbers = |length: usize| {
        let digits = "1".repeat(length.saturating_sub(32));
        object(format!(
            "\"x\":{digits}.{digits}e1",
            digits = &digits[..digits.len() / 2]
        ))
    };
    let escapes = |length: usize| object(format!("\"x\":\"{}\"", "\\u0041".repeat(length / 6 - 4)));
    let deep = |length: usize| object(format!("\"x\":{}", "[".repeat(length - 6)));
    for (what, token) in [
        ("a million dots", ".".repeat(1_000_000)),
        (
            "a header of 10 MB",
            format!("{}.{}.{}", "A".repeat(10_000_000), parts[1], parts[2]),
        ),
        ("64 KiB of dots", ".".repeat(LARGEST)),
        ("64 KiB of nothing", "A".repeat(LARGEST)),
        (
            "a header of 64 KiB",
            format!("{}.{}.", encode("[".repeat(40_000)), parts[1]),
        ),
        (
            "a nested header",
            format!(
                "{}.{}.",
                encode(format!("{{\"x\":{}", "[".repeat(10_000))),
                parts[1]
            ),
        ),
        ("nested claims", filled(deep, &signer)),
        ("many members", filled(unlike, &signer)),
        ("many members of one name", filled(alike, &signer)),
        ("many lists", filled(lists, &signer)),
        ("a long number", filled(numbers, &signer)),
        ("many escapes", filled(escapes, &signer)),
        (
            "a long signature",
            format!("{}.{}.{}", parts[0], parts[1], "A".repeat(60_000)),
        ),
        ("the signature of a stranger", good.clone()),
    ] {
        let Some(cost) = cost(&token, &keys) else {
            println!("skipped: this system does not tell what a thread costs");
            return;
        };
        assert!(cost < MOST, "{what}: {cost:?}");
    }
}
