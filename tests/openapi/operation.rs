//! Routes as operations of a description.

use crate::descriptions::capitalized;
use crate::request::RequestDescription;
use crate::schemas::Schemas;
use crate::{access, operation_names, resource_names};
use http::{Method, StatusCode};
use portcullis_domain::access::Access;
use portcullis_http::path::Api;
use portcullis_http::route::{BodySpec, Parameter, Route, ValueType};
use serde_json::{Map, Value, json};

const JSON: &str = "application/json";

/// First segments of paths that are about the controller itself, not about entities.
const CONTROLLER_SEGMENTS: [&str; 8] = [
    "database",
    "enumerated-capabilities",
    "enumerated-router-capabilities",
    "network-jwts",
    "protocols",
    "specs",
    "swagger.json",
    "version",
];

pub(crate) fn describe(api: Api, route: &Route, schemas: &mut Schemas) -> Value {
    let name = operation_names::operation_name(api, &route.method, route.path);
    let mut description = access::sentence(route.access);
    let mut summary = name.summary;
    if !route.is_implemented {
        summary = format!("Not implemented: {summary}");
        description.push_str(" Responds with 501: no controller implements the operation.");
    }
    let parameters = parameters(route);
    let parameters = (!parameters.is_empty()).then(|| parameters.into());
    let members = [
        ("operationId", Some(name.id.into())),
        ("summary", Some(summary.into())),
        ("description", Some(description.into())),
        ("tags", Some(json!([tag(route.path)]))),
        ("security", Some(access::security(route.access))),
        ("x-access", Some(access::label(route.access).into())),
        ("parameters", parameters),
        ("requestBody", body(route, schemas)),
        ("responses", Some(responses(route, schemas))),
    ];
    let members = members.into_iter();
    members
        .filter_map(|(name, member)| Some((name.to_owned(), member?)))
        .collect()
}

/// The tag of an operation: the resource that its path begins with.
fn tag(path: &str) -> String {
    let first = path.split('/').find(|segment| !segment.is_empty());
    match first {
        Some(noun) if !CONTROLLER_SEGMENTS.contains(&noun) && !noun.starts_with(['{', '.']) => {
            let name = if noun.starts_with("current-") {
                resource_names::singular_with_article(noun)
            } else {
                resource_names::plural(noun)
            };
            let main = name.split(',').next().unwrap_or_default();
            capitalized(main)
        },
        _ => "About the controller".to_owned(),
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let segments: Vec<_> = route.path.split('/').collect();
    let path_parameters = segments.iter().enumerate().filter_map(|(index, segment)| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        let name = name.trim_start_matches('*');
        let resource = index.checked_sub(1).and_then(|place| segments.get(place));
        let description = match (name, resource) {
            ("id", Some(noun)) => format!("Id of {}.", resource_names::singular_with_article(noun)),
            ("serviceId", _) => "Id of a service.".to_owned(),
            _ => "Ignored.".to_owned(),
        };
        Some(json!({
            "name": name, "in": "path", "required": true, "description": description,
            "schema": {"type": "string"},
        }))
    });
    let others = route.description.parameters.iter().copied().map(parameter);
    path_parameters.chain(others).collect()
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.value_type {
        ValueType::Text => json!({"type": "string"}),
        ValueType::Number => json!({"type": "integer", "format": "int64"}),
        ValueType::OneOf(words) => json!({"type": "string", "enum": words}),
        ValueType::List => json!({"type": "array", "items": {"type": "string"}}),
    };
    let location = if parameter.is_header {
        "header"
    } else {
        "query"
    };
    json!({
        "name": parameter.name, "in": location, "required": parameter.is_required,
        "description": parameter.description, "schema": schema,
    })
}

fn body(route: &Route, schemas: &mut Schemas) -> Option<Value> {
    let text = || json!({"schema": {"type": "string"}});
    let types = route.consumes.types().iter();
    let (is_optional, content): (bool, Map<String, Value>) = match (route.body)() {
        BodySpec::Absent => return None,
        BodySpec::Json(decoder) => {
            let request = RequestDescription::new(&decoder);
            let schema = json!({"schema": schemas.request(&request)});
            (
                request.is_optional,
                Map::from_iter([(JSON.to_owned(), schema)]),
            )
        },
        BodySpec::JsonOrText(decoder) => {
            let request = RequestDescription::new(&decoder);
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
        BodySpec::Text => {
            let content = types.filter(|media_type| **media_type != JSON);
            let content = content.map(|media_type| ((*media_type).to_owned(), text()));
            (false, content.collect())
        },
    };
    Some(json!({"required": !is_optional, "content": content}))
}

fn responses(route: &Route, schemas: &mut Schemas) -> Value {
    let mut all = Map::new();
    if !route.is_implemented {
        let content = json!({JSON: {"schema": {"type": "string"}}});
        let response = json!({"description": "Not implemented.", "content": content});
        all.insert("501".to_owned(), response);
    } else if let Some(spec) = route
        .description
        .response
        .filter(|spec| spec.status.is_success())
    {
        let mut content = Map::new();
        if spec.schema.is_none() || route.produces != JSON {
            content.insert(route.produces.to_owned(), json!({}));
        }
        if let Some(schema) = spec.schema {
            let schema = schemas.response(schema);
            content.insert(JSON.to_owned(), json!({"schema": schema}));
        }
        let description = response_description(route, spec.status);
        let response = json!({"description": description, "content": content});
        for status in std::iter::once(spec.status).chain(spec.alternative_status) {
            all.insert(status.as_str().to_owned(), response.clone());
        }
    }
    let has_body = !matches!((route.body)(), BodySpec::Absent);
    let standard = [
        (
            "400",
            "Refused",
            has_body || !route.description.parameters.is_empty(),
        ),
        ("401", "Refused", route.access != Access::Public),
        ("404", "Refused", route.path.contains('{')),
        ("413", "TooLarge", has_body),
        ("default", "Refused", true),
    ];
    if let Some(spec) = route
        .description
        .response
        .filter(|spec| !spec.status.is_success())
    {
        let refused = json!({"$ref": "#/components/responses/Refused"});
        all.insert(spec.status.as_str().to_owned(), refused);
    }
    for status in &route.description.refusals {
        let refused = json!({"$ref": "#/components/responses/Refused"});
        all.insert(status.as_str().to_owned(), refused);
    }
    for (status, response, _) in standard.into_iter().filter(|(.., is_usual)| *is_usual) {
        let reference = format!("#/components/responses/{response}");
        all.insert(status.to_owned(), json!({"$ref": reference}));
    }
    all.into()
}

fn response_description(route: &Route, status: StatusCode) -> &'static str {
    match (status, &route.method) {
        (StatusCode::CREATED, _) => "Created.",
        (StatusCode::ACCEPTED, _) => "Started.",
        (_, &Method::GET) => "The requested data.",
        _ => "Success.",
    }
}

/// The error responses.
pub(crate) fn error_responses(schemas: &mut Schemas) -> Value {
    let refused =
        "The request was refused or failed: the code says why, and the cause has details.";
    let json = |schema: Value| json!({JSON: {"schema": schema}});
    json!({
        "Refused": {"description": refused, "content": json(schemas.error())},
        "TooLarge": {
            "description": "The body is too large, and was not processed.",
            "content": json(schemas.bare_error()),
        },
    })
}
