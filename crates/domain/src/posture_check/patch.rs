//! Partial updates of posture checks.

use super::{
    Check, CheckType, DomainCheck, MacCheck, MfaCheck, MfaPatch, OsCheck, ProcessCheck,
    ProcessMultiCheck, ProcessMultiPatch, ProcessPatch,
};
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;

/// Members of a posture check to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostureCheckSpecPatch {
    pub name: Option<String>,
    pub role_attributes: Option<RoleAttributes>,
    /// Its type has to match the check.
    pub check: Option<CheckPatch>,
    pub tags: Option<Tags>,
}

/// Type-specific members to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckPatch {
    Os(Option<OsCheck>),
    Domain(Option<DomainCheck>),
    Mac(Option<MacCheck>),
    Mfa(MfaPatch),
    Process(ProcessPatch),
    ProcessMulti(ProcessMultiPatch),
}

impl CheckPatch {
    /// The type of check that it applies to.
    pub const fn check_type(&self) -> CheckType {
        match self {
            Self::Os(_) => CheckType::Os,
            Self::Domain(_) => CheckType::Domain,
            Self::Mac(_) => CheckType::Mac,
            Self::Mfa(_) => CheckType::Mfa,
            Self::Process(_) => CheckType::Process,
            Self::ProcessMulti(_) => CheckType::ProcessMulti,
        }
    }

    /// Whether it sets no member.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Os(systems) => systems.is_none(),
            Self::Domain(domains) => domains.is_none(),
            Self::Mac(addresses) => addresses.is_none(),
            Self::Mfa(patch) => *patch == MfaPatch::default(),
            Self::Process(patch) => *patch == ProcessPatch::default(),
            Self::ProcessMulti(patch) => *patch == ProcessMultiPatch::default(),
        }
    }

    /// Applies the members that are set. A check of another type is replaced by an empty one of
    /// this type, which `normalize` then rejects.
    pub(super) fn apply(self, check: &mut Check) {
        if check.check_type() != self.check_type() {
            *check = Self::empty(self.check_type());
        }
        match (self, check) {
            (Self::Os(patch), Check::Os(check)) => assign(check, patch),
            (Self::Domain(patch), Check::Domain(check)) => assign(check, patch),
            (Self::Mac(patch), Check::Mac(check)) => assign(check, patch),
            (Self::Mfa(patch), Check::Mfa(check)) => patch.apply(check),
            (Self::Process(patch), Check::Process(check)) => patch.apply(check),
            (Self::ProcessMulti(patch), Check::ProcessMulti(check)) => patch.apply(check),
            _ => {},
        }
    }

    fn empty(kind: CheckType) -> Check {
        match kind {
            CheckType::Os => Check::Os(OsCheck::empty()),
            CheckType::Domain => Check::Domain(DomainCheck::empty()),
            CheckType::Mac => Check::Mac(MacCheck::empty()),
            CheckType::Mfa => Check::Mfa(MfaCheck::default()),
            CheckType::Process => Check::Process(ProcessCheck::empty()),
            CheckType::ProcessMulti => Check::ProcessMulti(ProcessMultiCheck::empty()),
        }
    }
}
