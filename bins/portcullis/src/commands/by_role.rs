//! Lists of what has role attributes.

use crate::commands::listing;
use crate::commands::page::PageArgs;
use crate::commands::semantic::Semantic;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::listed::Listed;
use clap::Args;
use portcullis_client::{ListQuery, RoleSemantic};

/// Which role attributes are wanted.
#[derive(Debug, Clone, Args)]
pub(crate) struct ByRoleArgs {
    /// Only what has this role attribute; may be given several times
    #[arg(long = "role", value_name = "ATTRIBUTE", value_parser = role)]
    roles: Vec<String>,

    /// Whether all of several roles are needed, or any; all if left out
    #[arg(
        long,
        value_name = "SEMANTIC",
        value_enum,
        ignore_case = true,
        requires = "roles"
    )]
    role_semantic: Option<Semantic>,
}

/// Which part of a list is wanted, of all or of what has certain role attributes.
#[derive(Debug, Clone, Args)]
pub(crate) struct RolePageArgs {
    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    roles: ByRoleArgs,
}

impl ByRoleArgs {
    /// Narrows a list to what has these role attributes.
    pub(crate) fn narrow(self, query: ListQuery) -> ListQuery {
        ListQuery {
            roles: self.roles,
            role_semantic: self.role_semantic.map(RoleSemantic::from),
            ..query
        }
    }
}

impl RolePageArgs {
    /// Lists that part.
    pub(crate) async fn list<L: Listed>(
        self,
        context: &Context,
        session: &Session,
    ) -> Result<(), CliError> {
        let (query, extent) = self.page.query();
        let query = self.roles.narrow(query);
        listing::run::<L>(context, &session.client, query, extent).await
    }
}

/// Reads a role attribute, with or without the mark that it has in policies.
fn role(text: &str) -> Result<String, String> {
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
        assert_eq!(role("sales").as_deref(), Ok("sales"));
        assert_eq!(role("#sales").as_deref(), Ok("sales"));
        for text in ["", "#", "##x", "@x", "#@x"] {
            assert!(role(text).is_err(), "{text}");
        }
    }
}
