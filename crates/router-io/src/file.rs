//! The configuration file that a router runs by.

use std::path::{Path, PathBuf};

use portcullis_router::control::{EndpointsFile, controller_addresses};
use portcullis_router::{UNSUPPORTED, own_findings};
use portcullis_router_config::model::RouterConfig;
use portcullis_router_config::{
    CheckOptions, EffectiveConfig, Finding, Severity, SourceFile, codes, default_model_file,
    load_tolerantly,
};

/// A file that was accepted.
pub struct RouterFile {
    /// Default paths lie beside it.
    pub path: PathBuf,
    pub config: RouterConfig,
    /// Its values with their sources, for inspections.
    pub effective: EffectiveConfig,
    /// Whether there is a section `edge`; without it, the router serves the fabric only.
    pub has_edge: bool,
}

/// What there is to say of a file, and the file unless it has mistakes.
pub struct JudgedFile {
    /// Mistakes and warnings, each with its place.
    pub findings: Vec<Finding>,
    pub accepted: Option<RouterFile>,
}

impl RouterFile {
    /// Reads the content of a file as the router does, with the variables of this process. Mistakes of a file that
    /// OpenZiti's router starts with are warnings, but for what this one cannot do.
    ///
    /// The file may lack the addresses of controllers where `has_endpoints` says that others are known: those of
    /// a token, or of the file that the router keeps itself, whose path it is given.
    pub fn judge(
        path: &Path,
        content: &[u8],
        has_endpoints: impl FnOnce(&Path) -> bool,
    ) -> JudgedFile {
        let environment = |name: &str| std::env::var(name).ok();
        Self::judge_in(&environment, path, content, has_endpoints)
    }

    /// The same with these variables.
    fn judge_in(
        environment: &dyn Fn(&str) -> Option<String>,
        path: &Path,
        content: &[u8],
        has_endpoints: impl FnOnce(&Path) -> bool,
    ) -> JudgedFile {
        let name = path.display().to_string();
        let options = CheckOptions::new().environment(environment);
        let loaded = load_tolerantly(&SourceFile::new(&name, content), &options);
        let own = own_findings(&loaded);
        let mut findings = loaded.report.findings;
        findings.extend(own);
        let file = Self {
            path: path.to_owned(),
            config: loaded.config,
            effective: loaded.effective,
            has_edge: loaded.has_edge,
        };
        if controller_addresses(&file.config.ctrl).is_empty() {
            judge_without_controllers(&mut findings, has_endpoints(&file.endpoints_file()));
        }
        findings.retain(|finding| {
            finding.diagnostic.severity != Severity::Note && !is_about_web_of_openziti(finding)
        });
        let is_refused = findings.iter().any(is_mistake);
        JudgedFile {
            findings,
            accepted: (!is_refused).then_some(file),
        }
    }

    /// Where the router keeps what it knows of the network.
    pub fn model_file(&self) -> PathBuf {
        let named = self.config.edge.db.as_ref();
        named.map_or_else(
            || default_model_file(&self.path),
            |named| PathBuf::from(&named.value),
        )
    }

    /// Where the router keeps the addresses of controllers.
    pub fn endpoints_file(&self) -> PathBuf {
        EndpointsFile::path(&self.config.ctrl, &self.path)
    }
}

impl JudgedFile {
    /// What the file is refused for.
    pub fn mistakes(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| is_mistake(finding))
    }
}

/// What the file says of controllers, none of which can be used, matters only where no others are known.
fn judge_without_controllers(findings: &mut Vec<Finding>, has_others: bool) {
    if has_others {
        findings.retain(|finding| !finding.is_lack_of_controllers());
    }
    let is_about_controllers = |finding: &&mut Finding| {
        let path = finding.diagnostic.path.dotted();
        let key = path.split('[').next().unwrap_or_default();
        ["ctrl.endpoint", "ctrl.endpoints"].contains(&key)
    };
    for finding in findings.iter_mut().filter(is_about_controllers) {
        let severity = &mut finding.diagnostic.severity;
        match *severity {
            Severity::Warning if !has_others => *severity = Severity::Error,
            Severity::Error if has_others && finding.diagnostic.code == UNSUPPORTED => {
                *severity = Severity::Warning;
            },
            _ => {},
        }
    }
}

fn is_mistake(finding: &Finding) -> bool {
    finding.diagnostic.severity == Severity::Error
}

/// What `web` of OpenZiti's router lacks is for who writes files for both, and `config check` tells it. Other
/// differences may matter to routers of OpenZiti that this one is linked with.
fn is_about_web_of_openziti(finding: &Finding) -> bool {
    let diagnostic = &finding.diagnostic;
    diagnostic.code == codes::ONLY_HERE && diagnostic.path.dotted().starts_with("web[")
}

#[cfg(test)]
mod tests;
