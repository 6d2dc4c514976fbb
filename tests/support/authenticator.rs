//! Authenticator apps: independent TOTP programs.

use crate::command::run;
use crate::wait;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds for which a code is valid.
const STEP: u64 = 30;

/// A code that expires within this many seconds is not used: it must last until the controller
/// checks it.
const MIN_REMAINING: u64 = 5;

/// RFC 6238 with the Python standard library: secret and step in, code out.
const SCRIPT: &str = "\
import base64, hashlib, hmac, struct, sys
secret, step = base64.b32decode(sys.argv[1]), int(sys.argv[2])
digest = hmac.new(secret, struct.pack('>Q', step), hashlib.sha1).digest()
offset = digest[-1] & 15
number = struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7fffffff
print('%06d' % (number % 1000000))
";

/// Program that computes codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TotpProgram {
    /// `oathtool` of the OATH Toolkit.
    Oathtool,
    /// A few lines of Python.
    Python,
}

impl TotpProgram {
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

/// An authenticator app with one secret.
#[derive(Debug)]
pub struct Authenticator {
    program: TotpProgram,
    secret: String,
    /// The latest step whose code was used.
    last_step: u64,
}

impl Authenticator {
    /// Sets up the app with the secret in a provisioning URL.
    #[track_caller]
    pub fn set_up(program: TotpProgram, url: &str) -> Self {
        let secret = url
            .split(['?', '&'])
            .find_map(|p| p.strip_prefix("secret="));
        Self::with_secret(program, secret.expect("the URL has a secret"))
    }

    /// Sets up the app with a secret in base32.
    pub fn with_secret(program: TotpProgram, secret: &str) -> Self {
        Self {
            program,
            secret: secret.to_owned(),
            last_step: 0,
        }
    }

    /// The secret in base32.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// A valid code that was not used before, of the oldest valid step, so that three are available
    /// without waiting.
    ///
    /// # Panics
    ///
    /// If time does not advance.
    #[track_caller]
    pub fn code(&mut self) -> String {
        let step = wait::until(wait::DEFAULT_TIMEOUT, || {
            let oldest = (now() + MIN_REMAINING) / STEP - 1;
            let step = oldest.max(self.last_step + 1);
            if step <= now() / STEP + 1 {
                Ok(step)
            } else {
                Err(format!("step {step} is not here yet"))
            }
        });
        self.last_step = step.expect("time passes");
        self.program.code(&self.secret, self.last_step)
    }

    /// An unused code like [`Self::code`] that is valid for more than half a minute, if there is
    /// one already.
    #[track_caller]
    pub fn long_lived_code(&mut self) -> Option<String> {
        let present = now() / STEP;
        let step = present.max(self.last_step + 1);
        (step <= present + 1).then(|| {
            self.last_step = step;
            self.program.code(&self.secret, step)
        })
    }

    /// The code of a step relative to the current one, which does not end soon.
    #[track_caller]
    pub fn code_at(&self, steps: i64) -> String {
        let step = (now_with_margin() / STEP).checked_add_signed(steps);
        let step = step.expect("the step is one of this age");
        self.program.code(&self.secret, step)
    }

    /// A code that is not valid at any time near.
    #[track_caller]
    pub fn wrong_code(&self) -> String {
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

/// The current time, once the current step does not end soon.
fn now_with_margin() -> u64 {
    let patience = Duration::from_secs(2 * MIN_REMAINING);
    let time = wait::until(patience, || match now() {
        time if time % STEP < STEP - MIN_REMAINING => Ok(time),
        time => Err(time),
    });
    time.expect("time passes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;
    use crate::tools::are_available;

    /// RFC 6238 appendix B, the last six digits.
    #[test]
    fn programs_know_the_vectors_of_the_rfc() {
        if !are_available(&[Tool::Oathtool, Tool::Python]) {
            return;
        }
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        for (time, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (20_000_000_000, "353130"),
        ] {
            for program in [TotpProgram::Oathtool, TotpProgram::Python] {
                assert_eq!(program.code(secret, time / STEP), code, "{program:?}");
            }
        }
    }
}
