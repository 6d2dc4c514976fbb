//! Tags, as arguments.

use clap::Args;
use portcullis_api::auth_policy::AuthPolicyPatch;
use portcullis_api::authenticator::AuthenticatorPatch;
use portcullis_api::ca::CaPatch;
use portcullis_api::config::ConfigPatch;
use portcullis_api::config_type::ConfigTypePatch;
use portcullis_api::edge_router::EdgeRouterPatch;
use portcullis_api::edge_router_policy::EdgeRouterPolicyPatch;
use portcullis_api::external_jwt_signer::ExternalJwtSignerPatch;
use portcullis_api::identity::IdentityPatch;
use portcullis_api::posture_check::PostureCheckPatch;
use portcullis_api::router::TransitRouterPatch;
use portcullis_api::service::ServicePatch;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyPatch;
use portcullis_api::service_policy::ServicePolicyPatch;
use portcullis_api::terminator::TerminatorPatch;
use portcullis_domain::tags::{TagValue, Tags};

/// A tag as typed by users. Its value is always text: no guess whether `1.10` is a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    key: String,
    value: String,
}

/// Parses `KEY=VALUE`.
fn parse_tag(text: &str) -> Result<Tag, String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok(Tag {
            key: key.to_owned(),
            value: value.to_owned(),
        }),
        _ => Err("a tag is a key and a value, such as `site=berlin`".to_owned()),
    }
}

/// Tags of a new entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct NewTagsArgs {
    /// Tag, such as `site=berlin`; can be repeated
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = parse_tag)]
    tags: Vec<Tag>,
}

impl NewTagsArgs {
    pub(crate) fn to_tags(&self) -> Tags {
        with_tags(&Tags::default(), &self.tags)
    }

    /// Adds the tags to others, which they replace if they have the same key.
    pub(crate) fn add_to(&self, tags: &Tags) -> Tags {
        with_tags(tags, &self.tags)
    }
}

/// Changes of the tags of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct TagChangesArgs {
    /// Set a tag, such as `site=berlin`, and keep the others; can be repeated
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = parse_tag)]
    tags: Vec<Tag>,

    /// Remove a tag; can be repeated
    #[arg(long, value_name = "KEY", value_parser = crate::text::parse_non_blank)]
    clear_tag: Vec<String>,
}

impl TagChangesArgs {
    pub(crate) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.clear_tag.is_empty()
    }

    /// The tags after these changes, if there are any. Controllers replace all tags at once.
    pub(crate) fn apply(&self, current: &Tags) -> Option<Tags> {
        if self.is_empty() {
            return None;
        }
        let is_kept = |key: &str| !self.clear_tag.iter().any(|cleared| cleared == key);
        let kept = current.iter().filter(|(key, _)| is_kept(key));
        let kept = kept.map(|(key, value)| (key.to_owned(), value.clone()));
        Some(with_tags(&kept.collect(), &self.tags))
    }
}

fn with_tags(current: &Tags, added: &[Tag]) -> Tags {
    let current = current.iter();
    let current = current.map(|(key, value)| (key.to_owned(), value.clone()));
    let added = added.iter();
    let added = added.map(|tag| (tag.key.clone(), TagValue::Text(tag.value.clone())));
    current.chain(added).collect()
}

/// The patch of a kind with tags.
pub(crate) trait PatchTags {
    /// Replaces all tags.
    fn set_tags(&mut self, tags: Tags);
}

macro_rules! patch_tags {
    ($($patch:ty: $($member:ident).+;)+) => {$(
        impl PatchTags for $patch {
            fn set_tags(&mut self, tags: Tags) {
                self.$($member).+ = Some(tags);
            }
        }
    )+};
}

patch_tags! {
    AuthPolicyPatch: patch.tags;
    AuthenticatorPatch: tags;
    CaPatch: tags;
    ConfigPatch: tags;
    ConfigTypePatch: tags;
    EdgeRouterPatch: router.tags;
    EdgeRouterPolicyPatch: tags;
    ExternalJwtSignerPatch: members.tags;
    IdentityPatch: options.tags;
    PostureCheckPatch: tags;
    ServiceEdgeRouterPolicyPatch: tags;
    ServicePatch: tags;
    ServicePolicyPatch: tags;
    TerminatorPatch: tags;
    TransitRouterPatch: tags;
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        changes: TagChangesArgs,
    }

    fn parse(line: &str) -> Result<TagChangesArgs, clap::Error> {
        let words = std::iter::once("x").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.changes)
    }

    #[test]
    fn other_tags_stay() {
        let held: Tags = serde_json::from_str(r#"{"a":1,"type":"user"}"#).unwrap();
        for (line, expected) in [
            ("", None),
            ("--tag b=2", Some(r#"{"a":1,"b":"2","type":"user"}"#)),
            ("--tag a=x=y", Some(r#"{"a":"x=y","type":"user"}"#)),
            ("--tag a=", Some(r#"{"a":"","type":"user"}"#)),
            ("--clear-tag a", Some(r#"{"type":"user"}"#)),
            ("--clear-tag none", Some(r#"{"a":1,"type":"user"}"#)),
            (
                "--clear-tag a --tag a=2 --tag c=3 --tag c=4",
                Some(r#"{"a":"2","c":"4","type":"user"}"#),
            ),
        ] {
            let changed = parse(line).unwrap().apply(&held);
            let changed = changed.map(|tags| serde_json::to_string(&tags).unwrap());
            assert_eq!(changed.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_tag_is_refused() {
        for line in ["--tag a", "--tag =b", "--tag=", "--clear-tag="] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
