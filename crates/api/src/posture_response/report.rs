//! Single reports.

use crate::decode::{DecodeError, Members};
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{Os, Process, Report, Statement};
use serde::Serialize;
use std::collections::BTreeSet;

/// The kinds of reports. There is none for each type of check: processes are reported one by one,
/// and codes are not reported at all.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Os,
    Domain,
    Mac,
    Process,
    EndpointState,
}

/// A report, as clients write it.
#[derive(Debug, Serialize)]
pub(super) struct ReportBody<'a> {
    id: &'a PostureCheckId,
    #[serde(flatten)]
    details: Details<'a>,
}

#[derive(Debug, Serialize)]
#[serde(
    tag = "typeId",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
enum Details<'a> {
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

impl Kind {
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

/// What the members of reports mean.
pub(super) const WORDS: &[(&str, &str)] = &[
    ("typeId", "What the report is about."),
    ("id", "For which posture check it is."),
    (
        "type",
        "The type of the operating system, for example `Linux`.",
    ),
    ("version", "The version of the operating system."),
    ("build", "The build of the operating system."),
    ("domain", "The Windows domain."),
    ("macAddresses", "The MAC addresses of the machine."),
    ("path", "The binary of the process."),
    ("isRunning", "Whether the process runs."),
    ("hash", "The hash of the binary."),
    (
        "signerFingerprints",
        "The fingerprints of those who signed the binary.",
    ),
    ("woken", "Whether the machine woke up."),
    ("unlocked", "Whether the machine was unlocked."),
];

/// Takes a report out of its members.
pub(super) fn statement(members: &mut Members) -> Result<Statement, DecodeError> {
    let kind = members.kind(&Kind::ALL, Kind::name)?;
    let check = PostureCheckId::from_wire(members.required_string("id")?);
    let report = match kind {
        Kind::Os => Report::Os(Os {
            kind: members.required_string("type")?,
            version: members.required_string("version")?,
            build: members.optional_string("build")?.unwrap_or_default(),
        }),
        Kind::Domain => Report::Domain(members.required_string("domain")?),
        Kind::Mac => Report::Mac(members.required_string_list("macAddresses")?),
        Kind::Process => {
            let signers = members.string_list("signerFingerprints")?;
            Report::Process {
                path: members.optional_string("path")?.unwrap_or_default(),
                process: Process {
                    is_running: members.optional_bool("isRunning")?.unwrap_or_default(),
                    hash: members.optional_string("hash")?.unwrap_or_default(),
                    signers: signers.into_iter().flatten().collect(),
                },
            }
        },
        Kind::EndpointState => Report::EndpointState {
            woken: members.optional_bool("woken")?.unwrap_or_default(),
            unlocked: members.optional_bool("unlocked")?.unwrap_or_default(),
        },
    };
    Ok(Statement { check, report })
}

impl<'a> From<&'a Statement> for ReportBody<'a> {
    fn from(statement: &'a Statement) -> Self {
        let details = match &statement.report {
            Report::Os(os) => Details::Os {
                kind: &os.kind,
                version: &os.version,
                build: &os.build,
            },
            Report::Domain(domain) => Details::Domain { domain },
            Report::Mac(addresses) => Details::Mac {
                mac_addresses: addresses,
            },
            Report::Process { path, process } => Details::Process {
                path,
                is_running: process.is_running,
                hash: &process.hash,
                signer_fingerprints: &process.signers,
            },
            Report::EndpointState { woken, unlocked } => Details::EndpointState {
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
