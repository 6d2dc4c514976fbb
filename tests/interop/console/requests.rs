//! Every kind of request that OpenZiti's console was recorded to send.

use super::{make_console, start};
use serde_json::{Value, json};
use std::fs;
use support::tools::are_available;
use support::{Api, Reply, TestDirectory, Tool, repository};

const ID: &str = "{id}";

/// Ids of the recorded network, and kinds of which this one has none.
const FOREIGN: [u16; 2] = [400, 404];

#[test]
fn recorded_requests_of_the_console_are_understood() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let Some(file) = repository::shared("spec/console-requests.jsonl") else {
        return;
    };
    let text = fs::read_to_string(file).unwrap();
    let mut rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(rows.len() >= 200, "{}", rows.len());
    // What is created first is read, then changed, and removed last.
    rows.sort_by_key(rank);
    let site = TestDirectory::new();
    let controller = start(&site, &make_console(&site));
    let admin = Api::admin(&controller);
    let body =
        json!({"name": "someone", "isAdmin": false, "type": "Device", "enrollment": {"ott": true}});
    admin.send("POST", "/identities", &body).expect_status(201);
    let mut failed = Vec::new();
    for row in &rows {
        let (path, has_ids) = fill_in(&admin, row["path"].as_str().unwrap());
        let reply = send(&admin, row, &path);
        if !is_expected(row, &reply, has_ids) {
            let (method, status) = (&row["method"], reply.status);
            failed.push(format!("{method} {path}: {status} {}", reply.text()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn rank(row: &Value) -> usize {
    let has_id = row["path"].as_str().unwrap().contains(ID);
    match row["method"].as_str().unwrap() {
        "POST" if !has_id => 0,
        "GET" => 1,
        "DELETE" => 3,
        _ => 2,
    }
}

/// Puts ids of this network into a path; also whether there were some for all.
fn fill_in(admin: &Api, path: &str) -> (String, bool) {
    let mut filled = path.to_owned();
    let mut has_all = true;
    while let Some((before, after)) = filled.split_once(ID) {
        let kind = match before.trim_end_matches('/').rsplit('/').next() {
            Some("policy-advice") => "services",
            Some(kind) => kind,
            None => "",
        };
        let id = first_id(admin, kind);
        has_all &= id.is_some();
        let id = id.unwrap_or_else(|| "unknown".to_owned());
        filled = format!("{before}{id}{after}");
    }
    (filled, has_all)
}

/// The id of an entity that is not the administrator who asks, nor the controller's to manage, nor the
/// authentication policy that both use.
fn first_id(admin: &Api, kind: &str) -> Option<String> {
    let list = admin.get(&format!("/{kind}?limit=100"));
    if list.status != 200 {
        return None;
    }
    let entities = list.data();
    let is_free =
        |it: &&Value| it["isAdmin"] != true && it["isSystem"] != true && it["id"] != "default";
    let other = entities.as_array()?.iter().find(is_free);
    Some(other?["id"].as_str()?.to_owned())
}

fn send(admin: &Api, row: &Value, path: &str) -> Reply {
    let query = row["query"].as_str().unwrap_or_default();
    let query: String = query
        .chars()
        .map(|c| match c {
            ' ' => "%20".to_owned(),
            '"' => "%22".to_owned(),
            '{' => "%7B".to_owned(),
            '}' => "%7D".to_owned(),
            c => c.to_string(),
        })
        .collect();
    let mut request = admin.curl(&format!("{path}{query}"));
    let method = row["method"].as_str().unwrap();
    if let Some(accepted) = row["accept"][0].as_str() {
        request = request.header(&format!("accept: {accepted}"));
    }
    let media_type = row["contentType"][0].as_str();
    match (row["body"].as_str(), media_type) {
        (Some(body), Some(media_type)) => request.body(method, media_type, body).send(),
        (_, media_type) => {
            if let Some(media_type) = media_type {
                request = request.header(&format!("content-type: {media_type}"));
            }
            request.argument("--request").argument(method).send()
        },
    }
}

fn is_expected(row: &Value, reply: &Reply, has_ids: bool) -> bool {
    let path = row["path"].as_str().unwrap();
    if path.starts_with("/oidc/") {
        // Their codes and tokens are spent; the operations are there.
        return reply.status < 500 && !matches!(reply.status, 404 | 405 | 406 | 415);
    }
    let recorded = row["status"].as_object().unwrap();
    let is_recorded = recorded
        .values()
        .filter_map(Value::as_object)
        .any(|statuses| statuses.contains_key(&reply.status.to_string()));
    let is_write = row["method"] != "GET";
    // Recorded with users of fewer permissions alone.
    let is_permitted = !is_write && reply.status == 200;
    let names_others = is_write && row["body"].is_string();
    is_recorded || is_permitted || ((!has_ids || names_others) && FOREIGN.contains(&reply.status))
}
