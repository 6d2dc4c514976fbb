//! `portcullis identity list`.

use super::kind::{self, Kind, TAG};
use super::state;
use crate::commands::page::{self, PageArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::ListQuery;
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis identity list --limit 100
  portcullis identity list --type device
  portcullis identity list --filter 'name contains \"lap\" and isAdmin = false sort by name'
  portcullis identity list --filter 'anyOf(roleAttributes) = \"sales\"' --output json";

/// Arguments of `identity list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    /// Only identities that were created with this type
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<Kind>,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let mut query = ListQuery::from(arguments.page);
    if let Some(kind) = arguments.kind {
        query.filter = Some(narrowed(kind, query.filter.as_deref()));
    }
    let list = session.client.identities(&query).await?;
    let now = context.now();
    context.output.result(&list, || table(&list, now))
}

/// Adds a type to a filter. `and` reaches to the end of the filter, and what sorts and limits may
/// follow as before.
fn narrowed(kind: Kind, filter: Option<&str>) -> String {
    let own = format!("tags.{TAG} = \"{}\"", kind.name());
    match filter {
        Some(filter) => format!("{own} and {filter}"),
        None => own,
    }
}

fn table(list: &ListEnvelope<IdentityDetail>, now: Timestamp) -> Table {
    let mut table = Table::with_columns(&["id", "name", "type", "state", "admin", "attributes"]);
    for identity in &list.data {
        let attributes: Vec<_> = identity.role_attributes.iter().collect();
        let is_admin = identity.is_admin || identity.is_default_admin;
        table.row([
            identity.base.id.as_str(),
            &identity.name,
            kind::shown(identity),
            state::shown(identity, now),
            if is_admin { "yes" } else { "" },
            &attributes.join(","),
        ]);
    }
    table.footer(page::standing(list, "identity", "identities"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_narrows_the_filter() {
        assert_eq!(narrowed(Kind::User, None), r#"tags.type = "user""#);
        assert_eq!(
            narrowed(Kind::Device, Some("isAdmin = true limit 5")),
            r#"tags.type = "device" and isAdmin = true limit 5"#
        );
    }
}
