//! Codes of authenticator apps.

use base32::Alphabet;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::mfa::TimeStep;
use portcullis_totp::Secret;

/// The code that an app shows at `now` which has read this provisioning URL.
pub fn totp_code(provisioning_url: &str, now: Timestamp) -> String {
    let (_, secret) = provisioning_url.split_once("secret=").unwrap();
    let secret = secret.split('&').next().unwrap();
    let secret = base32::decode(Alphabet::Rfc4648 { padding: false }, secret).unwrap();
    let secret = Secret::from_bytes(&secret).unwrap();
    secret.code_at(TimeStep::at(now)).as_str().to_owned()
}
