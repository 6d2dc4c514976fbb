//! The file in which a router keeps what it knows of the network.

use std::path::{Path, PathBuf};

/// Where it is unless `edge.db` says otherwise: beside the file of the configuration.
///
/// # Examples
///
/// ```
/// use std::path::Path;
///
/// use portcullis_router_config::default_model_file;
///
/// let file = default_model_file(Path::new("/etc/router.yml"));
/// assert_eq!(file, Path::new("/etc/router.yml.proto.gzip"));
/// ```
pub fn default_model_file(configuration: &Path) -> PathBuf {
    let mut name = configuration.as_os_str().to_owned();
    name.push(".proto.gzip");
    name.into()
}
