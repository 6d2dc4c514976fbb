//! The endpoints file: where controllers are, as they have said.
//!
//! OpenZiti's routers keep the same file, so one may take the place of the other.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use portcullis_router_config::model::Ctrl;
use portcullis_wire::control::address::{Controller, Endpoint};
use portcullis_yaml::{Limits, Map, Node, ParseError, SourceId, decode, parse};
use serde_json::Value;

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EndpointsFile {
    /// Addresses without the controllers that they belong to. The file of an old router has only these.
    pub endpoints: Vec<String>,
    pub controllers: Vec<Controller>,
}

/// A file is not an endpoints file.
#[derive(Debug, thiserror::Error)]
pub enum EndpointsFileError {
    #[error(transparent)]
    Yaml(#[from] ParseError),
    #[error("it is not a map with `endpoints` and `controllers`")]
    Shape,
}

/// Its name, beside the configuration.
const NAME: &str = "endpoints.yml";

impl EndpointsFile {
    /// Where it is: `ctrl.endpointsFile`, or beside the configuration in `file`.
    pub fn path(config: &Ctrl, file: &Path) -> PathBuf {
        match &config.endpoints_file {
            Some(given) => PathBuf::from(&given.value),
            None => file.with_file_name(NAME),
        }
    }

    /// The file for these controllers.
    pub fn new(controllers: Vec<Controller>) -> Self {
        let endpoints = controllers.iter().flat_map(|one| &one.endpoints);
        Self {
            endpoints: endpoints.map(|one| one.address.clone()).collect(),
            controllers,
        }
    }

    /// Reads a file. What is not as it should be is left out.
    pub fn parse(bytes: &[u8]) -> Result<Self, EndpointsFileError> {
        let text = decode(bytes, SourceId::default())?;
        let document = parse(&text, SourceId::default(), &Limits::default())?;
        let root = document.root.as_map().ok_or(EndpointsFileError::Shape)?;
        let controllers = entries(root, "controllers").iter().filter_map(controller);
        Ok(Self {
            endpoints: texts(root, "endpoints"),
            controllers: controllers.collect(),
        })
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        if self.controllers.is_empty() {
            writeln!(text, "controllers: []")?;
        } else {
            writeln!(text, "controllers:")?;
        }
        for controller in &self.controllers {
            writeln!(text, "  - id: {}", quoted(&controller.id))?;
            writeln!(text, "    endpoints:")?;
            for endpoint in &controller.endpoints {
                writeln!(text, "      - address: {}", quoted(&endpoint.address))?;
                if !endpoint.groups.is_empty() {
                    let groups: Vec<_> = endpoint.groups.iter().map(|one| quoted(one)).collect();
                    writeln!(text, "        groups: [{}]", groups.join(", "))?;
                }
            }
        }
        writeln!(text, "endpoints:")?;
        for endpoint in &self.endpoints {
            writeln!(text, "  - {}", quoted(endpoint))?;
        }
        Ok(())
    }
}

/// A text of JSON is one of YAML.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn entries<'map>(map: &'map Map, key: &str) -> &'map [Node] {
    let entry = map.get(key);
    entry
        .and_then(|entry| entry.value.as_list())
        .unwrap_or_default()
}

fn texts(map: &Map, key: &str) -> Vec<String> {
    let texts = entries(map, key).iter().filter_map(Node::as_str);
    texts.map(str::to_owned).collect()
}

fn text(map: &Map, key: &str) -> Option<String> {
    map.get(key)?.value.as_str().map(str::to_owned)
}

fn controller(node: &Node) -> Option<Controller> {
    let map = node.as_map()?;
    Some(Controller {
        id: text(map, "id").filter(|id| !id.is_empty())?,
        endpoints: entries(map, "endpoints")
            .iter()
            .filter_map(endpoint)
            .collect(),
    })
}

fn endpoint(node: &Node) -> Option<Endpoint> {
    let map = node.as_map()?;
    Some(Endpoint {
        address: text(map, "address")?,
        groups: texts(map, "groups"),
    })
}
