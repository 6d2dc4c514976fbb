//! Settings of third-party CAs, as arguments.

use crate::error::CliError;
use crate::text::split_commas;
use clap::Args;
use portcullis_domain::roles::RoleAttributes;

/// Settings of a third-party CA.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RuleArgs {
    /// Whether its certificates can be used to log in
    #[arg(long, value_name = "true|false")]
    pub(super) auth: Option<bool>,

    /// Whether its certificates can be used to enroll with a token
    #[arg(long, value_name = "true|false")]
    pub(super) ottca: Option<bool>,

    /// Whether an identity is created automatically for a holder of one of its certificates
    #[arg(long, value_name = "true|false")]
    pub(super) autoca: Option<bool>,

    /// Comma-separated role attributes of identities that are created automatically; empty for none
    #[arg(short = 'a', long, value_name = "WORDS")]
    role_attributes: Option<String>,

    /// Name format of such identities, with `[caName]`, `[caId]`, `[commonName]`, `[requestedName]`
    /// and `[identityId]`; empty for `[caName]-[commonName]`
    #[arg(long, value_name = "FORMAT")]
    pub(super) name_format: Option<String>,
}

impl RuleArgs {
    /// Parsed role attributes, if given.
    pub(super) fn identity_roles(&self) -> Result<Option<RoleAttributes>, CliError> {
        let words = self.role_attributes.as_deref().map(split_commas);
        let roles = words.map(RoleAttributes::new).transpose();
        roles.map_err(|error| {
            CliError::usage("--role-attributes: invalid role attributes").with_source(error)
        })
    }
}
