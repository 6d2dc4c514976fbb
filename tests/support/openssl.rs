//! `openssl` for creating keys and CSRs and for inspecting certificates.

use crate::command::{CommandOutput, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program with its working folder.
#[derive(Debug, Clone)]
pub struct Openssl {
    folder: PathBuf,
}

impl Openssl {
    /// Uses `folder` for all files.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Runs a subcommand; arguments are separated by spaces.
    #[track_caller]
    pub fn run(&self, arguments: &str) -> CommandOutput {
        run(self.command().args(arguments.split(' ')))
    }

    /// A command in the folder.
    pub fn command(&self) -> Command {
        let mut command = Command::new("openssl");
        command.current_dir(&self.folder).env_remove("OPENSSL_CONF");
        command
    }

    /// A file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Creates the key `NAME.key` and a CSR `NAME.csr`, and returns the CSR.
    #[track_caller]
    pub fn csr(&self, name: &str, key: KeyAlgorithm, subject: &str) -> String {
        self.run(&format!(
            "req -new -nodes -newkey {} -keyout {name}.key -out {name}.csr -subj {subject}",
            key.arguments()
        ))
        .success();
        fs::read_to_string(self.file(&format!("{name}.csr"))).expect("the request was written")
    }

    /// Creates a self-signed certificate `NAME.pem` with its key `NAME.key`.
    #[track_caller]
    pub fn self_signed(&self, name: &str) -> (PathBuf, PathBuf) {
        self.run(&format!(
            "req -x509 -nodes -newkey {} -keyout {name}.key -out {name}.pem -subj /CN={name} -days 2",
            KeyAlgorithm::P256.arguments()
        ))
        .success();
        (
            self.file(&format!("{name}.pem")),
            self.file(&format!("{name}.key")),
        )
    }

    /// Fetches the leaf certificate of a TLS server into the file `NAME`, as PEM.
    #[track_caller]
    pub fn fetch_server_leaf(&self, host_port: &str, name: &str) -> PathBuf {
        let shown = self.run(&format!(
            "s_client -connect {host_port} -servername localhost"
        ));
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        let start = text
            .find("-----BEGIN CERTIFICATE-----")
            .expect("a leaf was shown");
        let end = text
            .find("-----END CERTIFICATE-----")
            .expect("a leaf was shown");
        let leaf = format!("{}-----END CERTIFICATE-----\n", &text[start..end]);
        fs::write(self.file(name), leaf).expect("the leaf can be written");
        self.file(name)
    }

    /// A certificate as printed by `openssl x509 -text`.
    #[track_caller]
    pub fn describe(&self, certificate: &Path) -> String {
        let mut command = self.command();
        command
            .args(["x509", "-noout", "-text", "-in"])
            .arg(certificate);
        run(&mut command).success().text()
    }
}

/// Types of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAlgorithm {
    /// ECDSA on the curve P-256.
    P256,
    /// ECDSA on the curve P-384.
    P384,
    /// RSA with 2048 bits.
    Rsa2048,
    /// RSA with 4096 bits.
    Rsa4096,
    /// Ed25519.
    Ed25519,
}

impl KeyAlgorithm {
    fn arguments(self) -> &'static str {
        match self {
            Self::P256 => "ec -pkeyopt ec_paramgen_curve:prime256v1",
            Self::P384 => "ec -pkeyopt ec_paramgen_curve:secp384r1",
            Self::Rsa2048 => "rsa:2048",
            Self::Rsa4096 => "rsa:4096",
            Self::Ed25519 => "ed25519",
        }
    }
}
