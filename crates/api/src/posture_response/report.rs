//! Single posture reports.

use crate::decode::{DecodeError, Members};
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{OsInfo, PostureReport, ProcessInfo, Report};
use serde::Serialize;
use std::collections::BTreeSet;

/// Kinds of reports. They differ from the check types: processes are reported one by one, and MFA
/// codes are not reported.
#[derive(Debug, Clone, Copy)]
enum ReportKind {
    Os,
    Domain,
    Mac,
    Process,
    EndpointState,
}

/// A report, as clients write it.
#[derive(Debug, Serialize)]
pub(super) struct ReportWriter<'a> {
    id: &'a PostureCheckId,
    #[serde(flatten)]
    details: ReportDetails<'a>,
}

#[derive(Debug, Serialize)]
#[serde(
    tag = "typeId",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
enum ReportDetails<'a> {
    Os {
        #[serde(rename = "type")]
        kind: &'a str,
        version: &'a str,
        build: &'a str,
    },
    Domain {
        domain: &'a str,
    },
    Mac {
        mac_addresses: &'a [String],
    },
    Process {
        path: &'a str,
        is_running: bool,
        hash: &'a str,
        signer_fingerprints: &'a BTreeSet<String>,
    },
    EndpointState {
        woken: bool,
        unlocked: bool,
    },
}

impl ReportKind {
    const ALL: [Self; 5] = [
        Self::Os,
        Self::Domain,
        Self::Mac,
        Self::Process,
        Self::EndpointState,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Os => "OS",
            Self::Domain => "DOMAIN",
            Self::Mac => "MAC",
            Self::Process => "PROCESS",
            Self::EndpointState => "ENDPOINT_STATE",
        }
    }
}

/// Descriptions of the members of reports.
pub(super) const DESCRIPTIONS: &[(&str, &str)] = &[
    ("typeId", "Type of the report."),
    ("id", "Id of the posture check that the report is for."),
    (
        "type",
        "The type of the operating system, for example `Linux`.",
    ),
    ("version", "The version of the operating system."),
    ("build", "The build of the operating system."),
    ("domain", "The Windows domain."),
    ("macAddresses", "The MAC addresses of the device."),
    ("path", "Path of the executable."),
    ("isRunning", "Whether the process runs."),
    ("hash", "Hash of the executable."),
    (
        "signerFingerprints",
        "Fingerprints of the signers of the executable.",
    ),
    ("woken", "Whether the device woke up."),
    ("unlocked", "Whether the device was unlocked."),
];

/// Decodes a report.
pub(super) fn decode_statement(members: &mut Members) -> Result<PostureReport, DecodeError> {
    let kind = members.type_id(&ReportKind::ALL, ReportKind::name)?;
    let check = PostureCheckId::from_wire(members.required_string("id")?);
    let report = match kind {
        ReportKind::Os => Report::Os(OsInfo {
            kind: members.required_string("type")?,
            version: members.required_string("version")?,
            build: members.optional_string("build")?.unwrap_or_default(),
        }),
        ReportKind::Domain => Report::Domain(members.required_string("domain")?),
        ReportKind::Mac => Report::Mac(members.required_string_list("macAddresses")?),
        ReportKind::Process => {
            let signers = members.string_list("signerFingerprints")?;
            Report::Process {
                path: members.optional_string("path")?.unwrap_or_default(),
                process: ProcessInfo {
                    is_running: members.optional_bool("isRunning")?.unwrap_or_default(),
                    hash: members.optional_string("hash")?.unwrap_or_default(),
                    signers: signers.into_iter().flatten().collect(),
                },
            }
        },
        ReportKind::EndpointState => Report::EndpointState {
            woken: members.optional_bool("woken")?.unwrap_or_default(),
            unlocked: members.optional_bool("unlocked")?.unwrap_or_default(),
        },
    };
    Ok(PostureReport { check, report })
}

impl<'a> From<&'a PostureReport> for ReportWriter<'a> {
    fn from(statement: &'a PostureReport) -> Self {
        let details = match &statement.report {
            Report::Os(os) => ReportDetails::Os {
                kind: &os.kind,
                version: &os.version,
                build: &os.build,
            },
            Report::Domain(domain) => ReportDetails::Domain { domain },
            Report::Mac(addresses) => ReportDetails::Mac {
                mac_addresses: addresses,
            },
            Report::Process { path, process } => ReportDetails::Process {
                path,
                is_running: process.is_running,
                hash: &process.hash,
                signer_fingerprints: &process.signers,
            },
            Report::EndpointState { woken, unlocked } => ReportDetails::EndpointState {
                woken: *woken,
                unlocked: *unlocked,
            },
        };
        Self {
            id: &statement.check,
            details,
        }
    }
}
