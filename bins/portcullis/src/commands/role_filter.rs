//! `--role` filters of lists.

use crate::commands::entity_command::ListFilter;
use crate::commands::role_attributes::HasRoleAttributes;
use crate::commands::semantic::Semantic;
use crate::completion::Values;
use crate::error::CliError;
use clap::Args;
use portcullis_client::{Client, ListQuery, RoleSemantic};
use std::marker::PhantomData;

/// Role attributes to filter by.
#[derive(Debug, Clone, Args)]
pub(crate) struct RoleFilterArgs<B: HasRoleAttributes> {
    /// List only entries with this role attribute; can be repeated
    #[arg(
        long = "role",
        value_name = "ATTRIBUTE",
        value_parser = parse_role,
        add = Values::Attribute(B::OWNER)
    )]
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

    #[arg(skip)]
    kind: PhantomData<fn() -> B>,
}

impl<B: HasRoleAttributes> ListFilter for RoleFilterArgs<B> {
    async fn apply(&self, _client: &Client, query: ListQuery) -> Result<ListQuery, CliError> {
        Ok(ListQuery {
            roles: self.roles.clone(),
            role_semantic: self.role_semantic.map(RoleSemantic::from),
            ..query
        })
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
