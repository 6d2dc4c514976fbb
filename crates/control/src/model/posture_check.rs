//! Posture checks as routers evaluate them.

use portcullis_domain::posture_check::{Check, Fingerprint, MfaCheck, bare_hex};
use portcullis_wire::control::data_model::{
    Domains, MacAddresses, Mfa, OperatingSystem, OperatingSystems, PostureCheckKind, Process,
    Processes,
};

/// Seconds after which a code is demanded again: never.
const NO_TIMEOUT: i64 = -1;

pub(super) fn posture_check_kind(check: &Check) -> PostureCheckKind {
    match check {
        Check::Os(check) => PostureCheckKind::OperatingSystem(Box::new(OperatingSystems {
            systems: check
                .systems()
                .map(|(kind, versions)| OperatingSystem {
                    kind: kind.name().to_owned(),
                    versions: versions.iter().cloned().map(String::from).collect(),
                })
                .collect(),
        })),
        Check::Domain(check) => PostureCheckKind::Domains(Box::new(Domains {
            domains: check.domains().iter().cloned().collect(),
        })),
        Check::Mac(check) => {
            let addresses = check.addresses().iter();
            PostureCheckKind::Mac(Box::new(MacAddresses {
                addresses: addresses
                    .map(|address| address.as_str().to_owned())
                    .collect(),
            }))
        },
        Check::Mfa(check) => PostureCheckKind::Mfa(Box::new(mfa(*check))),
        Check::Process(check) => PostureCheckKind::Process(Box::new(Process {
            operating_system: check.os_type.name().to_owned(),
            path: check.path.as_str().to_owned(),
            hashes: check.hashes.iter().map(digits).collect(),
            fingerprints: check.signer.iter().map(digits).collect(),
        })),
        Check::ProcessMulti(check) => PostureCheckKind::Processes(Box::new(Processes {
            semantic: check.semantic.name().to_owned(),
            processes: check
                .processes
                .iter()
                .map(|process| Process {
                    operating_system: process.os_type.name().to_owned(),
                    path: process.path.as_str().to_owned(),
                    hashes: process.hashes.iter().map(digits).collect(),
                    fingerprints: process.signers.iter().map(digits).collect(),
                })
                .collect(),
        })),
    }
}

fn mfa(check: MfaCheck) -> Mfa {
    Mfa {
        timeout_seconds: check
            .timeout_seconds
            .map_or(NO_TIMEOUT, |seconds| seconds.get().into()),
        prompts_on_wake: check.prompt_on_wake,
        prompts_on_unlock: check.prompt_on_unlock,
        ignores_legacy_endpoints: check.ignore_legacy_endpoints,
    }
}

/// Routers compare fingerprints as text with what SDKs report: bare digits in lower case.
fn digits(fingerprint: &Fingerprint) -> String {
    bare_hex(fingerprint.as_str())
}
