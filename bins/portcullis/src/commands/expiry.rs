//! Lifetime of enrollment tokens.

use crate::context::Context;
use crate::duration;
use crate::error::CliError;
use clap::Args;
use jiff::SignedDuration;
use portcullis_api::time::WireTime;

/// Lifetime of enrollment tokens.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExpiryArgs {
    /// Lifetime of the token, for example `90m` or `48h`
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "3h",
        value_parser = duration::parse_positive,
        allow_hyphen_values = true
    )]
    expires_in: SignedDuration,
}

impl ExpiryArgs {
    /// Expiry time from now.
    pub(crate) fn expires_at(&self, context: &Context) -> Result<WireTime, CliError> {
        let end = context.now().checked_add(self.expires_in);
        end.map(WireTime::from)
            .map_err(|_overflow| CliError::usage("the duration is too long"))
    }
}
