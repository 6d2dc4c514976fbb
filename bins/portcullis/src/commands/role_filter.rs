//! `--role` filters of lists.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::commands::semantic::Semantic;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listable::Listable;
use clap::Args;
use portcullis_client::{ListQuery, RoleSemantic};

/// Role attributes to filter by.
#[derive(Debug, Clone, Args)]
pub(crate) struct RoleFilterArgs {
    /// List only entries with this role attribute; can be repeated
    #[arg(long = "role", value_name = "ATTRIBUTE", value_parser = parse_role)]
    roles: Vec<String>,

    /// Whether all or any of several roles must match (default: all)
    #[arg(
        long,
        value_name = "SEMANTIC",
        value_enum,
        ignore_case = true,
        requires = "roles"
    )]
    role_semantic: Option<Semantic>,
}

/// Arguments of a list that can be filtered by role attributes.
#[derive(Debug, Clone, Args)]
pub(crate) struct RoleListArgs {
    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    roles: RoleFilterArgs,
}

impl RoleFilterArgs {
    /// Applies the filter to a query.
    pub(crate) fn apply(self, query: ListQuery) -> ListQuery {
        ListQuery {
            roles: self.roles,
            role_semantic: self.role_semantic.map(RoleSemantic::from),
            ..query
        }
    }
}

impl RoleListArgs {
    pub(crate) async fn list<L: Listable>(
        self,
        context: &Context,
        session: &Session,
    ) -> Result<(), CliError> {
        let (query, extent) = self.page.query();
        let query = self.roles.apply(query);
        listing::run::<L>(context, &session.client, query, extent).await
    }
}

/// Parses a role attribute, with or without `#`.
fn parse_role(text: &str) -> Result<String, String> {
    match text.strip_prefix('#').unwrap_or(text) {
        "" => Err("a role attribute must not be empty".to_owned()),
        role if role.starts_with(['#', '@']) => {
            Err("a role attribute must not begin with `#` or `@`".to_owned())
        },
        role => Ok(role.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_lose_their_mark() {
        assert_eq!(parse_role("sales").as_deref(), Ok("sales"));
        assert_eq!(parse_role("#sales").as_deref(), Ok("sales"));
        for text in ["", "#", "##x", "@x", "#@x"] {
            assert!(parse_role(text).is_err(), "{text}");
        }
    }
}
