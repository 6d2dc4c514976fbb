//! What clients report about their machines, on the wire.

mod report;

use crate::decode::{Decode, DecodeError, Members};
use crate::posture_check::seconds;
use crate::schema;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::posture::{PROMPT_GRACE_SECONDS, ShortenedService, Statement};
use portcullis_domain::posture_check::CheckKind;
use report::ReportBody;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::num::NonZeroU32;

/// Name of the body in errors.
const PARAMETER: &str = "postureResponse";

/// The body of POST `/posture-response`. How large its parts may be is for those to say who keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostureResponseCreate(pub Statement);

/// The body of POST `/posture-response-bulk`: several reports at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostureResponseBulk(pub Vec<Statement>);

/// The answer to reports: for which services a code has to be shown sooner than was known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostureResponse {
    /// The services.
    pub services: Vec<PostureResponseService>,
}

/// A service for which a code has to be shown sooner than was known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureResponseService {
    /// Its id.
    #[schemars(with = "String")]
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// Of which type the check is that ends.
    #[schemars(with = "schema::word::CheckKind")]
    pub posture_query_type: CheckKind,
    /// Seconds for which a code would do otherwise; -1 for no limit.
    pub timeout: i64,
    /// Seconds that are left.
    pub timeout_remaining: i64,
}

impl Decode for PostureResponseCreate {
    const PARAMETER: &'static str = PARAMETER;
    const WORDS: &'static [(&'static str, &'static str)] = report::WORDS;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        report::statement(members).map(Self)
    }
}

impl Decode for PostureResponseBulk {
    const PARAMETER: &'static str = PARAMETER;
    const IS_LIST: bool = true;
    const WORDS: &'static [(&'static str, &'static str)] = report::WORDS;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let mut items = members.items()?;
        let statements = items.iter_mut().map(report::statement);
        statements.collect::<Result<_, _>>().map(Self)
    }
}

impl Serialize for PostureResponseCreate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReportBody::from(&self.0).serialize(serializer)
    }
}

impl Serialize for PostureResponseBulk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(ReportBody::from))
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
            posture_query_type: CheckKind::Mfa,
            timeout: seconds(service.timeout.map(NonZeroU32::get)),
            timeout_remaining: PROMPT_GRACE_SECONDS.into(),
        }
    }
}

#[cfg(test)]
mod tests;
