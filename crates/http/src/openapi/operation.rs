//! A route as an operation of a description.

use super::schemas::Schemas;
use super::words::capitalised;
use super::{access, names, nouns};
use crate::path::Api;
use crate::route::{Body, Parameter, Route, Values};
use http::{Method, StatusCode};
use portcullis_domain::access::Access;
use serde_json::{Map, Value, json};

const JSON: &str = "application/json";

/// What paths begin with that are about the controller, not about what it keeps.
const ABOUT: [&str; 8] = [
    "database",
    "enumerated-capabilities",
    "enumerated-router-capabilities",
    "network-jwts",
    "protocols",
    "specs",
    "swagger.json",
    "version",
];

/// Describes an operation.
pub(super) fn describe(api: Api, route: &Route, schemas: &mut Schemas) -> Value {
    let name = names::name(api, &route.method, route.path);
    let mut about = access::sentence(route.access);
    let mut summary = name.summary;
    if !route.is_performed {
        summary = format!("Not performed: {summary}");
        about.push_str(" Answers 501: clients know the operation, and no controller performs it.");
    }
    let parameters = parameters(route);
    let parameters = (!parameters.is_empty()).then(|| parameters.into());
    let members = [
        ("operationId", Some(name.id.into())),
        ("summary", Some(summary.into())),
        ("description", Some(about.into())),
        ("tags", Some(json!([tag(route.path)]))),
        ("security", Some(access::security(route.access))),
        ("x-access", Some(access::word(route.access).into())),
        ("parameters", parameters),
        ("requestBody", body(route, schemas)),
        ("responses", Some(responses(route, schemas))),
    ];
    let members = members.into_iter();
    members
        .filter_map(|(name, member)| Some((name.to_owned(), member?)))
        .collect()
}

/// What an operation is filed under: the noun that its path begins with.
fn tag(path: &str) -> String {
    let first = path.split('/').find(|segment| !segment.is_empty());
    match first {
        Some(noun) if !ABOUT.contains(&noun) && !noun.starts_with(['{', '.']) => {
            let words = if noun.starts_with("current-") {
                nouns::one(noun)
            } else {
                nouns::several(noun)
            };
            let main = words.split(',').next().unwrap_or_default();
            capitalised(main)
        },
        _ => "About the controller".to_owned(),
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let segments: Vec<_> = route.path.split('/').collect();
    let of_path = segments.iter().enumerate().filter_map(|(place, segment)| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        let name = name.trim_start_matches('*');
        let noun = place.checked_sub(1).and_then(|place| segments.get(place));
        let words = match (name, noun) {
            ("id", Some(noun)) => format!("Id of {}.", nouns::one(noun)),
            ("serviceId", _) => "Id of a service.".to_owned(),
            _ => "Whatever it is, the answer is the same.".to_owned(),
        };
        Some(json!({
            "name": name, "in": "path", "required": true, "description": words,
            "schema": {"type": "string"},
        }))
    });
    let others = route.parameters.iter().copied().map(parameter);
    of_path.chain(others).collect()
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.values {
        Values::Text => json!({"type": "string"}),
        Values::Number => json!({"type": "integer", "format": "int64"}),
        Values::OneOf(words) => json!({"type": "string", "enum": words}),
        Values::Several => json!({"type": "array", "items": {"type": "string"}}),
    };
    let place = if parameter.is_header {
        "header"
    } else {
        "query"
    };
    json!({
        "name": parameter.name, "in": place, "required": parameter.is_required,
        "description": parameter.words, "schema": schema,
    })
}

fn body(route: &Route, schemas: &mut Schemas) -> Option<Value> {
    let text = || json!({"schema": {"type": "string"}});
    let types = route.consumes.types().iter();
    let (is_optional, content): (bool, Map<String, Value>) = match (route.body)() {
        Body::Absent => return None,
        Body::Json(request) => {
            let schema = json!({"schema": schemas.request(&request)});
            (
                request.is_optional,
                Map::from_iter([(JSON.to_owned(), schema)]),
            )
        },
        Body::JsonOrText(request) => {
            let schema = json!({"schema": schemas.request(&request)});
            let content = types.map(|media_type| {
                let content = if *media_type == JSON {
                    schema.clone()
                } else {
                    text()
                };
                ((*media_type).to_owned(), content)
            });
            (request.is_optional, content.collect())
        },
        Body::Text => {
            let content = types.filter(|media_type| **media_type != JSON);
            let content = content.map(|media_type| ((*media_type).to_owned(), text()));
            (false, content.collect())
        },
    };
    Some(json!({"required": !is_optional, "content": content}))
}

fn responses(route: &Route, schemas: &mut Schemas) -> Value {
    let mut all = Map::new();
    if !route.is_performed {
        let content = json!({JSON: {"schema": {"type": "string"}}});
        let answer = json!({"description": "It is not done.", "content": content});
        all.insert("501".to_owned(), answer);
    } else if let Some(answers) = route.answers.filter(|answers| answers.status.is_success()) {
        let mut content = Map::new();
        if answers.schema.is_none() || route.produces != JSON {
            content.insert(route.produces.to_owned(), json!({}));
        }
        if let Some(schema) = answers.schema {
            let schema = schemas.answer(schema);
            content.insert(JSON.to_owned(), json!({"schema": schema}));
        }
        let words = words(route, answers.status);
        let answer = json!({"description": words, "content": content});
        for status in std::iter::once(answers.status).chain(answers.at_times) {
            all.insert(status.as_str().to_owned(), answer.clone());
        }
    }
    let takes_a_body = (route.body)() != Body::Absent;
    let usual = [
        (
            "400",
            "Refused",
            takes_a_body || !route.parameters.is_empty(),
        ),
        ("401", "Refused", route.access != Access::Public),
        ("404", "Refused", route.path.contains('{')),
        ("413", "TooLarge", takes_a_body),
        ("default", "Refused", true),
    ];
    if let Some(answers) = route.answers.filter(|answers| !answers.status.is_success()) {
        let refused = json!({"$ref": "#/components/responses/Refused"});
        all.insert(answers.status.as_str().to_owned(), refused);
    }
    for (status, response, _) in usual.into_iter().filter(|(.., is_usual)| *is_usual) {
        let reference = format!("#/components/responses/{response}");
        all.insert(status.to_owned(), json!({"$ref": reference}));
    }
    all.into()
}

fn words(route: &Route, status: StatusCode) -> &'static str {
    match (status, &route.method) {
        (StatusCode::CREATED, _) => "It was created.",
        (StatusCode::ACCEPTED, _) => "It was begun.",
        (_, &Method::GET) => "What was asked for.",
        _ => "It was done.",
    }
}

/// What refusals look like.
pub(super) fn refusals(schemas: &mut Schemas) -> Value {
    let refused = "The request was refused, or could not be served: the code says why, and the cause \
        says more.";
    let json = |schema: Value| json!({JSON: {"schema": schema}});
    json!({
        "Refused": {"description": refused, "content": json(schemas.refusal())},
        "TooLarge": {
            "description": "The body is too large, and was not looked at.",
            "content": json(schemas.bare_refusal()),
        },
    })
}
