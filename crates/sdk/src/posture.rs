//! The posture of the machine, as routers are told it.

use portcullis_domain::posture::Report;
use portcullis_wire::edge::{
    Domain, MacAddresses, OperatingSystem, Posture, PostureResponse, Process, Processes,
};

/// What routers are told. Processes go together; what has happened to the machine, which is no state of it,
/// is told to controllers alone.
pub(crate) fn responses(reports: &[Report]) -> Vec<PostureResponse> {
    let processes: Vec<_> = reports.iter().filter_map(process).collect();
    let processes =
        (!processes.is_empty()).then(|| Posture::Processes(Box::new(Processes { processes })));
    let states = reports.iter().filter_map(state).chain(processes);
    states
        .map(|posture| PostureResponse {
            posture: Some(posture),
        })
        .collect()
}

fn process(report: &Report) -> Option<Process> {
    match report {
        Report::Process { path, process } => Some(Process {
            path: path.clone(),
            is_running: process.is_running,
            hash: process.hash.clone(),
            signer_fingerprints: process.signers.iter().cloned().collect(),
        }),
        _ => None,
    }
}

fn state(report: &Report) -> Option<Posture> {
    match report {
        Report::Os(os) => Some(Posture::OperatingSystem(Box::new(OperatingSystem {
            kind: os.kind.clone(),
            version: os.version.clone(),
            build: os.build.clone(),
        }))),
        Report::Domain(name) => {
            let name = name.clone();
            Some(Posture::Domain(Box::new(Domain { name })))
        },
        Report::Mac(addresses) => Some(Posture::MacAddresses(Box::new(MacAddresses {
            addresses: addresses.clone(),
        }))),
        Report::Process { .. } | Report::EndpointState { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::posture::ProcessInfo;

    #[test]
    fn processes_go_together() {
        let process = |path: &str| Report::Process {
            path: path.to_owned(),
            process: ProcessInfo {
                is_running: true,
                ..ProcessInfo::default()
            },
        };
        let told = responses(&[
            process("/bin/a"),
            Report::Domain("corp".to_owned()),
            Report::EndpointState {
                woken: true,
                unlocked: false,
            },
            process("/bin/b"),
        ]);
        let [domain, processes] = &told[..] else {
            panic!("{told:?}");
        };
        assert!(matches!(&domain.posture, Some(Posture::Domain(domain)) if domain.name == "corp"));
        let Some(Posture::Processes(processes)) = &processes.posture else {
            panic!("{processes:?}");
        };
        let paths: Vec<_> = processes.processes.iter().map(|one| &one.path).collect();
        assert_eq!(paths, ["/bin/a", "/bin/b"]);
        assert_eq!(responses(&[]), []);
    }
}
