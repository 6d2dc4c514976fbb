//! Input of posture checks.

use crate::posture::Posture;
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture_check::Version;

/// A session as posture checks see it.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    pub posture: &'a Posture,
    /// Last TOTP pass of the session that still counts; see [`valid_totp_pass`].
    pub totp_passed_at: Option<Timestamp>,
    pub sdk: &'a SdkInfo,
    pub machine_judge: MachineJudge,
}

/// Who judges the checks about the machine of a session: all but those of TOTP codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MachineJudge {
    /// Whoever evaluates, by [`Client::posture`].
    #[default]
    Here,
    /// The router through which a service is used, by what the client reports to it. For the controller,
    /// these checks pass.
    Router,
}

/// First SDK version that supports timeouts.
const TIMEOUT_AWARE_SDK: (&str, &str) = ("ziti-sdk-c", "0.25.0");

impl Client<'_> {
    /// Whether the SDK is not known to support timeouts and prompts.
    pub fn is_legacy(&self) -> bool {
        let (kind, since) = TIMEOUT_AWARE_SDK;
        let since = Version::parse(since);
        let version = Version::parse(&self.sdk.version);
        self.sdk.kind != kind || version.is_none() || version < since
    }
}

/// The TOTP pass of a session, if it still counts: the identity is enrolled, and the pass is not
/// older than the enrollment.
///
/// `enrolled_at` is when the current enrollment began, if it is verified.
///
/// # Examples
///
/// ```
/// use portcullis_domain::clock::Timestamp;
/// use portcullis_posture::valid_totp_pass;
///
/// let [before, after] = [1, 2].map(|second| Timestamp::from_second(second).unwrap());
/// assert_eq!(valid_totp_pass(Some(after), Some(before)), Some(after));
/// assert_eq!(valid_totp_pass(Some(before), Some(after)), None, "it was another enrollment");
/// assert_eq!(valid_totp_pass(Some(after), None), None, "it was removed");
/// ```
pub fn valid_totp_pass(
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
                machine_judge: MachineJudge::Here,
            };
            assert_eq!(client.is_legacy(), is_legacy, "{kind} {version}");
        }
    }
}
