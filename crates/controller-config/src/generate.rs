//! Generator of configuration files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::address::is_plain_host;
use portcullis_yaml::syntax::HostPort;

/// Paths of a controller that keeps everything in one directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HomeLayout {
    pub config: PathBuf,
    /// Value of `db`; the store stands beside it, see [`StoreLocation`](crate::StoreLocation).
    pub db: PathBuf,
    /// Client certificate chain of the controller.
    pub cert: PathBuf,
    /// Key of `cert`.
    pub key: PathBuf,
    /// Server certificate chain of the controller.
    pub server_cert: PathBuf,
    /// Key of `server_cert`.
    pub server_key: PathBuf,
    /// Certificates that the controller trusts.
    pub ca: PathBuf,
    /// Certificate of the authority that signs identities.
    pub signing_cert: PathBuf,
    /// Key of `signing_cert`.
    pub signing_key: PathBuf,
    /// Key of the root authority, which no configuration references.
    pub root_key: PathBuf,
}

impl HomeLayout {
    /// Layout under the directory `home`.
    pub fn under(home: &Path) -> Self {
        Self {
            config: home.join("controller.yml"),
            db: home.join("ctrl.db"),
            ..Self::default().with_pki(&home.join("pki"))
        }
    }

    /// The same layout with certificates and keys in the directory `pki`.
    #[must_use]
    pub fn with_pki(self, pki: &Path) -> Self {
        Self {
            cert: pki.join("client.chain.pem"),
            key: pki.join("client.key"),
            server_cert: pki.join("server.chain.pem"),
            server_key: pki.join("server.key"),
            ca: pki.join("cas.pem"),
            signing_cert: pki.join("signing.cert"),
            signing_key: pki.join("signing.key"),
            root_key: pki.join("root.key"),
            ..self
        }
    }
}

/// Options for [`generate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerateOptions<'text> {
    /// Host name or IP address that is advertised to clients.
    pub advertised_host: &'text str,
    /// IP address to listen on.
    pub interface: &'text str,
    /// Port of the APIs.
    pub port: u16,
    /// Port for routers.
    pub ctrl_port: u16,
    /// Trust domain, if the certificates name none.
    pub trust_domain: Option<&'text str>,
    /// Paths as the file names them. Relative ones start at the directory of the file; those of
    /// [`HomeLayout::under`] an empty path by default.
    pub files: HomeLayout,
    /// Whether keys of external JWT signers may be fetched from loopback addresses, for trials.
    pub fetch_keys_from_loopback: bool,
}

impl<'text> GenerateOptions<'text> {
    /// Listens on all addresses at `port`, and for routers at OpenZiti's default port 6262.
    pub fn new(advertised_host: &'text str, port: u16) -> Self {
        Self {
            advertised_host,
            interface: "0.0.0.0",
            port,
            ctrl_port: 6262,
            trust_domain: None,
            files: HomeLayout::under(Path::new("")),
            fetch_keys_from_loopback: false,
        }
    }
}

/// Error of [`generate`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// A value contains a `$`, which would start an environment variable and cannot be escaped.
    #[error("`{value}` contains a `$`, which a configuration file cannot express")]
    ContainsDollar { value: String },
    /// A path is not valid UTF-8, as a file has to be.
    #[error("the path {} is not valid UTF-8, which a configuration file has to be", .path.display())]
    NotUnicode { path: PathBuf },
    /// A host is empty, or a port is 0.
    #[error("hosts must not be empty and ports must not be 0")]
    InvalidAddress,
}

/// Renders a complete, commented file that [`read`](crate::read) accepts without diagnostics.
///
/// By default the file references the paths of a [`HomeLayout`] relative to its own folder, so that the
/// folder can be moved and copied.
///
/// # Errors
/// [`GenerateError`] if a value cannot be expressed in the file.
///
/// # Examples
///
/// ```
/// use portcullis_controller_config::{GenerateOptions, generate, read};
/// let text = generate(&GenerateOptions::new("ctrl.example.test", 1280))?;
///
/// assert!(read(&[&text], &|_| None).config.is_some());
/// # Ok::<(), portcullis_controller_config::GenerateError>(())
/// ```
pub fn generate(options: &GenerateOptions<'_>) -> Result<String, GenerateError> {
    let files = &options.files;
    let api = address(options.advertised_host, options.port)?;
    let ctrl = address(options.advertised_host, options.ctrl_port)?;
    let api_interface = quoted(&address(options.interface, options.port)?)?;
    let ctrl_listener = quoted(&format!(
        "tls:{}",
        address(options.interface, options.ctrl_port)?
    ))?;
    let trust_domain = match options.trust_domain {
        Some(domain) => format!(
            "\n# Name of the network in SPIFFE ids.\ntrustDomain: {}\n",
            quoted(domain)?
        ),
        None => String::new(),
    };
    let jwks = if options.fetch_keys_from_loopback {
        LOOPBACK_JWKS
    } else {
        ""
    };
    Ok(format!(
        include_str!("generate/template.yml"),
        db = path(&files.db)?,
        cert = path(&files.cert)?,
        key = path(&files.key)?,
        server_cert = path(&files.server_cert)?,
        server_key = path(&files.server_key)?,
        ca = path(&files.ca)?,
        trust_domain = trust_domain,
        ctrl_listener = ctrl_listener,
        ctrl_advertised = quoted(&format!("tls:{ctrl}"))?,
        api_address = quoted(&api)?,
        totp = totp(options.advertised_host)?,
        signing_cert = path(&files.signing_cert)?,
        signing_key = path(&files.signing_key)?,
        jwks = jwks,
        api_interface = api_interface,
    ))
}

const LOOPBACK_JWKS: &str = "
  # Keys of external JWT signers are never fetched from private addresses, except from these.
  externalJwtSigners:
    jwksFetch:
      allowedIPs: [\"127.0.0.0/8\", \"::1\"]
";

/// Section `edge.totp`, so that apps tell networks apart. Addresses of IPv6 are no names for apps.
fn totp(host: &str) -> Result<String, GenerateError> {
    if !is_plain_host(host) {
        return Ok(String::new());
    }
    Ok(format!(
        "  totp:\n    # Name of the network in authenticator apps.\n    hostname: {}\n",
        quoted(host)?
    ))
}

fn address(host: &str, port: u16) -> Result<String, GenerateError> {
    if host.trim().is_empty() || port == 0 {
        return Err(GenerateError::InvalidAddress);
    }
    Ok(HostPort {
        host: host.to_owned(),
        port,
    }
    .to_string())
}

/// Quotes a path.
fn path(path: &Path) -> Result<String, GenerateError> {
    let not_unicode = || GenerateError::NotUnicode {
        path: path.to_owned(),
    };
    quoted(path.to_str().ok_or_else(not_unicode)?)
}

/// Quotes a text as a YAML scalar, which can express every character except a literal `$`.
fn quoted(text: &str) -> Result<String, GenerateError> {
    if text.contains('$') {
        return Err(GenerateError::ContainsDollar {
            value: text.to_owned(),
        });
    }
    let mut scalar = String::with_capacity(text.len() + 2);
    scalar.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                scalar.push('\\');
                scalar.push(character);
            },
            ' '..='~' => scalar.push(character),
            // Line ends of YAML 1.1 and the byte order mark are not control characters to Rust.
            '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}'
                if !matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}') =>
            {
                scalar.push(character);
            },
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(scalar, "\\U{:08X}", u32::from(character));
            },
        }
    }
    scalar.push('"');
    Ok(scalar)
}
