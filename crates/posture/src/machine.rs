//! Checks of the machine: what it is and what runs on it.

use crate::posture::Posture;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{Process, Reported};
use portcullis_domain::posture_check::{
    CheckedProcess, DomainCheck, MacCheck, OsCheck, OsType, ProcessCheck, ProcessMultiCheck,
    Version,
};
use portcullis_domain::roles::Semantic;
use std::iter;

/// Whether the operating system is one of those asked for, in a version that will do.
pub(crate) fn passes_os(check: &OsCheck, posture: &Posture) -> bool {
    let Some(os) = posture.os().map(|os| &os.value) else {
        return false;
    };
    let Some(ranges) = OsType::of_client(&os.kind).and_then(|kind| check.versions(kind)) else {
        return false;
    };
    ranges.is_empty()
        || Version::parse(&os.version)
            .is_some_and(|version| ranges.iter().any(|range| range.contains(&version)))
}

/// Whether the machine belongs to one of the domains, named in any case.
pub(crate) fn passes_domain(check: &DomainCheck, posture: &Posture) -> bool {
    posture.domain().is_some_and(|reported| {
        let reported = reported.value.to_lowercase();
        let domains = check.domains().iter();
        domains
            .map(|domain| domain.to_lowercase())
            .any(|domain| domain == reported)
    })
}

/// Whether the machine has one of the addresses.
pub(crate) fn passes_mac(check: &MacCheck, posture: &Posture) -> bool {
    let addresses = posture.addresses().into_iter();
    addresses
        .flat_map(|addresses| addresses.value.iter())
        .any(|address| check.addresses().contains(address.as_str()))
}

/// Whether the process runs, from a binary that will do.
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
        .is_none_or(|asked| process.signers.iter().any(|signer| asked.is(signer)));
    process.is_running && is_signed && check.hashes.are_met(iter::once(process.hash.as_str()))
}

/// Whether all of the processes run, or one of them.
pub(crate) fn passes_processes(check: &ProcessMultiCheck, posture: &Posture) -> bool {
    let mut processes = check
        .processes
        .iter()
        .map(|asked| is_met(asked, posture.process_at(&asked.path)));
    match check.semantic {
        Semantic::AllOf => processes.all(|is_met| is_met),
        Semantic::AnyOf => processes.any(|is_met| is_met),
    }
}

/// Whether a process that was reported is as it was asked for.
pub(crate) fn is_met(asked: &CheckedProcess, reported: Option<&Reported<Process>>) -> bool {
    reported.is_some_and(|reported| {
        let process = &reported.value;
        process.is_running
            && asked.hashes.are_met(iter::once(process.hash.as_str()))
            && asked
                .signers
                .are_met(process.signers.iter().map(String::as_str))
    })
}
