//! What SDKs say of their machines, by session.

use portcullis_domain::FieldError;
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{OsInfo, PostureReport, ProcessInfo, Report};
use portcullis_posture::{Client, MachineJudge, NormalizedReports, Posture};
use portcullis_wire::Timestamp as WireTimestamp;
use portcullis_wire::edge::{Posture as Said, PostureResponse, SdkInfo as WireSdkInfo};

use super::claims::TotpClaims;
use super::control::Keeper;
use super::verifier;
use crate::edge::ChannelId;

/// The machine of a session, as its SDK has described it.
#[derive(Debug, Clone, Default)]
pub struct SessionPosture {
    posture: Posture,
    totp_passed_at: Option<Timestamp>,
    sdk: SdkInfo,
}

/// Most tokens about codes in one message of an SDK; those beyond count for nothing.
const MAX_CODES: usize = 8;

/// What an SDK says of its machine, with the claims of its tokens about codes.
#[derive(Debug)]
pub struct PostureReports(Vec<(PostureResponse, Option<TotpClaims>)>);

impl PostureReports {
    /// Reads what was said over a channel, unless it counts for nothing there. It takes as long as signatures
    /// take, and changes nothing.
    pub fn read(keeper: &impl Keeper, channel: ChannelId, said: Vec<PostureResponse>) -> Self {
        if !keeper.look(|control| control.judges_posture(channel)) {
            return Self(Vec::new());
        }
        let mut codes = 0;
        let said = said.into_iter().map(|response| {
            let code = match &response.posture {
                Some(Said::TotpToken(given)) if codes < MAX_CODES => {
                    codes += 1;
                    verifier::read(keeper, &given.token).ok()
                },
                _ => None,
            };
            (response, code)
        });
        Self(said.collect())
    }
}

impl SessionPosture {
    /// As posture checks see it.
    pub const fn client(&self) -> Client<'_> {
        Client {
            posture: &self.posture,
            totp_passed_at: self.totp_passed_at,
            sdk: &self.sdk,
            machine_judge: MachineJudge::Here,
        }
    }

    /// A login with a TOTP code. It counts if nothing is known of any other one: a token that is renewed
    /// tells of the same login again.
    pub(super) fn logged_in_with_totp(&mut self, at: Timestamp) {
        self.totp_passed_at.get_or_insert(at);
    }

    /// Takes over what the SDK of a session says, all of it or nothing.
    pub(super) fn report(
        &mut self,
        said: PostureReports,
        session: &str,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let mut next = self.clone();
        let mut reports = Vec::new();
        for (response, code) in said.0 {
            match response.posture {
                None => {}, // Of a kind that this version does not know.
                Some(Said::Woken(woken)) => {
                    next.prompt(true, woken.time.as_ref(), now)?;
                },
                Some(Said::Unlocked(unlocked)) => {
                    next.prompt(false, unlocked.time.as_ref(), now)?;
                },
                Some(Said::TotpToken(_)) => {
                    let passed_at = code.and_then(|code| code.passed_at(session, now));
                    next.totp_passed_at = next.totp_passed_at.max(passed_at);
                },
                Some(Said::SdkInfo(info)) => next.sdk = sdk_info(*info)?,
                Some(Said::MacAddresses(mac)) => reports.push(Report::Mac(mac.addresses)),
                Some(Said::Domain(domain)) => reports.push(Report::Domain(domain.name)),
                Some(Said::OperatingSystem(system)) => reports.push(Report::Os(OsInfo {
                    kind: system.kind,
                    version: system.version,
                    build: system.build,
                })),
                // Processes that are not mentioned are as before.
                Some(Said::Processes(processes)) => {
                    reports.extend(processes.processes.into_iter().map(|process| {
                        Report::Process {
                            path: process.path,
                            process: ProcessInfo {
                                is_running: process.is_running,
                                hash: process.hash,
                                signers: process.signer_fingerprints.into_iter().collect(),
                            },
                        }
                    }));
                },
            }
        }
        let reports = reports.into_iter().map(of_no_check).collect();
        next.posture
            .apply(NormalizedReports::from_batch(reports)?, now)?;
        *self = next;
        Ok(())
    }

    /// The machine woke or was unlocked. SDKs repeat that on each channel, so it is their time that counts,
    /// if it has passed.
    fn prompt(
        &mut self,
        woken: bool,
        time: Option<&WireTimestamp>,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let time = time.and_then(|time| Timestamp::new(time.seconds, time.nanos).ok());
        let report = Report::EndpointState {
            woken,
            unlocked: !woken,
        };
        let at = time.map_or(now, |time| time.min(now));
        self.posture.record(of_no_check(report), at)?;
        Ok(())
    }
}

/// SDKs do not tell routers which check asks for what they report.
fn of_no_check(report: Report) -> PostureReport {
    PostureReport {
        check: PostureCheckId::from_wire(""),
        report,
    }
}

fn sdk_info(info: WireSdkInfo) -> Result<SdkInfo, FieldError> {
    let info = SdkInfo {
        app_id: info.app_id,
        app_version: info.app_version,
        branch: info.branch,
        revision: info.revision,
        kind: info.kind,
        version: info.version,
    };
    let texts = [
        &info.app_id,
        &info.app_version,
        &info.branch,
        &info.revision,
        &info.kind,
        &info.version,
    ];
    if texts
        .iter()
        .any(|text| text.len() > Report::MAX_TEXT_LENGTH)
    {
        let reason = format!("must be at most {} bytes long", Report::MAX_TEXT_LENGTH);
        return Err(FieldError::new("sdkInfo", reason, "more"));
    }
    Ok(info)
}
