//! Id and secret of a group of connections.

use portcullis_channel::group::{GeneratedCredentials, GroupId, GroupSecret};
use portcullis_domain::entropy::{self, Entropy, EntropyError};

/// Id and secret for a group that brings none.
pub(crate) fn group_credentials(
    entropy: &dyn Entropy,
) -> Result<GeneratedCredentials, EntropyError> {
    let id = GroupId::new(entropy::uuid(entropy)?).ok_or(EntropyError)?;
    let secret = GroupSecret::new(entropy::bytes(entropy)?);
    Ok(GeneratedCredentials { id, secret })
}
