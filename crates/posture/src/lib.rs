//! Posture of clients: what they report about their machines, and what it lets them do.
//!
//! [`Posture`] is what one API session reported: operating system, domain, MAC addresses, processes,
//! and when the machine woke up or was unlocked. It belongs to the session alone, so that no device
//! vouches for another one of the same identity; SDKs report everything anew in every session.
//!
//! A [`Client`] is a session as checks see it: its posture, when its user showed a TOTP code, and
//! what its SDK says of itself. [`judge()`] holds it against one check and yields a [`Verdict`] with
//! all that clients are told; [`Access::decide`] holds it against the policies that grant a service
//! and says whether it may dial or bind it, or which checks are in the way. A service whose policies
//! are not passed is listed all the same; it can only not be connected to. [`shortened()`] says for
//! which services a wake-up cut the time short.
//!
//! Everything is a function of its arguments: there is no I/O, no clock and no randomness, instants
//! come in, and verdicts say when they end ([`Verdict::ends_at`]). Whatever clients send is bounded.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::client_info::SdkInfo;
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_domain::ids::{PostureCheckId, ServicePolicyId};
//! use portcullis_domain::policies::ServiceGrant;
//! use portcullis_domain::posture_check::{Check, MfaCheck, PostureCheck, PostureCheckSpec};
//! use portcullis_posture::{Access, Client, GrantingPolicy, Posture};
//!
//! let now = Timestamp::from_second(1_000_000)?;
//! let check = PostureCheckSpec {
//!     name: "a code was shown".to_owned(),
//!     role_attributes: Default::default(),
//!     check: Check::Mfa(MfaCheck::default()),
//!     tags: Default::default(),
//! };
//! let check = PostureCheck::new(PostureCheckId::from_wire("mfa"), check, now)?;
//! let policy = GrantingPolicy {
//!     id: ServicePolicyId::from_wire("p"),
//!     name: "vault".to_owned(),
//!     grant: ServiceGrant::Dial,
//!     checks: vec![check.into()],
//! };
//!
//! let (posture, sdk) = (Posture::default(), SdkInfo::default());
//! let mut client = Client { posture: &posture, totp_passed_at: None, sdk: &sdk };
//! let access = Access::decide([&policy], ServiceGrant::Dial, &client, now);
//! assert!(matches!(access, Access::Refused(failures) if failures.len() == 1));
//!
//! client.totp_passed_at = Some(now);
//! let access = Access::decide([&policy], ServiceGrant::Dial, &client, now);
//! assert!(matches!(access, Access::Granted(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod failure;
mod machine;
mod mfa;
mod policy;
mod posture;
mod prompts;
mod report;
mod verdict;
mod view;

#[cfg(test)]
mod testing;

pub use portcullis_domain::posture::{
    Actual, ActualProcess, CheckFailure, FailedRequest, MfaCriteria, MfaValues, Os,
    PROMPT_GRACE_SECONDS, PolicyFailure, Process, Report, Reported, ShortenedService, Statement,
};

pub use client::{Client, counted_pass};
pub use policy::{Access, GrantingPolicy, Pass, PolicyVerdict};
pub use posture::{Outcome, Posture, ProcessKey};
pub use prompts::{GrantedService, Prompts, shortened};
pub use report::Settled;
pub use verdict::{Verdict, judge};
