//! `portcullis session list`.

use crate::commands::identity_filter::OwnedListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
JSON and YAML contain a placeholder instead of the token.

Examples:
  portcullis session list
  portcullis session list --identity laptop
  portcullis session list --sort 'createdAt desc' --all --output json";

/// Arguments of `session list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    list: OwnedListArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    arguments
        .list
        .list::<ApiSessionDetail>(context, session)
        .await
}

impl Listable for ApiSessionDetail {
    const SINGULAR: &'static str = "session";
    const PLURAL: &'static str = "sessions";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "identity",
        "identity id",
        "address",
        "totp",
        "opened",
        "last used",
    ];

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        client.entities(query).await
    }

    fn id(&self) -> &str {
        self.base.id.as_str()
    }

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        let used = super::last_used(self);
        vec![
            self.base.id.to_string(),
            self.identity.name.clone(),
            self.identity_id.to_string(),
            self.ip_address.clone(),
            super::totp_status(self).to_owned(),
            self.base.created_at.to_string(),
            used.map_or_else(String::new, |used| used.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn latest_use_is_shown_and_no_token() {
        let mut session = json!({
            "_links": {},
            "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z",
            "id": "c1",
            "authQueries": [],
            "authenticatorId": "a1",
            "cachedLastActivityAt": "2031-04-05T08:00:00.000Z",
            "configTypes": [],
            "identity": {"_links": {}, "entity": "identities", "id": "i1", "name": "laptop"},
            "identityId": "i1",
            "ipAddress": "192.0.2.1",
            "isCertExtendable": false,
            "isMfaComplete": false,
            "isMfaRequired": false,
            "lastActivityAt": "2031-04-05T07:00:00.000Z",
            "token": "t1",
        });
        let now = "2031-04-05T09:00:00Z".parse().unwrap();
        let cells = |session: &serde_json::Value| {
            let session: ApiSessionDetail = serde_json::from_value(session.clone()).unwrap();
            session.cells(now)
        };
        let (opened, stored) = ("2031-04-05T06:07:08.009Z", "2031-04-05T07:00:00.000Z");
        let cached = "2031-04-05T08:00:00.000Z";
        assert_eq!(
            cells(&session),
            ["c1", "laptop", "i1", "192.0.2.1", "", opened, cached]
        );
        session["cachedLastActivityAt"].take();
        assert_eq!(cells(&session)[6], stored);
        session["isMfaRequired"] = json!(true);
        assert_eq!(cells(&session)[4], "pending");
        session["isMfaComplete"] = json!(true);
        assert_eq!(cells(&session)[4], "passed");
    }
}
