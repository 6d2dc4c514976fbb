//! A session from its first report to the end of its access.
//!
//! `cargo run -p portcullis-posture --example one_session`

use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::{PostureCheckId, ServicePolicyId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture_check::{Check, MfaCheck, OsCheck, PostureCheck, PostureCheckSpec};
use portcullis_posture::{
    AccessDecision, Client, GrantingPolicy, MachineJudge, OsInfo, Posture, PostureReport, Report,
};
use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let start: Timestamp = "2031-04-05T06:00:00Z".parse()?;
    let policy = GrantingPolicy {
        id: ServicePolicyId::from_wire("p1"),
        name: "vault for patched machines".to_owned(),
        grant: ServiceGrant::Dial,
        checks: vec![
            check(
                "os",
                Check::Os(OsCheck::new([("Linux", vec![">=6.1.0"])])?),
                start,
            )?,
            check("mfa", Check::Mfa(one_code_an_hour()?), start)?,
        ],
    };
    let mut posture = Posture::default();
    let sdk = SdkInfo::default();
    let mut totp_passed_at = None;

    for (minute, what) in [
        (0, "logs in"),
        (1, "reports its system"),
        (2, "shows a code"),
        (30, "wakes up"),
        (34, "goes on"),
        (35, "has shown no code"),
        (36, "shows a code"),
        (96, "goes on too long"),
    ] {
        let now = start + SignedDuration::from_mins(minute);
        match what {
            "reports its system" => {
                let os = OsInfo {
                    kind: "linux".to_owned(),
                    version: "6.8.0".to_owned(),
                    build: String::new(),
                };
                posture.record(statement("os", Report::Os(os)), now)?;
            },
            "wakes up" => {
                let (woken, unlocked) = (true, false);
                let report = Report::EndpointState { woken, unlocked };
                posture.record(statement("mfa", report), now)?;
            },
            "shows a code" => totp_passed_at = Some(now),
            _ => {},
        }
        let client = Client {
            posture: &posture,
            totp_passed_at,
            sdk: &sdk,
            machine_judge: MachineJudge::Here,
        };
        let access = AccessDecision::decide([&policy], ServiceGrant::Dial, &client, now);
        writeln!(out, "minute {minute:2}, {what}: {}", words(&access))?;
    }
    Ok(())
}

fn words(access: &AccessDecision) -> String {
    match access {
        AccessDecision::Granted(_) => access.ends_at().map_or_else(
            || "may connect".to_owned(),
            |end| format!("may connect until {end}"),
        ),
        AccessDecision::Refused(failures) => {
            let checks = failures.iter().flat_map(|failure| &failure.checks);
            let names: Vec<_> = checks
                .map(|failure| failure.check.spec.name.as_str())
                .collect();
            format!("may not connect: {}", names.join(", "))
        },
        AccessDecision::NotGranted => "knows of no such service".to_owned(),
    }
}

fn one_code_an_hour() -> Result<MfaCheck, Box<dyn Error>> {
    Ok(MfaCheck {
        timeout_seconds: MfaCheck::parse_timeout(3600)?,
        prompt_on_wake: true,
        ..MfaCheck::default()
    })
}

fn check(id: &str, check: Check, now: Timestamp) -> Result<Arc<PostureCheck>, Box<dyn Error>> {
    let spec = PostureCheckSpec::new(format!("{id} check"), check);
    Ok(PostureCheck::new(PostureCheckId::from_wire(id), spec, now)?.into())
}

fn statement(check: &str, report: Report) -> PostureReport {
    PostureReport {
        check: PostureCheckId::from_wire(check),
        report,
    }
}
