//! The descriptions of the APIs: where they are served, and that they say what is so.
//!
//! That every answer is as it is described is looked after by the harness, for every test.

use flate2::read::GzDecoder;
use http::Method;
use jsonschema::Draft;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Map, Value, json};
use std::io::Read as _;

const BASES: [&str; 3] = ["/edge/client/v1", "/edge/management/v1", "/fabric/v1"];

async fn get(controller: &Harness, path: &str, accept: &str) -> Reply {
    let request = controller.request(Method::GET, path);
    request.header("accept", accept).send().await
}

async fn document(controller: &Harness, base: &str) -> Value {
    let path = format!("{base}/swagger.json");
    get(controller, &path, "*/*").await.json()
}

#[tokio::test]
async fn every_api_describes_itself_to_everybody() {
    let controller = Harness::start().await;
    for base in BASES {
        let document = document(&controller, base).await;
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["servers"], json!([{"url": base}]));
        let own = &document["paths"]["/swagger.json"]["get"];
        assert_eq!(own["operationId"], "detailOwnDescription");
    }
}

#[tokio::test]
async fn descriptions_are_compressed_for_those_who_want_that() {
    let controller = Harness::start().await;
    let path = "/edge/management/v1/swagger.json";
    let plain = get(&controller, path, "*/*").await;
    let request = controller.request(Method::GET, path);
    let packed = request.header("accept-encoding", "gzip").send().await;
    assert_eq!(packed.headers["content-encoding"], "gzip");
    let mut unpacked = Vec::new();
    GzDecoder::new(&*packed.body)
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain.body);
    assert!(packed.body.len() * 4 < plain.body.len());
}

#[tokio::test]
async fn descriptions_by_name_are_yaml_and_a_text_for_those_who_take_json_alone() {
    let controller = Harness::start().await;
    for base in ["/edge/client/v1", "/edge/management/v1"] {
        for (name, title) in [
            ("edge-client", "Portcullis, client API"),
            ("edge-management", "Portcullis, management API"),
            ("fabric", "Portcullis, fabric API"),
        ] {
            let path = format!("{base}/specs/{name}/spec");
            let yaml = get(&controller, &path, "text/yaml").await;
            assert_eq!(yaml.headers["content-type"], "text/yaml");
            assert!(yaml.text().contains(&format!("title: \"{title}\"\n")));
            for accept in ["*/*", "text/html, */*;q=0.8"] {
                assert_eq!(get(&controller, &path, accept).await.body, yaml.body);
            }
            let json = get(&controller, &path, "application/json").await;
            assert_eq!(json.data(), yaml.text());
        }
    }
}

#[tokio::test]
async fn a_description_of_what_does_not_exist_is_not_found() {
    let controller = Harness::start().await;
    for path in ["/specs/nope/spec", "/specs/nope", "/specs/edge-Client/spec"] {
        let reply = get(&controller, &format!("/edge/client/v1{path}"), "*/*").await;
        assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()), "{path}");
        assert_eq!(reply.json()["error"]["cause"], Value::Null);
    }
}

#[tokio::test]
async fn schemas_are_schemas() {
    let controller = Harness::start().await;
    for base in BASES {
        let document = document(&controller, base).await;
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for (name, schema) in schemas {
            let valid = jsonschema::draft202012::meta::validate(schema);
            assert!(valid.is_ok(), "{name}: {}", valid.unwrap_err());
            let mut whole = schema.clone();
            whole["components"] = document["components"].clone();
            let built = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .build(&whole);
            assert!(built.is_ok(), "{name}: {}", built.unwrap_err());
        }
    }
}

/// The least that a schema asks for.
fn least(schema: &Value) -> Value {
    if let Some(kinds) = schema["oneOf"].as_array() {
        return least(&kinds[0]);
    }
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten();
            let members = required.map(|name| {
                let name = name.as_str().unwrap();
                (name.to_owned(), least(&schema["properties"][name]))
            });
            members.collect::<Map<_, _>>().into()
        },
        Some("array") if schema["items"]["type"] == "string" => json!(["sample"]),
        Some("array") => json!([least(&schema["items"])]),
        Some("boolean") => json!(true),
        Some("integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("string") if schema["format"] == "date-time" => json!("2040-01-01T00:00:00.000Z"),
        Some("string") if schema["minLength"].is_null() => json!(""),
        Some("string") => json!("sample"),
        other => panic!("{other:?} in {schema}"),
    }
}

/// Every operation with a JSON body that is looked at: method, path, schema.
fn operations(document: &Value) -> Vec<(Method, String, Value)> {
    let mut all = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(reference) = schema["$ref"].as_str() else {
                continue;
            };
            let schema = document.pointer(reference.trim_start_matches('#')).unwrap();
            let method = method.to_ascii_uppercase().parse().unwrap();
            all.push((method, path.clone(), schema.clone()));
        }
    }
    all
}

/// The member of the body that an answer says is missing.
fn missing(reply: &Reply) -> Option<String> {
    if reply.status.is_success() {
        return None;
    }
    let cause = &reply.json()["error"]["cause"];
    let reason = cause["reason"].as_str().unwrap_or_default();
    let is_of_head = reason.contains("in the query") || reason.contains("in the header");
    let is_missing = reason.contains("required") && !is_of_head;
    is_missing.then(|| cause["field"].as_str().unwrap().to_owned())
}

/// Sends a body to an operation on something that does not exist, as an administrator.
async fn send(controller: &Harness, method: &Method, path: &str, body: &Value) -> Reply {
    let token = controller.admin().await;
    let path = path.replace(['{', '}'], "");
    let request = controller.request(method.clone(), &path);
    request.session(&token).json(body).send().await
}

/// The bodies that lack one member of the body or of its item, with the path of that member.
fn with_one_less(body: &Value) -> Vec<(String, Value)> {
    let item = body.get(0).unwrap_or(body);
    let members = item.as_object().unwrap();
    let lesser = members.keys().map(|name| {
        let mut members = members.clone();
        members.remove(name);
        if body.is_array() {
            (format!("0.{name}"), json!([members]))
        } else {
            (name.clone(), members.into())
        }
    });
    lesser.collect()
}

#[tokio::test]
async fn what_is_required_is_missed_and_nothing_else_is() {
    let controller = Harness::start().await;
    for base in BASES {
        let document = document(&controller, base).await;
        for (method, path, schema) in operations(&document) {
            let path = format!("{base}{path}");
            let body = least(&schema);
            let reply = send(&controller, &method, &path, &body).await;
            let text = format!("{method} {path} with {body}: {}", reply.text());
            assert_eq!(missing(&reply), None, "{text}");
            assert!(!text.contains("COULD_NOT_PARSE_BODY"), "{text}");
            for (member, body) in with_one_less(&body) {
                let reply = send(&controller, &method, &path, &body).await;
                let text = format!("{method} {path} with {body}: {}", reply.text());
                assert_eq!(missing(&reply), Some(member), "{text}");
            }
        }
    }
}
