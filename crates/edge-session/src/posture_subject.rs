//! What posture queries ask for.

use portcullis_api::service::PostureQuery;
use portcullis_domain::posture::Report;
use portcullis_domain::posture_check::CheckType;

/// What a posture query asks for, which is the same for all checks that do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    OperatingSystem,
    Domain,
    MacAddresses,
    /// The path of its binary.
    Process(String),
}

impl Subject {
    /// What a query asks for; nothing for those of codes.
    pub(crate) fn of_query(query: &PostureQuery) -> Vec<Self> {
        match query.query_type {
            CheckType::Os => vec![Self::OperatingSystem],
            CheckType::Domain => vec![Self::Domain],
            CheckType::Mac => vec![Self::MacAddresses],
            CheckType::Process | CheckType::ProcessMulti => {
                let processes = query.processes.iter().flatten();
                let all = query.process.iter().chain(processes);
                let paths = all.map(|process| process.path.clone());
                let fits = |path: &String| path.len() <= Report::MAX_PATH_LENGTH;
                paths.filter(fits).map(Self::Process).collect()
            },
            CheckType::Mfa => Vec::new(),
        }
    }

    /// What a report is about; `None` for events.
    pub(crate) fn of_report(report: &Report) -> Option<Self> {
        Some(match report {
            Report::Os(_) => Self::OperatingSystem,
            Report::Domain(_) => Self::Domain,
            Report::Mac(_) => Self::MacAddresses,
            Report::Process { path, .. } => Self::Process(path.clone()),
            Report::EndpointState { .. } => return None,
        })
    }
}
