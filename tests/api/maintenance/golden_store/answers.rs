//! What administrators are answered about everything that is stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use portcullis_http::path::Api;
use portcullis_testkit::Harness;
use serde_json::{Map, Value, json};

/// Collections that tell of the process and not of the store.
const OF_THE_PROCESS: [&str; 5] = [
    "/.well-known/est/cacerts",
    "/controllers",
    "/specs",
    "/swagger.json",
    "/version",
];

/// All answers to GET without a parameter in the path, and to GET of each entity that they list.
pub(super) async fn all(controller: &Harness, admin: &str) -> Value {
    let mut answers = Map::new();
    for (api, prefix) in [
        (Api::Management, "/edge/management/v1"),
        (Api::Fabric, "/fabric/v1"),
    ] {
        let paths = paths(controller, api);
        for path in paths.iter().filter(|path| !path.contains('{')) {
            let whole = format!("{prefix}{path}");
            let list = ask(
                controller,
                admin,
                &format!("{whole}?filter=true%20limit%20none"),
            )
            .await;
            let ids: Vec<String> = list["data"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| Some(one["id"].as_str()?.to_owned()))
                .collect();
            answers.insert(whole.clone(), list);
            let below: Vec<_> = paths
                .iter()
                .filter_map(|other| other.strip_prefix(&format!("{path}/{{id}}")))
                .filter(|below| !below.contains('{'))
                .collect();
            for id in &ids {
                for below in &below {
                    let one = format!("{whole}/{id}{below}");
                    let mut answer = ask(controller, admin, &one).await;
                    if !below.is_empty() {
                        reduce(&mut answer);
                    }
                    answers.insert(one, answer);
                }
            }
        }
    }
    Value::Object(answers)
}

fn paths(controller: &Harness, api: Api) -> Vec<&'static str> {
    let routes = controller.table().routes().iter();
    routes
        .filter(|route| route.method == Method::GET && route.apis.contains(&api))
        .filter(|route| !OF_THE_PROCESS.contains(&route.path))
        .map(|route| route.path)
        .collect()
}

/// Removes the lists of a collection and its member of the summary, which must be empty and zero.
pub(super) fn remove_empty(answers: &mut Value, collection: &str) {
    let answers = answers.as_object_mut().unwrap();
    for prefix in ["/edge/management/v1", "/fabric/v1"] {
        if let Some(list) = answers.remove(&format!("{prefix}/{collection}")) {
            assert_eq!(list["data"], json!([]), "{prefix}/{collection}");
        }
    }
    let summary = &mut answers["/edge/management/v1/summary"]["data"];
    let letters = collection.replace('-', "");
    summary.as_object_mut().unwrap().retain(|member, count| {
        let is_of_collection = member.eq_ignore_ascii_case(&letters);
        assert!(!is_of_collection || *count == 0, "{member} of the summary");
        !is_of_collection
    });
}

/// Leaves of the entities of a list their ids, where other answers show them in whole.
fn reduce(answer: &mut Value) {
    for one in answer["data"].as_array_mut().into_iter().flatten() {
        if let Some(id) = one.get("id") {
            *one = id.clone();
        }
    }
}

async fn ask(controller: &Harness, admin: &str, path: &str) -> Value {
    let reply = controller.request(Method::GET, path).session(admin).send();
    let reply = reply.await;
    let mut answer = match serde_json::from_str(&reply.text()) {
        Ok(answer) => answer,
        Err(_not_json) => Value::String(reply.text()),
    };
    steady(&mut answer);
    answer
}

/// Puts what a token says in place of the token, which is signed anew each time, and takes out the
/// request's id.
fn steady(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(claims) = claims(text) {
                *value = claims;
            }
        },
        Value::Array(values) => values.iter_mut().for_each(steady),
        Value::Object(members) => {
            members.remove("requestId");
            members.values_mut().for_each(steady);
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => {},
    }
}

fn claims(jwt: &str) -> Option<Value> {
    let [_header, claims, _signature] = jwt.split('.').collect::<Vec<_>>().try_into().ok()?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}
