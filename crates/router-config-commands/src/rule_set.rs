//! Rule sets and their results.

use crate::environment::Environment;
use crate::input::Input;
use clap::ValueEnum;
use portcullis_router_config::openziti::{self, Evaluation, Machine};
use portcullis_router_config::{
    CheckOptions, Diagnostic, Effect, EffectiveConfig, Finding, LoadedConfig, Severity, SourceFile,
    Stage, Verdict, load,
};

/// Rule sets to check files by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RuleSet {
    /// The specification, strictly: reports every mistake
    #[default]
    Portcullis,
    /// What `ziti router run` of OpenZiti 2.1 does with the file
    Openziti,
}

/// Result of checking a file.
#[derive(Debug)]
pub struct CheckResult {
    pub verdict: Verdict,
    /// Stage at which OpenZiti fails; only for its rule set.
    pub stage: Option<Stage>,
    pub findings: Vec<Finding>,
}

impl RuleSet {
    /// Checks a file. Its own rule set also has what the program finds in the content of the file.
    pub(crate) fn check(
        self,
        input: &Input,
        options: CheckOptions<'_>,
        environment: &Environment,
        own_findings: &dyn Fn(&LoadedConfig) -> Vec<Finding>,
    ) -> CheckResult {
        let text = match text(input) {
            Ok(text) => text,
            Err(diagnostic) => return self.unreadable_result(diagnostic),
        };
        let lookup = |name: &str| environment.get(name);
        match self {
            Self::Portcullis => {
                let loaded = load(&text, &options.environment(&lookup));
                let own = own_findings(&loaded);
                CheckResult::from(loaded.report).with(own)
            },
            Self::Openziti => {
                openziti::evaluate(&text, &Machine::new().environment(&lookup)).into()
            },
        }
    }

    /// Checks a file in the same way, and returns the effective values that can be determined.
    pub(crate) fn load(
        self,
        input: &Input,
        environment: &Environment,
        own_findings: &dyn Fn(&LoadedConfig) -> Vec<Finding>,
    ) -> (CheckResult, EffectiveConfig) {
        let text = match text(input) {
            Ok(text) => text,
            Err(diagnostic) => {
                return (
                    self.unreadable_result(diagnostic),
                    EffectiveConfig::default(),
                );
            },
        };
        let lookup = |name: &str| environment.get(name);
        match self {
            Self::Portcullis => {
                let loaded = load(&text, &CheckOptions::new().environment(&lookup));
                let own = own_findings(&loaded);
                let result = CheckResult::from(loaded.report).with(own);
                (result, loaded.effective)
            },
            Self::Openziti => {
                let (judgment, effective) =
                    openziti::load(&text, &Machine::new().environment(&lookup));
                (judgment.into(), effective)
            },
        }
    }

    /// Result for an unreadable file.
    fn unreadable_result(self, diagnostic: &Diagnostic) -> CheckResult {
        let effect = Effect {
            verdict: Verdict::Refuse,
            stage: Stage::Load,
        };
        let effect = (self == Self::Openziti).then_some(effect);
        CheckResult {
            verdict: Verdict::Refuse,
            stage: effect.map(|effect| effect.stage),
            findings: vec![Finding {
                diagnostic: diagnostic.clone(),
                effect,
            }],
        }
    }
}

fn text(input: &Input) -> Result<SourceFile<'_>, &Diagnostic> {
    match &input.bytes {
        Ok(bytes) => Ok(SourceFile::new(&input.name, bytes)),
        Err(diagnostic) => Err(diagnostic),
    }
}

impl CheckResult {
    /// Adds findings at their places.
    fn with(mut self, findings: Vec<Finding>) -> Self {
        if findings.is_empty() {
            return self;
        }
        self.findings.extend(findings);
        self.findings.sort_by_key(|finding| {
            let diagnostic = &finding.diagnostic;
            (diagnostic.line, diagnostic.column)
        });
        if self.count(Severity::Error) > 0 {
            self.verdict = self.verdict.max(Verdict::Refuse);
        }
        self
    }

    /// Counts the findings of a severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        let of = |finding: &&Finding| finding.diagnostic.severity == severity;
        self.findings.iter().filter(of).count()
    }
}

impl From<portcullis_router_config::Report> for CheckResult {
    fn from(report: portcullis_router_config::Report) -> Self {
        Self {
            verdict: report.verdict,
            stage: None,
            findings: report.findings,
        }
    }
}

impl From<Evaluation> for CheckResult {
    fn from(judgment: Evaluation) -> Self {
        Self {
            verdict: judgment.verdict,
            stage: judgment.stage,
            findings: judgment.findings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_keys_are_not_quoted() {
        let file = b"v: 3\nctrl:\n  endpoint: \"-----BEGIN PRIVATE KEY-----\\nc2VjcmV0\"\n\
            forwarder: \"pem:-----BEGIN EC PRIVATE KEY-----\\nc2VjcmV0\"\n";
        let input = Input {
            name: "r.yml".to_owned(),
            bytes: Ok(file.to_vec()),
        };
        for norm in [RuleSet::Portcullis, RuleSet::Openziti] {
            let judged = norm.check(
                &input,
                CheckOptions::default(),
                &Environment::Process,
                &|_| Vec::new(),
            );
            assert!(judged.count(Severity::Error) > 0);
            let said = format!("{:?}", judged.findings);
            assert!(!said.contains("c2VjcmV0"), "{said}");
        }
    }
}
