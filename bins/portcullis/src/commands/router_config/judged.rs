//! By what a file is judged, and what came of it.

use crate::commands::router_config::environment::Environment;
use crate::commands::router_config::input::Input;
use clap::ValueEnum;
use portcullis_router_config::openziti::{self, Judgement, Machine};
use portcullis_router_config::{
    Diagnostic, Effect, Effective, Finding, Options, Severity, Stage, Text, Verdict, check, load,
};

/// By what a file is judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Norm {
    /// The specification, strictly: every mistake is found
    #[default]
    Portcullis,
    /// What `ziti router run` of OpenZiti 2.1 does with the file
    Openziti,
}

/// What came of a file.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// When the original ends; only in its verdict.
    pub(super) stage: Option<Stage>,
    pub(super) findings: Vec<Finding>,
}

impl Norm {
    /// Judges a file.
    pub(super) fn check(
        self,
        input: &Input,
        options: Options,
        environment: &Environment,
    ) -> Judged {
        let text = match text(input) {
            Ok(text) => text,
            Err(diagnostic) => return self.unread(diagnostic),
        };
        let lookup = |name: &str| environment.get(name);
        match self {
            Self::Portcullis => check(&text, options, &lookup).into(),
            Self::Openziti => openziti::judge(&text, &Machine::default(), &lookup).into(),
        }
    }

    /// Judges a file and gives the values that hold, as far as it is understood.
    pub(super) fn load(self, input: &Input, environment: &Environment) -> (Judged, Effective) {
        let text = match text(input) {
            Ok(text) => text,
            Err(diagnostic) => return (self.unread(diagnostic), Effective::default()),
        };
        let lookup = |name: &str| environment.get(name);
        match self {
            Self::Portcullis => {
                let loaded = load(&text, Options::default(), &lookup);
                (loaded.report.into(), loaded.effective)
            },
            Self::Openziti => {
                let (judgement, effective) = openziti::load(&text, &Machine::default(), &lookup);
                (judgement.into(), effective)
            },
        }
    }

    /// Nobody runs with a file that cannot be read.
    fn unread(self, diagnostic: &Diagnostic) -> Judged {
        let effect = Effect {
            verdict: Verdict::Refuse,
            stage: Stage::Load,
        };
        let effect = (self == Self::Openziti).then_some(effect);
        Judged {
            verdict: Verdict::Refuse,
            stage: effect.map(|effect| effect.stage),
            findings: vec![Finding {
                diagnostic: diagnostic.clone(),
                effect,
            }],
        }
    }
}

fn text(input: &Input) -> Result<Text<'_>, &Diagnostic> {
    match &input.bytes {
        Ok(bytes) => Ok(Text::new(&input.name, bytes)),
        Err(diagnostic) => Err(diagnostic),
    }
}

impl Judged {
    /// Counts the findings of a severity.
    pub(super) fn count(&self, severity: Severity) -> usize {
        let of = |finding: &&Finding| finding.diagnostic.severity == severity;
        self.findings.iter().filter(of).count()
    }
}

impl From<portcullis_router_config::Report> for Judged {
    fn from(report: portcullis_router_config::Report) -> Self {
        Self {
            verdict: report.verdict,
            stage: None,
            findings: report.findings,
        }
    }
}

impl From<Judgement> for Judged {
    fn from(judgement: Judgement) -> Self {
        Self {
            verdict: judgement.verdict,
            stage: judgement.stage,
            findings: judgement.findings,
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
        for norm in [Norm::Portcullis, Norm::Openziti] {
            let judged = norm.check(&input, Options::default(), &Environment::Own);
            assert!(judged.count(Severity::Error) > 0);
            let said = format!("{:?}", judged.findings);
            assert!(!said.contains("c2VjcmV0"), "{said}");
        }
    }
}
