//! Ports that stand for a service.

use crate::error::{ConfigError, decode};
use crate::intercept::NotEmpty;
use crate::protocol::Protocol;
use serde::Deserialize;
use serde_json::Value;

/// A port of the tunneler's machine that stands for a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    pub port: u16,
    pub protocols: Vec<Protocol>,
    /// The address or the interface to listen on; that of the tunneler if it is empty.
    pub binding: Option<String>,
}

const PROXY_V1: &str = "proxy.v1";

#[derive(Deserialize)]
struct ProxyV1 {
    port: std::num::NonZero<u16>,
    protocols: NotEmpty<Protocol>,
    binding: Option<String>,
}

impl Proxy {
    /// What a service's configurations say about it, by type.
    ///
    /// # Errors
    ///
    /// If the configuration does not say what it should.
    pub fn from_configs<'c>(
        config_of: impl Fn(&str) -> Option<&'c Value>,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(config) = config_of(PROXY_V1) else {
            return Ok(None);
        };
        let config: ProxyV1 = decode(PROXY_V1, config)?;
        Ok(Some(Self {
            port: config.port.get(),
            protocols: config.protocols.0,
            binding: config.binding.filter(|binding| !binding.is_empty()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ports_are_read() {
        let config = json!({"port": 8080, "protocols": ["tcp"], "binding": ""});
        let proxy = Proxy::from_configs(|name| (name == PROXY_V1).then_some(&config));
        let expected = Proxy {
            port: 8080,
            protocols: vec![Protocol::Tcp],
            binding: None,
        };
        assert_eq!(proxy, Ok(Some(expected)));

        let config = json!({"port": 0, "protocols": ["tcp"]});
        let error = Proxy::from_configs(|_| Some(&config)).expect_err("no port");
        assert_eq!(error.place, "port");
    }
}
