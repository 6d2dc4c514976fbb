//! Decoder of posture check definitions.

use crate::decode::{DecodeError, Members};
use crate::role::{required_semantic, semantic};
use portcullis_domain::FieldError;
use portcullis_domain::posture_check::{
    Check, CheckPatch, CheckType, CheckedProcess, CheckedProcesses, DomainCheck, Fingerprints,
    MacCheck, MfaCheck, MfaPatch, OsCheck, OsType, ProcessCheck, ProcessMultiCheck,
    ProcessMultiPatch, ProcessPatch, ProcessPath,
};

/// Wire names of operating systems.
const SYSTEMS: [&str; 6] = {
    let [a, b, c, d, e, f] = OsType::ALL;
    [a.name(), b.name(), c.name(), d.name(), e.name(), f.name()]
};

/// Decodes a complete check of type `kind`.
pub(super) fn check(kind: CheckType, members: &mut Members) -> Result<Check, DecodeError> {
    Ok(match kind {
        CheckType::Os => Check::Os(systems(members.required_objects("operatingSystems")?)?),
        CheckType::Domain => {
            let domains = members.required_string_list("domains")?;
            Check::Domain(DomainCheck::new(domains)?)
        },
        CheckType::Mac => {
            let addresses = members.required_string_list("macAddresses")?;
            Check::Mac(MacCheck::new(&addresses)?)
        },
        CheckType::Mfa => Check::Mfa(mfa(members)?),
        CheckType::Process => Check::Process(process(members.required_object("process")?)?),
        CheckType::ProcessMulti => {
            let processes = processes(members.required_objects("processes")?)?;
            let semantic = required_semantic(members)?;
            Check::ProcessMulti(ProcessMultiCheck {
                semantic,
                processes,
            })
        },
    })
}

/// Decodes changes to a check of type `kind`.
pub(super) fn patch(kind: CheckType, members: &mut Members) -> Result<CheckPatch, DecodeError> {
    Ok(match kind {
        CheckType::Os => {
            let given = members.objects("operatingSystems")?;
            CheckPatch::Os(given.map(systems).transpose()?)
        },
        CheckType::Domain => {
            let domains = members.string_list("domains")?;
            CheckPatch::Domain(domains.map(DomainCheck::new).transpose()?)
        },
        CheckType::Mac => {
            let addresses = members.string_list("macAddresses")?;
            let check = addresses.map(|addresses| MacCheck::new(&addresses));
            CheckPatch::Mac(check.transpose()?)
        },
        CheckType::Mfa => CheckPatch::Mfa(mfa_patch(members)?),
        CheckType::Process => {
            let given = members.object("process")?.map(process_patch);
            CheckPatch::Process(given.transpose()?.unwrap_or_default())
        },
        CheckType::ProcessMulti => {
            let given = members.objects("processes")?;
            CheckPatch::ProcessMulti(ProcessMultiPatch {
                processes: given.map(processes).transpose()?,
                semantic: semantic(members)?,
            })
        },
    })
}

fn systems(given: Vec<Members>) -> Result<OsCheck, DecodeError> {
    let systems = given.into_iter().map(|mut system| {
        let kind = system.required_choice("type", &SYSTEMS)?;
        Ok((kind, system.string_list("versions")?.unwrap_or_default()))
    });
    let systems: Vec<_> = systems.collect::<Result<_, DecodeError>>()?;
    Ok(OsCheck::new(systems)?)
}

fn mfa(members: &mut Members) -> Result<MfaCheck, DecodeError> {
    let given = mfa_patch(members)?;
    Ok(MfaCheck {
        timeout_seconds: given.timeout_seconds.flatten(),
        prompt_on_wake: given.prompt_on_wake.unwrap_or_default(),
        prompt_on_unlock: given.prompt_on_unlock.unwrap_or_default(),
        ignore_legacy_endpoints: given.ignore_legacy_endpoints.unwrap_or_default(),
    })
}

fn mfa_patch(members: &mut Members) -> Result<MfaPatch, DecodeError> {
    let timeout = members.optional_integer("timeoutSeconds")?;
    Ok(MfaPatch {
        timeout_seconds: timeout.map(MfaCheck::parse_timeout).transpose()?,
        prompt_on_wake: members.optional_bool("promptOnWake")?,
        prompt_on_unlock: members.optional_bool("promptOnUnlock")?,
        ignore_legacy_endpoints: members.optional_bool("ignoreLegacyEndpoints")?,
    })
}

fn process(mut process: Members) -> Result<ProcessCheck, DecodeError> {
    let os_type = required_system(&mut process)?;
    let path = required_path(&mut process)?;
    let signer = process.optional_string("signerFingerprint")?;
    Ok(ProcessCheck {
        os_type,
        path,
        hashes: fingerprints(&mut process, "hashes")?.unwrap_or_default(),
        signer: signer
            .map(ProcessCheck::parse_signer)
            .transpose()?
            .flatten(),
    })
}

fn process_patch(mut process: Members) -> Result<ProcessPatch, DecodeError> {
    let field = process.path("osType");
    let os_type = process.optional_choice("osType", &SYSTEMS)?;
    let os_type = os_type.map(|name| OsType::from_name(&field, name));
    let path = process.optional_string("path")?;
    let path = path.map(|path| ProcessPath::new(&process.path("path"), path));
    let signer = process.optional_string("signerFingerprint")?;
    Ok(ProcessPatch {
        os_type: os_type.transpose()?,
        path: path.transpose()?,
        hashes: fingerprints(&mut process, "hashes")?,
        signer: signer.map(ProcessCheck::parse_signer).transpose()?,
    })
}

fn processes(given: Vec<Members>) -> Result<CheckedProcesses, DecodeError> {
    let processes = given.into_iter().map(|mut process| {
        let signers = "signerFingerprints";
        Ok(CheckedProcess {
            os_type: required_system(&mut process)?,
            path: required_path(&mut process)?,
            hashes: fingerprints(&mut process, "hashes")?.unwrap_or_default(),
            signers: fingerprints(&mut process, signers)?.unwrap_or_default(),
        })
    });
    let processes = processes.collect::<Result<_, DecodeError>>()?;
    Ok(CheckedProcesses::new(processes)?)
}

fn required_system(process: &mut Members) -> Result<OsType, DecodeError> {
    let name = process.required_choice("osType", &SYSTEMS)?;
    Ok(OsType::from_name(&process.path("osType"), name)?)
}

fn required_path(process: &mut Members) -> Result<ProcessPath, DecodeError> {
    let path = process.required_string("path")?;
    Ok(ProcessPath::new(&process.path("path"), path)?)
}

fn fingerprints(process: &mut Members, name: &str) -> Result<Option<Fingerprints>, DecodeError> {
    let field = process.path(name);
    let texts = process.string_list(name)?;
    let prints = texts.map(|texts| Fingerprints::new(&field, texts));
    let prints: Result<_, FieldError> = prints.transpose();
    Ok(prints?)
}
