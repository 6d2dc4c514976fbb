//! The program that stands in for `netem`.

use crate::quality::Quality;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = include_str!("carrier.py");

/// The running program. Its interfaces end with it.
#[derive(Debug)]
pub(crate) struct Carrier(Child);

impl Carrier {
    /// Makes the interfaces, and carries packets between two of them, or from one back to it with source and
    /// destination exchanged.
    pub(crate) fn start(interfaces: &[String], quality: Quality) -> Result<Self, String> {
        let mut child = Command::new("python3")
            .args(["-c", PROGRAM])
            .arg(quality.delay.as_secs_f64().to_string())
            .args([quality.loss, quality.reorder].map(|percent| percent.to_string()))
            .args(interfaces)
            // It ends when this is closed, which it is at the latest with this process.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("python3: {error}"))?;
        let output = child.stdout.take().map(BufReader::new);
        let carrier = Self(child);
        let mut said = String::new();
        let read = output.map(|mut output| output.read_line(&mut said));
        match read {
            Some(Ok(_)) if said.trim() == "carrying" => Ok(carrier),
            _ => Err(format!(
                "no packets can be carried between {interfaces:?}, by /dev/net/tun"
            )),
        }
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        // If it has ended, there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
