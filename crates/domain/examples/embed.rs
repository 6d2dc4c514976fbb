//! Life cycle of an identity with the domain crate alone: no store, no network.
//!
//! Run it with `cargo run -p portcullis-domain --example embed`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use portcullis_domain::access::AuthLevel;
use portcullis_domain::api_session::{ApiSession, OpenedBy, TokenHash};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::enrollment::{Enrollment, EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{ApiSessionId, AuthenticatorId, EnrollmentId, IdentityId};
use portcullis_domain::roles::RoleAttributes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let now: Timestamp = "2031-04-05T06:07:08Z".parse()?;

    // An administrator creates an identity with an enrollment.
    let mut spec = IdentitySpec::named(IdentityName::new("laptop")?);
    spec.role_attributes = RoleAttributes::new(["sales"])?;
    let mut laptop = Identity::new(IdentityId::from_wire("laptop-1"), spec, now);
    let enrollment = Enrollment::new(
        EnrollmentId::from_wire("enrollment-1"),
        EnrollmentPurpose::Identity {
            identity: laptop.id.clone(),
            method: EnrollmentMethod::Ott,
        },
        now + SignedDuration::from_mins(180),
        now,
    );

    // It can only be redeemed with the right method and in time.
    println!(
        "with a password: {:?}",
        enrollment.validate_redemption(Some("updb"), now)
    );
    println!(
        "a day late: {:?}",
        enrollment.validate_redemption(None, now + SignedDuration::from_hours(24))
    );
    println!(
        "in time: {:?}",
        enrollment.validate_redemption(Some("ott"), now)
    );

    // A login opens a session; the policy decides whether further factors are pending.
    let session = ApiSession::new(
        ApiSessionId::from_wire("session-1"),
        laptop.id.clone(),
        OpenedBy::Authenticator(AuthenticatorId::from_wire("certificate-1")),
        TokenHash([7; 16]),
        now,
    );
    let relaxed = AuthPolicy::default_policy(now);
    let mut strict = relaxed.clone();
    strict.spec.secondary.require_totp = true;
    assert_eq!(session.auth_level(&relaxed, None), AuthLevel::Full);
    assert_eq!(session.auth_level(&strict, None), AuthLevel::Partial);
    println!(
        "under a policy that demands TOTP: {:?} is open",
        session.open_factors(&strict, None)
    );

    // Disabled for an hour.
    laptop.disable(Some(now + SignedDuration::from_hours(1)), now);
    println!("disabled now: {}", laptop.is_disabled(now));
    println!(
        "in two hours: {}",
        laptop.is_disabled(now + SignedDuration::from_hours(2))
    );
    Ok(())
}
