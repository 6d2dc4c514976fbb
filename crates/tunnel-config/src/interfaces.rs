//! Network interfaces whose connections belong to a service.

use crate::error::{ConfigError, decode};
use serde::Deserialize;
use serde_json::Value;

/// Network interfaces whose connections belong to a service, by their names. Only a diverter can intercept there,
/// a program beside the tunneler that redirects packets before the kernel routes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interfaces(pub Vec<String>);

const INTERFACES_V1: &str = "interfaces.v1";

#[derive(Deserialize)]
struct InterfacesV1 {
    interfaces: Vec<String>,
}

impl Interfaces {
    /// What a service's configurations say about it, by type.
    ///
    /// # Errors
    ///
    /// If the configuration does not say what it should.
    pub fn from_configs<'c>(
        config_of: impl Fn(&str) -> Option<&'c Value>,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(config) = config_of(INTERFACES_V1) else {
            return Ok(None);
        };
        let config: InterfacesV1 = decode(INTERFACES_V1, config)?;
        Ok(Some(Self(config.interfaces)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn interfaces_are_read() {
        let read = |config: Value| {
            Interfaces::from_configs(|name| (name == INTERFACES_V1).then_some(&config))
        };
        let expected = Interfaces(vec!["eth0".to_owned()]);
        assert_eq!(read(json!({"interfaces": ["eth0"]})), Ok(Some(expected)));
        let error = read(json!({"interfaces": [0]})).expect_err("no name");
        assert_eq!(error.place, "interfaces[0]");
        assert_eq!(Interfaces::from_configs(|_| None), Ok(None));
    }
}
