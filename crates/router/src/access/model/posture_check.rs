//! Posture checks of the model as they are evaluated.

use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture_check::{
    Check, CheckedProcess, CheckedProcesses, DomainCheck, Fingerprints, MacAddress, MacCheck,
    MfaCheck, OsCheck, OsType, PostureCheck, PostureCheckSpec, ProcessMultiCheck, ProcessPath,
    VersionRange,
};
use portcullis_domain::roles::Semantic;
use portcullis_wire::control::data_model::{
    Domains, MacAddresses, Mfa, OperatingSystems, PostureCheck as Definition, PostureCheckKind,
    Process, Processes,
};

/// A posture check, and what it demands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UsableCheck {
    definition: Definition,
    /// `None` if it cannot be understood.
    usable: Option<PostureCheck>,
}

impl UsableCheck {
    pub(super) fn new(definition: Definition) -> Self {
        let check = definition.kind.as_ref().and_then(|kind| read(kind).ok());
        let usable = check.map(|check| PostureCheck {
            id: PostureCheckId::from_wire(definition.id.clone()),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            spec: PostureCheckSpec::new(definition.name.clone(), check),
        });
        Self { definition, usable }
    }

    pub(super) const fn definition(&self) -> &Definition {
        &self.definition
    }

    pub(super) const fn usable(&self) -> Option<&PostureCheck> {
        self.usable.as_ref()
    }
}

/// Reads what a check demands. Of alternatives, those that cannot be understood are left out: that demands
/// no less. The error is about a demand that cannot be left out.
fn read(kind: &PostureCheckKind) -> Result<Check, FieldError> {
    Ok(match kind {
        PostureCheckKind::OperatingSystem(systems) => Check::Os(operating_systems(systems)?),
        PostureCheckKind::Mac(mac) => Check::Mac(mac_addresses(mac)?),
        PostureCheckKind::Domains(domains) => Check::Domain(windows_domains(domains)?),
        PostureCheckKind::Mfa(mfa) => Check::Mfa(second_factor(mfa)),
        PostureCheckKind::Process(process) => Check::ProcessMulti(ProcessMultiCheck {
            semantic: Semantic::AllOf,
            processes: processes(std::slice::from_ref(process))?,
        }),
        PostureCheckKind::Processes(several) => Check::ProcessMulti(several_processes(several)?),
    })
}

fn operating_systems(check: &OperatingSystems) -> Result<OsCheck, FieldError> {
    let systems = check.systems.iter().filter_map(|system| {
        OsType::from_name("type", &system.kind).ok()?;
        let is_range = |text: &&String| VersionRange::parse(text.as_str()).is_ok();
        let ranges: Vec<&str> = system
            .versions
            .iter()
            .filter(is_range)
            .map(String::as_str)
            .collect();
        // Without any range, each version would do.
        let is_understood = system.versions.is_empty() || !ranges.is_empty();
        is_understood.then_some((system.kind.as_str(), ranges))
    });
    OsCheck::new(systems.collect::<Vec<_>>())
}

fn mac_addresses(check: &MacAddresses) -> Result<MacCheck, FieldError> {
    let addresses = check.addresses.iter().cloned();
    let addresses: Vec<_> = addresses
        .filter(|address| MacAddress::new("macAddresses", address).is_ok())
        .collect();
    MacCheck::new(&addresses)
}

fn windows_domains(check: &Domains) -> Result<DomainCheck, FieldError> {
    let domains = check.domains.iter().cloned();
    let is_domain = |domain: &String| DomainCheck::new(vec![domain.clone()]).is_ok();
    DomainCheck::new(domains.filter(is_domain).collect())
}

fn second_factor(check: &Mfa) -> MfaCheck {
    let longest = check.timeout_seconds.min(u32::MAX.into());
    MfaCheck {
        timeout_seconds: MfaCheck::parse_timeout(longest).unwrap_or_default(),
        prompt_on_wake: check.prompts_on_wake,
        prompt_on_unlock: check.prompts_on_unlock,
        ignore_legacy_endpoints: check.ignores_legacy_endpoints,
    }
}

fn several_processes(check: &Processes) -> Result<ProcessMultiCheck, FieldError> {
    Ok(ProcessMultiCheck {
        semantic: Semantic::from_name(&check.semantic)?,
        processes: processes(&check.processes)?,
    })
}

fn processes(processes: &[Process]) -> Result<CheckedProcesses, FieldError> {
    let read = |process: &Process| {
        Ok(CheckedProcess {
            os_type: OsType::from_name("osType", &process.operating_system)?,
            path: ProcessPath::new("path", process.path.as_str())?,
            hashes: Fingerprints::new("hashes", process.hashes.clone())?,
            signers: Fingerprints::new("signerFingerprints", process.fingerprints.clone())?,
        })
    };
    let processes: Result<_, FieldError> = processes.iter().map(read).collect();
    CheckedProcesses::new(processes?)
}
