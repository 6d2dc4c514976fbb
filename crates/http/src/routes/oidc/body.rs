//! Bodies of requests: forms, and JSON where logins take it.

use crate::content_negotiation::Consumes;
use crate::error::ApiError;
use crate::route::Payload;
use bytes::Bytes;
use portcullis_api::authenticate::Authenticate;
use portcullis_api::code::Code;
use portcullis_api::decode::{Decode as _, DecodeError};
use portcullis_api::error::Cause;
use portcullis_oidc::parameters::{Parameters, ParametersError};
use secrecy::SecretString;
use serde_json::{Map, Value};

/// A form, not parsed yet.
#[derive(Debug)]
pub(super) struct Form(String);

impl Payload for Form {
    const CONSUMES: Consumes = Consumes::Form;

    fn decode(_content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        text(bytes).map(Self)
    }
}

impl Form {
    /// The parameters of the form and of the query; one that is in both is repeated.
    pub(super) fn with_query(&self, query: Option<&str>) -> Result<Parameters, ParametersError> {
        Parameters::parse_both(query.unwrap_or_default(), &self.0)
    }

    /// The parameters of the form.
    pub(super) fn parameters(&self) -> Result<Parameters, ParametersError> {
        Parameters::parse(&self.0)
    }
}

/// The body of a step of a login: a form or JSON.
#[derive(Debug)]
pub(super) struct StepBody(Members);

#[derive(Debug)]
enum Members {
    Form(Parameters),
    Json(Map<String, Value>),
}

impl Payload for StepBody {
    const CONSUMES: Consumes = Consumes::FormOrJson;

    fn decode(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        if content_type != Some("application/json") {
            let form = Parameters::parse(&text(bytes)?);
            return form
                .map(|form| Self(Members::Form(form)))
                .map_err(|error| DecodeError::Parse(error.to_string()));
        }
        if bytes.is_empty() {
            return Ok(Self(Members::Json(Map::new())));
        }
        let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(members))) => Ok(Self(Members::Json(members))),
            Some(Ok(_)) | None => Err(DecodeError::Parse("must be a JSON object".to_owned())),
            Some(Err(error)) => Err(DecodeError::Parse(error.to_string())),
        }
    }
}

impl StepBody {
    /// A member that is a text; `None` if it is absent or empty.
    pub(super) fn text(&self, name: &'static str) -> Result<Option<&str>, ApiError> {
        match &self.0 {
            Members::Form(form) => form.get(name).map_err(|error| malformed(&error)),
            Members::Json(members) => match find(members, name) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::String(text)) => {
                    Ok(Some(text.as_str()).filter(|text| !text.is_empty()))
                },
                Some(_) => Err(malformed(&format!("{name} must be a text"))),
            },
        }
    }

    pub(super) fn secret(&self, name: &'static str) -> Result<Option<SecretString>, ApiError> {
        Ok(self.text(name)?.map(SecretString::from))
    }

    /// The members of a login. What does not fit the limits of names and passwords cannot be right,
    /// and is left out.
    pub(super) fn authenticate(&self) -> Result<Authenticate, ApiError> {
        let mut members = match &self.0 {
            Members::Json(members) => members.clone(),
            Members::Form(form) => from_form(form)?,
        };
        members.retain(|name, _value| {
            !["username", "password"].contains(&name.to_ascii_lowercase().as_str())
        });
        let bytes = serde_json::to_vec(&members).unwrap_or_default();
        Ok(Authenticate::from_body(&bytes)?)
    }
}

fn find<'m>(members: &'m Map<String, Value>, name: &str) -> Option<&'m Value> {
    let is_named = |(member, _value): &(&String, &Value)| member.eq_ignore_ascii_case(name);
    members.iter().find(is_named).map(|(_name, value)| value)
}

/// Names of nested members in forms, and the members that they stand for.
const NESTED: [(&str, &str); 12] = [
    ("envArch", "arch"),
    ("envDomain", "domain"),
    ("envHostname", "hostname"),
    ("envOs", "os"),
    ("envOsRelease", "osRelease"),
    ("envOsVersion", "osVersion"),
    ("sdkAppId", "appId"),
    ("sdkAppVersion", "appVersion"),
    ("sdkBranch", "branch"),
    ("sdkRevision", "revision"),
    ("sdkType", "type"),
    ("sdkVersion", "version"),
];

/// The members of a login in a form, as they are nested in JSON.
fn from_form(form: &Parameters) -> Result<Map<String, Value>, ApiError> {
    let (mut env_info, mut sdk_info) = (Map::new(), Map::new());
    for (name, member) in NESTED {
        if let Some(value) = form.get_folded(name).map_err(|error| malformed(&error))? {
            let info = if name.starts_with("env") {
                &mut env_info
            } else {
                &mut sdk_info
            };
            info.insert(member.to_owned(), value.into());
        }
    }
    let config_types = form.get_all("configTypes").iter();
    let config_types = config_types.map(|name| Value::from(name.as_str()));
    Ok(Map::from_iter([
        ("configTypes".to_owned(), config_types.collect()),
        ("envInfo".to_owned(), env_info.into()),
        ("sdkInfo".to_owned(), sdk_info.into()),
    ]))
}

fn text(bytes: &Bytes) -> Result<String, DecodeError> {
    let text = str::from_utf8(bytes).or(Err(DecodeError::Parse("is not UTF-8".to_owned())))?;
    Ok(text.to_owned())
}

fn malformed(reason: &impl ToString) -> ApiError {
    ApiError::new(Code::CouldNotParseBody).with_cause(Cause::text(reason.to_string()))
}
