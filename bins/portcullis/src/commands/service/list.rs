//! `portcullis service list`.

use crate::commands::entity_command::{ListArgs as UsualListArgs, Noun as _};
use crate::commands::fields;
use crate::commands::role_filter::RoleFilterArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::{CliError, ErrorKind};
use crate::output;
use crate::table::{self, Table};
use clap::Args;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::service::ServiceDetail;
use portcullis_api::service_policy::PolicyType;
use portcullis_client::{Api, Client, ClientError, Endpoint, ListQuery};

/// Services that are listed at once, the most that controllers allow.
const PAGE_SIZE: usize = 500;

/// Arguments of `service list`.
#[derive(Debug, Args)]
#[command(about = ServiceDetail::LIST.about, after_long_help = fields::list_footer::<ServiceDetail>(ServiceDetail::LIST.examples))]
#[group(skip)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    usual: UsualListArgs<ServiceDetail, RoleFilterArgs<ServiceDetail>>,
}

impl Verb for ListArgs {
    /// Lists all services, or to those who may not, the ones that are granted to them.
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let refused = match self.usual.run(context, session).await {
            Err(error) if error.kind() == ErrorKind::Unauthorized => error,
            done => return done,
        };
        match fetch_own(&session.client).await {
            Ok(services) => show_own(context, &services),
            // The session may be over.
            Err(_) => Err(refused),
        }
    }
}

async fn fetch_own(client: &Client) -> Result<Vec<ServiceDetail>, ClientError> {
    let mut services: Vec<ServiceDetail> = Vec::new();
    loop {
        let query = ListQuery {
            limit: i64::try_from(PAGE_SIZE).ok(),
            offset: i64::try_from(services.len()).ok(),
            sort: Some("name".to_owned()),
            ..ListQuery::default()
        };
        let endpoint = Endpoint::new(Api::Client, "services");
        let page: ListEnvelope<ServiceDetail> = client.list(endpoint, &query).await?;
        let is_last = page.data.len() < PAGE_SIZE;
        services.extend(page.data);
        if is_last {
            return Ok(services);
        }
    }
}

fn show_own(context: &Context, services: &[ServiceDetail]) -> Result<(), CliError> {
    output::note(
        "You may not list all services. These are yours, whatever filter was given; an administrator \
         can grant more.",
    );
    context
        .output
        .write_result(&services, || own_table(services))
}

fn own_table(services: &[ServiceDetail]) -> Table {
    let table = services
        .iter()
        .fold(Table::with_properties(), |table, service| {
            table.property(&service.name, describe_access(service))
        });
    let count = table::pluralize(services.len(), "service", "services");
    table.footer(format!("{count} of your own"))
}

/// What the caller may do with a service, and whether posture checks stand in the way.
fn describe_access(service: &ServiceDetail) -> String {
    let granted = service.permissions.iter().flatten().copied();
    let words = granted.filter_map(|grant| {
        let word = match grant {
            PolicyType::Dial => "dial",
            PolicyType::Bind => "bind",
            PolicyType::Invalid => return None,
        };
        let mut policies = service
            .posture_queries
            .iter()
            .filter(|policy| policy.policy_type == grant)
            .peekable();
        // One policy whose checks pass is enough.
        let is_open = policies.peek().is_none() || policies.any(|policy| policy.is_passing);
        Some(if is_open {
            word.to_owned()
        } else {
            format!("{word} (posture checks fail)")
        })
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn service(permissions: &Value, posture: &Value) -> ServiceDetail {
        let service = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": "s1", "name": "wiki",
            "config": null, "configs": null, "encryptionRequired": true,
            "permissions": permissions, "postureQueries": posture, "roleAttributes": null,
            "terminatorStrategy": "smartrouting",
        });
        serde_json::from_value(service).unwrap()
    }

    #[test]
    fn access_is_told_with_what_stands_in_its_way() {
        let policy = |grant: &str, is_passing: bool| {
            json!({"isPassing": is_passing, "policyId": "p", "policyType": grant,
                "postureQueries": []})
        };
        for (permissions, posture, words) in [
            (json!(["Dial", "Bind"]), json!([]), "dial, bind"),
            (
                json!(["Dial", "Bind"]),
                json!([policy("Dial", false), policy("Bind", true)]),
                "dial (posture checks fail), bind",
            ),
            (
                json!(["Dial"]),
                json!([policy("Dial", false), policy("Dial", true)]),
                "dial",
            ),
            (json!(["Invalid"]), json!([]), ""),
        ] {
            assert_eq!(describe_access(&service(&permissions, &posture)), words);
        }
    }
}
