//! The configuration file that a router runs by.

use std::path::{Path, PathBuf};

use portcullis_router::control::EndpointsFile;
use portcullis_router::own_findings;
use portcullis_router_config::model::RouterConfig;
use portcullis_router_config::{
    CheckOptions, EffectiveConfig, Finding, Severity, SourceFile, codes, default_model_file, load,
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
    /// Reads the content of a file as the router does, with the variables of this process.
    ///
    /// The file may lack the addresses of controllers where `has_endpoints` says that others are known: those of
    /// a token, or of the file that the router keeps itself, whose path it is given.
    pub fn judge(
        path: &Path,
        content: &[u8],
        has_endpoints: impl FnOnce(&Path) -> bool,
    ) -> JudgedFile {
        let name = path.display().to_string();
        let environment = |name: &str| std::env::var(name).ok();
        let options = CheckOptions::new().environment(&environment);
        let loaded = load(&SourceFile::new(&name, content), &options);
        let own = own_findings(&loaded);
        let mut findings = loaded.report.findings;
        findings.extend(own);
        let file = Self {
            path: path.to_owned(),
            config: loaded.config,
            effective: loaded.effective,
            has_edge: loaded.has_edge,
        };
        if findings.iter().any(is_missing_endpoint) && has_endpoints(&file.endpoints_file()) {
            findings.retain(|finding| !is_missing_endpoint(finding));
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

fn is_mistake(finding: &Finding) -> bool {
    finding.diagnostic.severity == Severity::Error
}

/// What `web` of OpenZiti's router lacks is for who writes files for both, and `config check` tells it. Other
/// differences may matter to routers of OpenZiti that this one is linked with.
fn is_about_web_of_openziti(finding: &Finding) -> bool {
    let diagnostic = &finding.diagnostic;
    diagnostic.code == codes::ONLY_HERE && diagnostic.path.dotted().starts_with("web[")
}

fn is_missing_endpoint(finding: &Finding) -> bool {
    let diagnostic = &finding.diagnostic;
    diagnostic.code == codes::MISSING_KEY && diagnostic.path.dotted() == "ctrl.endpoint"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apis_that_openziti_lacks_are_not_warned_about() {
        let text = "v: 3
web:
  - name: metrics
    bindPoints: [{interface: '127.0.0.1:5', address: 'localhost:5'}]
    apis: [{binding: metrics}]
";
        let judged = RouterFile::judge(Path::new("r1.yml"), text.as_bytes(), |_path| true);
        let warnings = judged
            .findings
            .iter()
            .filter(|finding| !is_mistake(finding));
        let found: Vec<_> = warnings.map(|finding| finding.diagnostic.code).collect();
        assert!(!found.contains(&codes::ONLY_HERE), "{found:?}");
    }
}
