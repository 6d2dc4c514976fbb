//! What an enrollment tells people.

use portcullis_enrollment::{Issuer, display_url};
use portcullis_pki::EnrollmentClaims;
use portcullis_program::output;
use portcullis_router_io::IdentityFiles;
use std::path::Path;

/// Prints what was done, and what comes next.
pub(super) fn print(
    config: &Path,
    identity: &IdentityFiles,
    claims: &EnrollmentClaims,
    issuer: &Issuer,
) {
    let url = display_url(&issuer.url);
    output::print_message(format_args!(
        "Router {} is enrolled with {url}; its certificate is {}.",
        claims.sub,
        identity.describe(),
    ));
    output::print_message(format_args!(
        "Next: portcullis-router run {}",
        output::shell_quoted(&config.display().to_string()),
    ));
}
