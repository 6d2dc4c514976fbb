//! What a third-party authority is good for, as arguments.

use crate::error::CliError;
use crate::words::between_commas;
use clap::Args;
use portcullis_domain::roles::RoleAttributes;

/// What an authority is good for.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RuleArgs {
    /// Whether its certificates are a way in
    #[arg(long, value_name = "true|false")]
    pub(super) auth: Option<bool>,

    /// Whether enrollments may be redeemed with its certificates
    #[arg(long, value_name = "true|false")]
    pub(super) ottca: Option<bool>,

    /// Whether whoever holds one of its certificates becomes an identity, without an enrollment of
    /// its own
    #[arg(long, value_name = "true|false")]
    pub(super) autoca: Option<bool>,

    /// Role attributes of identities that come about in this way, with commas between them; empty
    /// for none
    #[arg(short = 'a', long, value_name = "WORDS")]
    role_attributes: Option<String>,

    /// How such identities are named, out of `[caName]`, `[caId]`, `[commonName]`,
    /// `[requestedName]` and `[identityId]`; empty for `[caName]-[commonName]`
    #[arg(long, value_name = "FORMAT")]
    pub(super) name_format: Option<String>,
}

impl RuleArgs {
    /// The role attributes, if they are given.
    pub(super) fn identity_roles(&self) -> Result<Option<RoleAttributes>, CliError> {
        let words = self.role_attributes.as_deref().map(between_commas);
        let roles = words.map(RoleAttributes::new).transpose();
        roles.map_err(|error| CliError::usage("these are no role attributes").because(error))
    }
}
