//! A session as checks see it.

use crate::posture::Posture;
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture_check::Version;

/// A session as checks see it.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    /// What it reported.
    pub posture: &'a Posture,
    /// When a TOTP code of the present enrollment was last accepted on it; see [`counted_pass`].
    pub totp_passed_at: Option<Timestamp>,
    /// What its SDK says of itself.
    pub sdk: &'a SdkInfo,
}

/// The SDK that knows of timeouts, from a version on.
const AWARE_SDK: (&str, &str) = ("ziti-sdk-c", "0.25.0");

impl Client<'_> {
    /// Whether its SDK knows nothing of timeouts and prompts, as far as one can tell.
    pub fn is_legacy(&self) -> bool {
        let (kind, since) = AWARE_SDK;
        let since = Version::parse(since);
        let version = Version::parse(&self.sdk.version);
        self.sdk.kind != kind || version.is_none() || version < since
    }
}

/// The instant of a pass, if it counts: while the identity is enrolled in TOTP, and if it was not
/// made under an enrollment before this one.
///
/// `enrolled_at` is when the present enrollment began; a verified one, since others let nobody pass.
///
/// # Examples
///
/// ```
/// use portcullis_domain::clock::Timestamp;
/// use portcullis_posture::counted_pass;
///
/// let [before, after] = [1, 2].map(|second| Timestamp::from_second(second).unwrap());
/// assert_eq!(counted_pass(Some(after), Some(before)), Some(after));
/// assert_eq!(counted_pass(Some(before), Some(after)), None, "it was another enrollment");
/// assert_eq!(counted_pass(Some(after), None), None, "it was removed");
/// ```
pub fn counted_pass(
    passed_at: Option<Timestamp>,
    enrolled_at: Option<Timestamp>,
) -> Option<Timestamp> {
    passed_at.filter(|passed_at| enrolled_at.is_some_and(|enrolled_at| enrolled_at <= *passed_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_told_apart_by_sdk_and_version() {
        for (kind, version, is_legacy) in [
            ("", "", true),
            ("ziti-sdk-go", "9.9.9", true),
            ("ziti-sdk-c", "", true),
            ("ziti-sdk-c", "1.0", true),
            ("ziti-sdk-c", "0.24.99", true),
            ("ziti-sdk-c", "0.25.0-rc.1", true),
            ("ziti-sdk-c", "0.25.0", false),
            ("ziti-sdk-c", "1.2.3+dirty", false),
        ] {
            let sdk = SdkInfo {
                kind: kind.to_owned(),
                version: version.to_owned(),
                ..SdkInfo::default()
            };
            let client = Client {
                posture: &Posture::default(),
                totp_passed_at: None,
                sdk: &sdk,
            };
            assert_eq!(client.is_legacy(), is_legacy, "{kind} {version}");
        }
    }
}
