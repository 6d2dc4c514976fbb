//! Checks of packages against the policy: source, license, bans.

use super::license;
use super::policy::Policy;
use crate::graph::Package;
use std::collections::BTreeMap;

/// Checks every package; `is_member` recognizes crates of the workspace, which have no source.
pub(super) fn check(
    policy: &Policy,
    packages: &[&Package],
    is_member: impl Fn(&str) -> bool,
) -> Vec<String> {
    let usual = usual_registry(packages);
    packages
        .iter()
        .flat_map(|package| {
            let sourced = (!is_member(&package.name))
                .then(|| check_source(package, usual))
                .flatten();
            sourced
                .into_iter()
                .chain(check_license(policy, package))
                .chain(check_ban(policy, package))
        })
        .collect()
}

/// The registry of most packages, which all packages must come from.
fn usual_registry<'p>(packages: &[&'p Package]) -> Option<&'p str> {
    let mut counts = BTreeMap::new();
    for source in packages
        .iter()
        .filter_map(|package| package.source.as_deref())
    {
        if source.starts_with("registry+") {
            *counts.entry(source).or_insert(0_usize) += 1;
        }
    }
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(source, _)| source)
}

fn check_source(package: &Package, usual: Option<&str>) -> Option<String> {
    let is_usual = package.source.is_some() && package.source.as_deref() == usual;
    (!is_usual).then(|| {
        let source = package.source.as_deref().unwrap_or("a path");
        format!(
            "{} comes from {source}, not from the usual registry",
            display_name(package)
        )
    })
}

fn check_license(policy: &Policy, package: &Package) -> Option<String> {
    let Some(expression) = policy.license_of(package) else {
        return Some(format!(
            "{} names no license; clarify it in the policy",
            display_name(package)
        ));
    };
    match license::satisfies(expression, &policy.licenses.allow) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "{} has the license {expression}",
            display_name(package)
        )),
        Err(error) => Some(format!(
            "{}: license {expression}: {error}",
            display_name(package)
        )),
    }
}

fn check_ban(policy: &Policy, package: &Package) -> Option<String> {
    let ban = policy
        .bans
        .deny
        .iter()
        .find(|ban| ban.name == package.name)?;
    Some(format!(
        "{} is banned; use {}",
        display_name(package),
        ban.use_instead
    ))
}

/// Checks which features packages are built with; a ban that no package matches is a fault, so that it follows a new
/// version.
pub(super) fn check_features<'p>(
    policy: &Policy,
    packages: &[&Package],
    features: impl Fn(&Package) -> &'p [String],
) -> Vec<String> {
    policy
        .bans
        .features
        .iter()
        .flat_map(|ban| {
            let mut banned = packages.iter().filter(|p| ban.spec.matches(p)).peekable();
            let unused = banned.peek().is_none();
            let unused =
                unused.then(|| format!("no package is {}, whose features are banned", ban.spec));
            let found = banned.flat_map(|package| {
                let enabled = features(package).iter();
                enabled
                    .filter(|feature| ban.deny.contains(feature))
                    .map(|feature| {
                        format!(
                            "{} is built with the feature {feature}",
                            display_name(package)
                        )
                    })
            });
            unused.into_iter().chain(found).collect::<Vec<_>>()
        })
        .collect()
}

fn display_name(package: &Package) -> String {
    format!("{} {}", package.name, package.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn policy() -> Policy {
        toml::from_str(
            r#"
            [licenses]
            allow = ["MIT", "Apache-2.0"]
            clarify = [{ crate = "clarified", expression = "MIT" }]
            [bans]
            deny = [{ crate = "bincode", use-instead = "serde_json" }]
            features = [{ crate = "prost@1.0", deny = ["no-recursion-limit"] }]
            "#,
        )
        .unwrap()
    }

    fn package(name: &str, source: Option<&str>, license: Option<&str>) -> Package {
        serde_json::from_value(json!({
            "id": name,
            "name": name,
            "version": "1.0.0",
            "license": license,
            "source": source,
            "manifest_path": "/w/Cargo.toml",
            "dependencies": [],
            "features": {},
        }))
        .unwrap()
    }

    #[test]
    fn packages_are_judged_by_source_license_and_name() {
        let registry = Some("registry+https://example.test/usual");
        let mit = Some("MIT");
        for (name, source, license, fault) in [
            ("good", registry, mit, None),
            ("own", None, mit, None),
            ("clarified", registry, None, None),
            (
                "vendored",
                None,
                mit,
                Some("vendored 1.0.0 comes from a path"),
            ),
            (
                "git",
                Some("git+https://example.test/x"),
                mit,
                Some("not from the usual registry"),
            ),
            (
                "other",
                Some("registry+https://example.test/index"),
                mit,
                Some("not from"),
            ),
            ("nameless", registry, None, Some("names no license")),
            (
                "copyleft",
                registry,
                Some("GPL-3.0-only"),
                Some("the license GPL-3.0-only"),
            ),
            ("broken", registry, Some("MIT OR"), Some("license MIT OR:")),
            ("bincode", registry, mit, Some("is banned; use serde_json")),
        ] {
            let package = package(name, source, license);
            let others = [0, 1].map(|_| self::package("own", registry, mit));
            let packages = [&package, &others[0], &others[1]];
            let found = check(&policy(), &packages, |name| name == "own");
            match fault {
                None => assert_eq!(found, Vec::<String>::new(), "{name}"),
                Some(text) => {
                    assert_eq!(found.len(), 1, "{name}: {found:?}");
                    assert!(found[0].contains(text), "{name}: {found:?}");
                },
            }
        }
    }

    #[test]
    fn features_are_judged_for_the_version_that_the_policy_names() {
        let named = |name: &str, version: &str| {
            let mut package = package(name, None, None);
            package.version = version.to_owned();
            package
        };
        for (name, version, features, fault) in [
            ("prost", "1.0.3", vec!["std"], None),
            (
                "prost",
                "1.0.3",
                vec!["std", "no-recursion-limit"],
                Some("prost 1.0.3 is built with the feature no-recursion-limit"),
            ),
            ("prost", "1.01.0", vec![], Some("no package is prost@1.0")),
            (
                "prost-derive",
                "1.0.3",
                vec![],
                Some("no package is prost@1.0"),
            ),
        ] {
            let features: Vec<_> = features.into_iter().map(str::to_owned).collect();
            let package = named(name, version);
            let found = check_features(&policy(), &[&package], |_| &features);
            match fault {
                None => assert_eq!(found, Vec::<String>::new(), "{name} {version}"),
                Some(text) => {
                    assert_eq!(found.len(), 1, "{name} {version}: {found:?}");
                    assert!(found[0].contains(text), "{name} {version}: {found:?}");
                },
            }
        }
    }
}
