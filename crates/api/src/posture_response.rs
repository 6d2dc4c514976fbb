//! Posture responses: reports of clients about their devices.

mod report;

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::posture_check::seconds;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::posture::{PROMPT_GRACE_SECONDS, PostureReport, ShortenedService};
use portcullis_domain::posture_check::CheckType;
use report::ReportWriter;
use serde::{Deserialize, Serialize, Serializer};
use std::num::NonZeroU32;

/// Name of the body in errors.
const PARAMETER: &str = "postureResponse";

/// The body of POST `/posture-response`. Sizes are limited where reports are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostureResponseCreate(pub PostureReport);

/// The body of POST `/posture-response-bulk`: several reports at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostureResponseBulk(pub Vec<PostureReport>);

/// Response to posture reports: the services whose MFA timeout has become shorter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostureResponse {
    /// Services.
    pub services: Vec<PostureResponseService>,
}

/// A service whose MFA timeout has become shorter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureResponseService {
    /// Its id.
    #[schemars(with = "String")]
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// Type of the check that times out.
    #[schemars(with = "crate::schema::word::CheckKind")]
    pub posture_query_type: CheckType,
    /// Regular timeout of a code in seconds; -1 for no limit.
    pub timeout: i64,
    /// Remaining seconds.
    pub timeout_remaining: i64,
}

impl Decode for PostureResponseCreate {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = report::DESCRIPTIONS;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        report::decode_statement(members).map(Self)
    }
}

impl Decode for PostureResponseBulk {
    const BODY_NAME: &'static str = PARAMETER;
    const IS_LIST: bool = true;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = report::DESCRIPTIONS;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let mut items = members.items()?;
        let statements = items.iter_mut().map(report::decode_statement);
        statements.collect::<Result<_, _>>().map(Self)
    }
}

impl Serialize for PostureResponseCreate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReportWriter::from(&self.0).serialize(serializer)
    }
}

impl Serialize for PostureResponseBulk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(ReportWriter::from))
    }
}

impl From<Vec<ShortenedService>> for PostureResponse {
    fn from(services: Vec<ShortenedService>) -> Self {
        Self {
            services: services.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<ShortenedService> for PostureResponseService {
    fn from(service: ShortenedService) -> Self {
        Self {
            id: service.id,
            name: service.name,
            posture_query_type: CheckType::Mfa,
            timeout: seconds(service.timeout.map(NonZeroU32::get)),
            timeout_remaining: PROMPT_GRACE_SECONDS.into(),
        }
    }
}

#[cfg(test)]
mod tests;
