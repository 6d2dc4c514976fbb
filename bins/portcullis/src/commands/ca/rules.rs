//! What a third-party authority is good for, as arguments.

use crate::error::CliError;
use crate::words::between_commas;
use clap::Args;
use portcullis_domain::roles::RoleAttributes;

/// What an authority is good for.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RuleArgs {
    /// Whether its certificates can be used to log in
    #[arg(long, value_name = "true|false")]
    pub(super) auth: Option<bool>,

    /// Whether its certificates can be used to enroll with a token
    #[arg(long, value_name = "true|false")]
    pub(super) ottca: Option<bool>,

    /// Whether holders of its certificates become identities automatically, without an enrollment
    /// of their own
    #[arg(long, value_name = "true|false")]
    pub(super) autoca: Option<bool>,

    /// Role attributes of identities that are created this way, separated by commas; empty for none
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
        roles.map_err(|error| CliError::usage("these are not valid role attributes").because(error))
    }
}
