//! A line to a network namespace.

use crate::carrier::Carrier;
use crate::ip::{ip, run};
use crate::quality::Quality;
use std::net::Ipv4Addr;
use std::process::{self, Command};

/// A computer behind a bad line: a network namespace that is reached over the line alone.
#[derive(Debug)]
pub struct BadLine {
    namespace: String,
    quality: Quality,
    /// Unless the kernel has `netem`.
    carrier: Option<Carrier>,
}

impl BadLine {
    /// The address of this side.
    pub const NEAR: Ipv4Addr = Ipv4Addr::new(10, 213, 7, 1);
    /// The address of the computer behind the line.
    pub const FAR: Ipv4Addr = Ipv4Addr::new(10, 213, 7, 2);

    /// Lays it.
    ///
    /// # Errors
    /// Where the kernel or the rights of this user do not allow it, in words.
    pub fn start(quality: Quality) -> Result<Self, String> {
        let namespace = format!("portcullis-{}", process::id());
        ip(&format!("netns add {namespace}"))?;
        let mut line = Self {
            namespace,
            quality,
            carrier: None,
        };
        line.lay_netem().or_else(|_| line.lay_carried())?;
        Ok(line)
    }

    /// The same command on the computer behind the line.
    #[must_use]
    pub fn behind(&self, command: &Command) -> Command {
        let mut behind = Command::new("ip");
        behind.args(["netns", "exec", &self.namespace]);
        behind.arg(command.get_program()).args(command.get_args());
        behind
    }

    /// A pair of interfaces, with a queueing discipline at either.
    fn lay_netem(&self) -> Result<(), String> {
        let [near, far] = interfaces();
        let space = &self.namespace;
        ip(&format!(
            "link add {near} type veth peer name {far} netns {space}"
        ))?;
        let result = self.open().and_then(|()| {
            let quality = netem(self.quality);
            let discipline = |interface| ["qdisc", "add", "dev", interface, "root", "netem"];
            run(Command::new("tc").args(discipline(&near)).args(&quality))?;
            let mut tc = Command::new("tc");
            tc.args(["-n", space]).args(discipline(&far));
            run(tc.args(quality))
        });
        result.inspect_err(|_| {
            let _ = ip(&format!("link delete {near}"));
        })
    }

    /// Two interfaces of a program that carries packets between them.
    fn lay_carried(&mut self) -> Result<(), String> {
        let interfaces = interfaces();
        let carrier = Carrier::start(&interfaces, self.quality)?;
        let [_, far] = interfaces;
        ip(&format!("link set {far} netns {}", self.namespace))?;
        self.carrier = Some(carrier);
        self.open()
    }

    /// Gives both ends their addresses.
    fn open(&self) -> Result<(), String> {
        let [near, far] = interfaces();
        let (space, near_address, far_address) = (&self.namespace, Self::NEAR, Self::FAR);
        ip(&format!(
            "address add {near_address} peer {far_address} dev {near}"
        ))?;
        ip(&format!("link set {near} up"))?;
        ip(&format!(
            "-n {space} address add {far_address} peer {near_address} dev {far}"
        ))?;
        ip(&format!("-n {space} link set {far} up"))?;
        ip(&format!("-n {space} link set lo up"))
    }
}

fn interfaces() -> [String; 2] {
    ["a", "b"].map(|end| format!("pc{}{end}", process::id()))
}

/// The words of `tc` for it.
fn netem(quality: Quality) -> Vec<String> {
    let Quality {
        delay,
        loss,
        reorder,
    } = quality;
    let mut words = vec!["delay".to_owned(), format!("{}us", delay.as_micros())];
    for (name, percent) in [("loss", loss), ("reorder", reorder)] {
        if percent > 0 {
            words.extend([name.to_owned(), format!("{percent}%")]);
        }
    }
    words
}

impl Drop for BadLine {
    fn drop(&mut self) {
        let [near, _] = interfaces();
        let _ = ip(&format!("link delete {near}"));
        let _ = ip(&format!("netns delete {}", self.namespace));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn commands_run_behind_the_line() {
        let quality = Quality {
            delay: Duration::from_millis(1),
            loss: 1,
            reorder: 25,
        };
        let line = match BadLine::start(quality) {
            Ok(line) => line,
            Err(problem) => {
                crate::skip(&problem);
                return;
            },
        };
        let mut command = Command::new("ip");
        command.args(["-brief", "address"]);
        let output = line.behind(&command).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains(&BadLine::FAR.to_string()), "{shown}");
        let [near, _] = interfaces();
        drop(line);
        ip(&format!("link show {near}")).unwrap_err();
    }
}
