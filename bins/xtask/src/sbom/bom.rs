//! Used part of the CycloneDX 1.5 format.

use crate::graph::Package;
use serde::Serialize;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bom {
    #[serde(rename = "bomFormat")]
    format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: Metadata,
    components: Vec<Component>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Serialize)]
struct Metadata {
    component: Component,
}

#[derive(Debug, Serialize)]
pub(super) struct Component {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    version: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<License>,
    /// Absent for crates of the workspace, which are not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
}

#[derive(Debug, Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

#[derive(Debug, Serialize)]
struct License {
    expression: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Dependency {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: Vec<String>,
}

/// Reference to a package within the document.
pub(super) fn reference(package: &Package) -> String {
    format!("{}@{}", package.name, package.version)
}

impl Bom {
    pub(super) fn new(
        program: Component,
        components: Vec<Component>,
        dependencies: Vec<Dependency>,
    ) -> Self {
        Self {
            format: "CycloneDX",
            spec_version: "1.5",
            version: 1,
            metadata: Metadata { component: program },
            components,
            dependencies,
        }
    }
}

impl Component {
    pub(super) fn new(package: &Package, license: Option<&str>, checksum: Option<String>) -> Self {
        let Package { name, version, .. } = package;
        // A plus would be read as a space.
        let escaped = version.replace('+', "%2B");
        let purl = format!("pkg:cargo/{name}@{escaped}");
        let hash = checksum.map(|content| Hash {
            alg: "SHA-256",
            content,
        });
        let named = license.map(|expression| License {
            // Manifests from before SPDX have a slash.
            expression: expression
                .split('/')
                .map(str::trim)
                .collect::<Vec<_>>()
                .join(" OR "),
        });
        Self {
            kind: "library",
            reference: reference(package),
            name: name.clone(),
            version: version.clone(),
            hashes: hash.into_iter().collect(),
            licenses: named.into_iter().collect(),
            purl: package.source.is_some().then_some(purl),
        }
    }

    pub(super) fn into_program(self) -> Self {
        let kind = "application";
        Self { kind, ..self }
    }
}

impl Dependency {
    pub(super) fn new(package: &Package, depends_on: Vec<String>) -> Self {
        let reference = reference(package);
        Self {
            reference,
            depends_on,
        }
    }
}
