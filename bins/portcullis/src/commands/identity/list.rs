//! `portcullis identity list`.

use super::kind::{self, Kind, TAG};
use super::state;
use crate::commands::listing;
use crate::commands::page::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed;
use crate::resolve::Named;
use clap::{Args, ValueEnum};
use portcullis_api::envelope::ListEnvelope;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ClientError, ListQuery, RoleSemantic};
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis identity list --sort 'createdAt desc' --limit 100
  portcullis identity list --type device --all
  portcullis identity list --role sales --role berlin
  portcullis identity list --filter 'name contains \"lap\" and isAdmin = false'
  portcullis identity list --all --output json | jq -r '.data[].name'";

/// Arguments of `identity list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    /// Only identities that were created with this type
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<Kind>,

    /// Only identities with this role attribute; may be given several times
    #[arg(long = "role", value_name = "ATTRIBUTE", value_parser = role)]
    roles: Vec<String>,

    /// How many of several roles an identity has to have; all of them if left out
    #[arg(long, value_name = "SEMANTIC", value_enum, requires = "roles")]
    role_semantic: Option<Semantic>,
}

/// How many of several roles are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Semantic {
    /// Each of them
    AllOf,
    /// At least one of them
    AnyOf,
}

impl From<Semantic> for RoleSemantic {
    fn from(semantic: Semantic) -> Self {
        match semantic {
            Semantic::AllOf => Self::AllOf,
            Semantic::AnyOf => Self::AnyOf,
        }
    }
}

/// Reads a role attribute, with or without the mark that it has in policies.
fn role(text: &str) -> Result<String, String> {
    match text.strip_prefix('#').unwrap_or(text) {
        "" => Err("a role attribute has at least one character".to_owned()),
        role if role.starts_with(['#', '@']) => {
            Err("role attributes begin with neither `#` nor `@`".to_owned())
        },
        role => Ok(role.to_owned()),
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let (mut query, extent) = arguments.page.query();
    if let Some(kind) = arguments.kind {
        query = query.and(&format!("tags.{TAG} = \"{}\"", kind.name()));
    }
    query.roles = arguments.roles;
    query.role_semantic = arguments.role_semantic.map(RoleSemantic::from);
    listing::run::<IdentityDetail>(context, &session.client, query, extent).await
}

impl Listed for IdentityDetail {
    const SINGULAR: &'static str = "identity";
    const PLURAL: &'static str = "identities";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "type", "state", "admin", "totp", "attributes"];

    async fn fetch(client: &Client, query: &ListQuery) -> Result<ListEnvelope<Self>, ClientError> {
        client.identities(query).await
    }

    fn id(&self) -> &str {
        self.base.id.as_str()
    }

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let attributes: Vec<_> = self.role_attributes.iter().collect();
        let is_admin = self.is_admin || self.is_default_admin;
        vec![
            self.base.id.to_string(),
            self.name.clone(),
            kind::shown(self).to_owned(),
            state::shown(self, now).to_owned(),
            if is_admin { "yes" } else { "" }.to_owned(),
            if self.is_mfa_enabled { "yes" } else { "" }.to_owned(),
            attributes.join(","),
        ]
    }
}

impl Named for IdentityDetail {
    const LIST: &'static str = "portcullis identity list";

    fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_lose_their_mark() {
        assert_eq!(role("sales").as_deref(), Ok("sales"));
        assert_eq!(role("#sales").as_deref(), Ok("sales"));
        for text in ["", "#", "##x", "@x", "#@x"] {
            assert!(role(text).is_err(), "{text}");
        }
    }
}
