//! Authenticator apps: programs of others that know a secret and the time.

use crate::command::run;
use crate::wait;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds for which a code is shown.
const STEP: u64 = 30;

/// A code that is within this many seconds of its end is not begun with: it has to last until the
/// controller looks at it.
const SPARE: u64 = 5;

/// RFC 6238 with what comes with Python: secret and step in, code out.
const SCRIPT: &str = "\
import base64, hashlib, hmac, struct, sys
secret, step = base64.b32decode(sys.argv[1]), int(sys.argv[2])
digest = hmac.new(secret, struct.pack('>Q', step), hashlib.sha1).digest()
offset = digest[-1] & 15
number = struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7fffffff
print('%06d' % (number % 1000000))
";

/// What computes codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `oathtool` of the OATH Toolkit.
    Oathtool,
    /// A few lines of Python.
    Python,
}

impl Program {
    #[track_caller]
    fn code(self, secret: &str, step: u64) -> String {
        let mut command = match self {
            Self::Oathtool => Command::new("oathtool"),
            Self::Python => Command::new("python3"),
        };
        match self {
            Self::Oathtool => {
                let now = format!("@{}", step * STEP);
                command.args(["--totp", "--base32", "--now", &now, secret]);
            },
            Self::Python => {
                command.args(["-c", SCRIPT, secret, &step.to_string()]);
            },
        }
        run(&mut command).success().text().trim().to_owned()
    }
}

/// An authenticator app that has been set up.
#[derive(Debug)]
pub struct Authenticator {
    program: Program,
    secret: String,
    /// The newest step of which a code was given away.
    used: u64,
}

impl Authenticator {
    /// Sets up the app with the secret of a provisioning URL.
    #[track_caller]
    pub fn set_up(program: Program, url: &str) -> Self {
        let secret = url
            .split(['?', '&'])
            .find_map(|p| p.strip_prefix("secret="));
        Self {
            program,
            secret: secret.expect("the URL has a secret").to_owned(),
            used: 0,
        }
    }

    /// The secret in base32.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// A code that is good now and was not given away before: of the oldest step that is good, so
    /// that three can be had without waiting.
    ///
    /// # Panics
    ///
    /// If time stands still.
    #[track_caller]
    pub fn code(&mut self) -> String {
        let step = wait::until(wait::PATIENCE, || {
            let oldest = (now() + SPARE) / STEP - 1;
            let step = oldest.max(self.used + 1);
            if step <= now() / STEP + 1 {
                Ok(step)
            } else {
                Err(format!("step {step} is not here yet"))
            }
        });
        self.used = step.expect("time passes");
        self.program.code(&self.secret, self.used)
    }

    /// A code as [`Self::code`] answers it that is good for more than half a minute, if there is one
    /// already.
    #[track_caller]
    pub fn lasting_code(&mut self) -> Option<String> {
        let present = now() / STEP;
        let step = present.max(self.used + 1);
        (step <= present + 1).then(|| {
            self.used = step;
            self.program.code(&self.secret, step)
        })
    }

    /// The code of the step that is so many away from the present one, which lasts for a while yet.
    #[track_caller]
    pub fn code_at(&self, steps: i64) -> String {
        let step = (lasting() / STEP).checked_add_signed(steps);
        let step = step.expect("the step is one of this age");
        self.program.code(&self.secret, step)
    }

    /// A code that is good at no time near.
    #[track_caller]
    pub fn wrong(&self) -> String {
        let near: Vec<_> = (-4..=4).map(|steps| self.code_at(steps)).collect();
        let candidates = (0..).map(|number| format!("{number:06}"));
        candidates
            .into_iter()
            .find(|code| !near.contains(code))
            .expect("few codes are good")
    }
}

/// Seconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "an app goes by the clock of the machine, as the controller does"
)]
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("the year is after 1970").as_secs()
}

/// The same, once the present step does not end soon.
fn lasting() -> u64 {
    let patience = Duration::from_secs(2 * SPARE);
    let time = wait::until(patience, || match now() {
        time if time % STEP < STEP - SPARE => Ok(time),
        time => Err(time),
    });
    time.expect("time passes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;
    use crate::tools::are_there;

    /// RFC 6238 appendix B, the last six digits.
    #[test]
    fn programs_know_the_vectors_of_the_rfc() {
        if !are_there(&[Tool::Oathtool, Tool::Python]) {
            return;
        }
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        for (time, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (20_000_000_000, "353130"),
        ] {
            for program in [Program::Oathtool, Program::Python] {
                assert_eq!(program.code(secret, time / STEP), code, "{program:?}");
            }
        }
    }
}
