//! A computer behind a bad line: a network namespace that is reached over a line which delays, loses and
//! reorders packets, by `tc netem` or, where the kernel has none, by a program that does the same.

use crate::own;
use std::net::Ipv4Addr;
use std::process::{self, Command};
use support::{Running, TestDirectory, command, run};

/// Of each direction, so a round trip takes 50 ms. Every fourth packet is sent at once, before those that wait.
const NETEM: [&str; 6] = ["delay", "25ms", "loss", "1%", "reorder", "25%"];

/// The address of this side.
pub(crate) const NEAR: Ipv4Addr = Ipv4Addr::new(10, 213, 7, 1);
/// The address of the computer behind the line.
pub(crate) const FAR: Ipv4Addr = Ipv4Addr::new(10, 213, 7, 2);

pub(crate) struct BadLine {
    namespace: String,
    /// The program that stands in for `netem`.
    carrier: Option<Running>,
}

impl BadLine {
    /// `None` where the kernel or the rights of this user do not allow it, which is printed.
    pub(crate) fn start(site: &TestDirectory) -> Option<Self> {
        let namespace = format!("portcullis-{}", process::id());
        let made = [("ip", "iproute2"), ("tc", "iproute2")]
            .iter()
            .find(|(program, _)| command::find_in_path(program).is_none())
            .map(|(program, package)| format!("no program {program}, of {package}"))
            .map_or(Ok(()), Err)
            .and_then(|()| ip(&format!("netns add {namespace}")));
        if let Err(problem) = made {
            println!("skipped: {problem}");
            return None;
        }
        let mut line = Self {
            namespace,
            carrier: None,
        };
        let laid = line.lay_netem().or_else(|_| line.lay_carried(site));
        if let Err(problem) = laid {
            println!("skipped: {problem}");
            return None;
        }
        Some(line)
    }

    /// The same command on the computer behind the line.
    pub(crate) fn behind(&self, command: &Command) -> Command {
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
            let discipline = |interface| ["qdisc", "add", "dev", interface, "root", "netem"];
            does(Command::new("tc").args(discipline(&near)).args(NETEM))?;
            let mut tc = Command::new("tc");
            tc.args(["-n", space]).args(discipline(&far));
            does(tc.args(NETEM))
        });
        result.inspect_err(|_| {
            let _ = ip(&format!("link delete {near}"));
        })
    }

    /// Two interfaces of a program that carries packets between them.
    fn lay_carried(&mut self, site: &TestDirectory) -> Result<(), String> {
        let [near, far] = interfaces();
        for interface in [&near, &far] {
            ip(&format!("tuntap add dev {interface} mode tun"))?;
        }
        let mut python = Command::new("python3");
        python.arg(own("overlay/bad_line.py")).args([&near, &far]);
        let mut carrier = Running::start(site, "bad-line", python);
        carrier.until_logged("carrying");
        ip(&format!("link set {far} netns {}", self.namespace))?;
        self.carrier = Some(carrier);
        self.open()
    }

    /// Gives both ends their addresses.
    fn open(&self) -> Result<(), String> {
        let [near, far] = interfaces();
        let space = &self.namespace;
        ip(&format!("address add {NEAR} peer {FAR} dev {near}"))?;
        ip(&format!("link set {near} up"))?;
        ip(&format!(
            "-n {space} address add {FAR} peer {NEAR} dev {far}"
        ))?;
        ip(&format!("-n {space} link set {far} up"))?;
        ip(&format!("-n {space} link set lo up"))
    }
}

fn interfaces() -> [String; 2] {
    ["a", "b"].map(|end| format!("pc{}{end}", process::id()))
}

impl Drop for BadLine {
    fn drop(&mut self) {
        let [near, _] = interfaces();
        let _ = ip(&format!("link delete {near}"));
        let _ = ip(&format!("netns delete {}", self.namespace));
    }
}

fn ip(words: &str) -> Result<(), String> {
    does(Command::new("ip").args(words.split(' ')))
}

fn does(command: &mut Command) -> Result<(), String> {
    let done = run(command);
    let problem = || format!("{}: {}", done.line, done.stderr.trim());
    done.status.success().then_some(()).ok_or_else(problem)
}
