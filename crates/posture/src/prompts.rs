//! Services whose remaining time is shortened by a wake-up or unlock.

#[cfg(test)]
mod tests;

use crate::client::Client;
use crate::mfa::seconds;
use crate::mfa_prompts::MfaPrompts;
use crate::policy::GrantingPolicy;
use portcullis_domain::clock::{Timestamp, saturating_add};
use portcullis_domain::ids::ServiceId;
use portcullis_domain::posture::{PROMPT_GRACE_SECONDS, ShortenedService};
use portcullis_domain::posture_check::Check;
use std::num::NonZeroU32;

/// A service with the policies that grant it to an identity.
#[derive(Debug, Clone, Copy)]
pub struct GrantedService<'a> {
    pub id: &'a ServiceId,
    pub name: &'a str,
    pub policies: &'a [&'a GrantingPolicy],
}

/// The services for which `prompts` shorten the remaining validity of the client's last code.
///
/// Empty for a client that has not given a code: it has no time to lose.
pub fn shortened_services<'a>(
    services: impl IntoIterator<Item = GrantedService<'a>>,
    prompts: MfaPrompts,
    client: &Client<'_>,
    now: Timestamp,
) -> Vec<ShortenedService> {
    let Some(passed_at) = client.totp_passed_at.filter(|_| prompts.any()) else {
        return Vec::new();
    };
    let grace = saturating_add(now, seconds(PROMPT_GRACE_SECONDS));
    let is_cut = |timeout: Option<NonZeroU32>| {
        timeout.is_none_or(|timeout| saturating_add(passed_at, seconds(timeout.get())) > grace)
    };
    let cut = |service: GrantedService<'a>| {
        let checks = service.policies.iter().flat_map(|policy| &policy.checks);
        let timeouts = checks.filter_map(|check| match &check.spec.check {
            Check::Mfa(mfa) if prompts.are_required_by(*mfa) => Some(mfa.timeout_seconds),
            _ => None,
        });
        let timeout = timeouts
            .filter(|timeout| is_cut(*timeout))
            .min_by_key(|timeout| timeout.map_or(u64::MAX, |timeout| timeout.get().into()))?;
        Some(ShortenedService {
            id: service.id.clone(),
            name: service.name.to_owned(),
            timeout,
        })
    };
    services.into_iter().filter_map(cut).collect()
}
