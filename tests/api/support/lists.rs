//! Shared support of list tests.

use crate::support::{create, get, text};
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};

/// Percent-encodes what a query cannot hold as it is.
pub(crate) fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// Requests a list.
pub(crate) async fn list(
    controller: &Harness,
    admin: &str,
    path: &str,
    parameters: &[(&str, &str)],
) -> Reply {
    let query: Vec<_> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)))
        .collect();
    get(controller, admin, &format!("{path}?{}", query.join("&"))).await
}

/// The names of the rows.
pub(crate) fn names(reply: &Reply) -> Vec<String> {
    let data = reply.data();
    let rows = data.as_array().unwrap().iter();
    rows.map(|row| text(row, "name").to_owned()).collect()
}

/// Limit, offset and total count.
pub(crate) fn pagination(reply: &Reply) -> (Value, Value, Value) {
    let page = &reply.json()["meta"]["pagination"];
    (
        page["limit"].clone(),
        page["offset"].clone(),
        page["totalCount"].clone(),
    )
}

/// Fifteen identities, created a second apart, and the administrator before them.
pub(crate) async fn with_fifteen_identities() -> (Harness, String, Vec<String>) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut ids = Vec::new();
    for number in 0..15 {
        controller.clock.advance(SignedDuration::from_secs(1));
        // Names are in reverse order of creation, and sort bytewise.
        let name = format!("n{:02}", 14 - number);
        let attributes = if number % 2 == 0 {
            json!(["even", "all"])
        } else {
            json!(["all"])
        };
        let more = json!({
            "roleAttributes": attributes, "isAdmin": number == 3,
            "tags": {"rank": number, "odd": number % 2 == 1, "word": format!("w{number}")},
            "externalId": if number < 5 { json!(format!("ext{number}")) } else { json!(null) },
        });
        ids.push(create(&controller, &admin, &name, more).await);
    }
    (controller, admin, ids)
}
