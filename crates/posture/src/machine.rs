//! Evaluation of device checks: operating system, domain, MAC addresses, processes.

use crate::posture::Posture;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{ProcessInfo, Reported};
use portcullis_domain::posture_check::{
    CheckedProcess, DomainCheck, MacCheck, OsCheck, OsType, ProcessCheck, ProcessMultiCheck,
    Version,
};
use portcullis_domain::roles::Semantic;
use std::iter;

/// Whether the operating system is allowed in its version.
pub(crate) fn passes_os(check: &OsCheck, posture: &Posture) -> bool {
    let Some(os) = posture.os().map(|os| &os.value) else {
        return false;
    };
    let Some(ranges) = OsType::from_client(&os.kind).and_then(|kind| check.versions(kind)) else {
        return false;
    };
    ranges.is_empty()
        || Version::parse(&os.version)
            .is_some_and(|version| ranges.iter().any(|range| range.contains(&version)))
}

/// Whether the device belongs to one of the domains, compared case-insensitively.
pub(crate) fn passes_domain(check: &DomainCheck, posture: &Posture) -> bool {
    posture.domain().is_some_and(|reported| {
        let reported = reported.value.to_lowercase();
        let domains = check.domains().iter();
        domains
            .map(|domain| domain.to_lowercase())
            .any(|domain| domain == reported)
    })
}

/// Whether the device has one of the MAC addresses.
pub(crate) fn passes_mac(check: &MacCheck, posture: &Posture) -> bool {
    let addresses = posture.addresses().into_iter();
    addresses
        .flat_map(|addresses| addresses.value.iter())
        .any(|address| check.addresses().contains(address.as_str()))
}

/// Whether the process runs, from an allowed binary.
pub(crate) fn passes_process(check: &ProcessCheck, id: &PostureCheckId, posture: &Posture) -> bool {
    let Some(reported) = posture
        .process_at(&check.path)
        .or_else(|| posture.process_for(id))
    else {
        return false;
    };
    let process = &reported.value;
    let is_signed = check
        .signer
        .as_ref()
        .is_none_or(|asked| process.signers.iter().any(|signer| asked.matches(signer)));
    process.is_running && is_signed && check.hashes.is_met_by(iter::once(process.hash.as_str()))
}

/// Whether all of the processes run, or any of them.
pub(crate) fn passes_processes(check: &ProcessMultiCheck, posture: &Posture) -> bool {
    let mut processes = check
        .processes
        .iter()
        .map(|asked| matches_process(asked, posture.process_at(&asked.path)));
    match check.semantic {
        Semantic::AllOf => processes.all(|is_met| is_met),
        Semantic::AnyOf => processes.any(|is_met| is_met),
    }
}

/// Whether a reported process satisfies a requirement.
pub(crate) fn matches_process(
    required: &CheckedProcess,
    reported: Option<&Reported<ProcessInfo>>,
) -> bool {
    reported.is_some_and(|reported| {
        let process = &reported.value;
        process.is_running
            && required.hashes.is_met_by(iter::once(process.hash.as_str()))
            && required
                .signers
                .is_met_by(process.signers.iter().map(String::as_str))
    })
}
