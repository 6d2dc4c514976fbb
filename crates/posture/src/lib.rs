//! Device posture: reports of clients, and their evaluation by posture checks.
//!
//! [`Posture`] holds what one API session reported: operating system, domain, MAC addresses,
//! processes, and when the device woke up or was unlocked. It belongs to that session, so one
//! device never vouches for another of the same identity; SDKs report everything again in every
//! session.
//!
//! A [`Client`] is a session as checks see it: its posture, its last TOTP pass and its SDK.
//! [`evaluate()`] evaluates one check and returns a [`Verdict`]; [`AccessDecision::decide`]
//! evaluates the policies that grant a service and decides whether it may be dialed or bound, or
//! which checks failed. A service whose policies fail is still listed, but cannot be connected to.
//! [`shortened_services()`] lists the services for which a wake-up shortened the remaining time.
//!
//! All functions are pure: no I/O, clock or randomness. Times are arguments, and verdicts say when
//! they end ([`Verdict::ends_at`]). Everything that clients report is bounded.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::client_info::SdkInfo;
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_domain::ids::{PostureCheckId, ServicePolicyId};
//! use portcullis_domain::policies::ServiceGrant;
//! use portcullis_domain::posture_check::{Check, MfaCheck, PostureCheck, PostureCheckSpec};
//! use portcullis_posture::{AccessDecision, Client, GrantingPolicy, MachineJudge, Posture};
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
//! let mut client = Client {
//!     posture: &posture,
//!     totp_passed_at: None,
//!     sdk: &sdk,
//!     machine_judge: MachineJudge::Here,
//! };
//! let access = AccessDecision::decide([&policy], ServiceGrant::Dial, &client, now);
//! assert!(matches!(access, AccessDecision::Refused(failures) if failures.len() == 1));
//!
//! client.totp_passed_at = Some(now);
//! let access = AccessDecision::decide([&policy], ServiceGrant::Dial, &client, now);
//! assert!(matches!(access, AccessDecision::Granted(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod failure;
mod machine;
mod mfa;
mod mfa_prompts;
mod policy;
mod posture;
mod prompts;
mod report;
mod verdict;
mod view;

#[cfg(test)]
mod testing;

pub use portcullis_domain::posture::{
    ActualProcess, ActualValue, CheckFailure, FailedRequest, MfaCriteria, MfaValues, OsInfo,
    PROMPT_GRACE_SECONDS, PolicyFailure, PostureReport, ProcessInfo, Report, Reported,
    ShortenedService,
};

pub use client::{Client, MachineJudge, valid_totp_pass};
pub use mfa_prompts::MfaPrompts;
pub use policy::{AccessDecision, GrantingPolicy, PassedPolicy, PolicyVerdict};
pub use posture::{Posture, ProcessKey, ReportOutcome};
pub use prompts::{GrantedService, shortened_services};
pub use report::NormalizedReports;
pub use verdict::{Verdict, evaluate};
