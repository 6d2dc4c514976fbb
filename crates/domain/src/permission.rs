//! Permissions of non-administrators on the management API.

use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Declares the subjects of permissions: kinds of entities and what is not stored.
macro_rules! subjects {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        name: $name:literal,
        subject: ($($subject:ident $may_grant:ident)?),
        $($rest:tt)*
    })+) => {
        /// The subject of a permission.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Subject {
            /// The controllers of the network.
            Controllers,
            /// Operation: API sessions, sessions, links, circuits.
            Ops,
            $($(
                #[doc = $doc]
                $subject,
            )?)+
        }

        /// All subjects with the verbs that can be granted on them; some have none.
        const GRANTABLE_VERBS: &[(Subject, &[Verb])] = &[
            (Subject::Controllers, &[Verb::Read]),
            (Subject::Ops, &[Verb::Read, Verb::Update, Verb::Delete]),
            $($((Subject::$subject, verbs!($may_grant)),)?)+
        ];

        impl Subject {
            /// Name on the wire.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Controllers => "controllers",
                    Self::Ops => "ops",
                    $($(Self::$subject => $name,)?)+
                }
            }
        }
    };
}

macro_rules! verbs {
    (granted) => {
        &[Verb::Read, Verb::Create, Verb::Update, Verb::Delete]
    };
    (ungranted) => {
        &[]
    };
}

crate::for_each_kind!(subjects);

/// The verb of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Read one or a list.
    Read,
    /// Create.
    Create,
    /// Replace or patch.
    Update,
    /// Delete.
    Delete,
}

impl Verb {
    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

fn grantable_subjects() -> impl Iterator<Item = (Subject, &'static [Verb])> {
    let subjects = GRANTABLE_VERBS.iter().copied();
    subjects.filter(|(_, verbs)| !verbs.is_empty())
}

const ADMIN_READ_ONLY: &str = "admin_readonly";

/// A grantable permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Permission {
    /// `admin_readonly`: read access to everything.
    AdminReadOnly,
    /// `<subject>`: all verbs on the subject.
    All(Subject),
    /// `<subject>.<verb>`.
    One(Subject, Verb),
}

impl Permission {
    /// All grantable permissions, in API order: by the names of their subjects.
    pub fn grantable() -> impl Iterator<Item = Self> {
        let mut subjects: Vec<_> = grantable_subjects().collect();
        subjects.sort_unstable_by_key(|(subject, _)| subject.name());
        let of_subjects = subjects.into_iter().flat_map(|(subject, verbs)| {
            std::iter::once(Self::All(subject))
                .chain(verbs.iter().map(move |&verb| Self::One(subject, verb)))
        });
        std::iter::once(Self::AdminReadOnly).chain(of_subjects)
    }

    /// Finds a grantable permission by name.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == ADMIN_READ_ONLY {
            return Some(Self::AdminReadOnly);
        }
        let (subject, verb) = match name.split_once('.') {
            Some((subject, verb)) => (subject, Some(verb)),
            None => (name, None),
        };
        let (subject, verbs) = grantable_subjects().find(|(known, _)| known.name() == subject)?;
        match verb {
            None => Some(Self::All(subject)),
            Some(verb) => verbs
                .iter()
                .find(|known| known.name() == verb)
                .map(|&verb| Self::One(subject, verb)),
        }
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AdminReadOnly => formatter.write_str(ADMIN_READ_ONLY),
            Self::All(subject) => formatter.write_str(subject.name()),
            Self::One(subject, verb) => write!(formatter, "{}.{}", subject.name(), verb.name()),
        }
    }
}

/// The permissions of an identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct PermissionSet(BTreeSet<Permission>);

impl PermissionSet {
    /// Parses the set from names on the wire.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `permissions.<position>` for an unknown name, listing the valid ones.
    pub fn from_names<N: AsRef<str>>(
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, FieldError> {
        names
            .into_iter()
            .enumerate()
            .map(|(position, name)| {
                Permission::from_name(name.as_ref()).ok_or_else(|| {
                    let all: Vec<_> = Permission::grantable().map(|p| p.to_string()).collect();
                    FieldError::new(
                        format!("permissions.{position}"),
                        format!("must be one of {}", all.join(", ")),
                        name.as_ref(),
                    )
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names on the wire, sorted by bytes.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.0.iter().map(Permission::to_string).collect();
        names.sort_unstable();
        names
    }

    /// Whether it grants `verb` on `subject`.
    pub fn grants(&self, subject: Subject, verb: Verb) -> bool {
        self.grants_explicitly(subject, verb) || (verb == Verb::Read && self.can_read_all())
    }

    /// Whether a permission on `subject` itself grants `verb`; `admin_readonly` does not count.
    pub fn grants_explicitly(&self, subject: Subject, verb: Verb) -> bool {
        self.0.contains(&Permission::All(subject))
            || self.0.contains(&Permission::One(subject, verb))
    }

    /// Whether the permission on `subject` as a whole is among them.
    pub fn grants_whole(&self, subject: Subject) -> bool {
        self.0.contains(&Permission::All(subject))
    }

    /// Whether it grants everything that `other` grants.
    pub fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|permission| match *permission {
            Permission::AdminReadOnly => self.can_read_all(),
            Permission::All(subject) => self.0.contains(&Permission::All(subject)),
            Permission::One(subject, verb) => self.grants(subject, verb),
        })
    }

    /// Whether it contains `admin_readonly`.
    pub fn can_read_all(&self) -> bool {
        self.0.contains(&Permission::AdminReadOnly)
    }
}

impl TryFrom<Vec<String>> for PermissionSet {
    type Error = FieldError;

    fn try_from(names: Vec<String>) -> Result<Self, FieldError> {
        Self::from_names(names)
    }
}

impl From<PermissionSet> for Vec<String> {
    fn from(set: PermissionSet) -> Self {
        set.names()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_permissions_correspond() {
        let all: Vec<_> = Permission::grantable().collect();
        assert_eq!(all.len(), 1 + 14 * 5 + 4 + 2);
        for permission in all {
            assert_eq!(
                Permission::from_name(&permission.to_string()),
                Some(permission)
            );
        }
        for none in [
            "admin",
            "authenticator",
            "revocation.read",
            "ops.create",
            "fly",
            "",
        ] {
            assert_eq!(Permission::from_name(none), None, "{none}");
        }
    }

    #[test]
    fn subjects_are_in_api_order() {
        let mut subjects: Vec<_> = Permission::grantable()
            .filter_map(|permission| match permission {
                Permission::All(subject) => Some(subject.name()),
                _ => None,
            })
            .collect();
        let expected = subjects.clone();
        subjects.sort_unstable();
        assert_eq!(subjects, expected);
        assert_eq!(subjects.first(), Some(&"auth-policy"));
        assert_eq!(subjects.last(), Some(&"terminator"));
    }

    #[test]
    fn set_is_sorted_by_name_and_without_repetition() {
        let set = PermissionSet::from_names(["identity.read", "ca", "identity.read"]).unwrap();
        assert_eq!(set.names(), ["ca", "identity.read"]);
    }

    #[test]
    fn cover_is_about_what_is_granted() {
        let set = |names: &[&str]| PermissionSet::from_names(names).unwrap();
        for (holder, other, covers) in [
            (&["identity"][..], &["identity.read", "identity"][..], true),
            (&["identity.read"], &["identity"], false),
            (
                &["admin_readonly"],
                &["identity.read", "admin_readonly"],
                true,
            ),
            (&["admin_readonly"], &["identity.update"], false),
            (&["identity"], &["admin_readonly"], false),
            (&[], &[], true),
        ] {
            assert_eq!(
                set(holder).covers(&set(other)),
                covers,
                "{holder:?} {other:?}"
            );
        }
    }

    #[test]
    fn unknown_name_is_refused_by_position() {
        let error = PermissionSet::from_names(["ca", "fly"]).unwrap_err();
        assert_eq!(
            (error.field.as_str(), error.value.as_str()),
            ("permissions.1", "fly")
        );
    }

    #[test]
    fn grants_follow_the_hierarchy() {
        let broad = PermissionSet::from_names(["identity"]).unwrap();
        let narrow = PermissionSet::from_names(["identity.read"]).unwrap();
        let reader = PermissionSet::from_names(["admin_readonly"]).unwrap();
        assert!(broad.grants(Subject::Identity, Verb::Delete));
        assert!(!broad.grants(Subject::Service, Verb::Read));
        assert!(narrow.grants(Subject::Identity, Verb::Read));
        assert!(!narrow.grants(Subject::Identity, Verb::Update));
        assert!(reader.grants(Subject::Revocation, Verb::Read));
        assert!(!reader.grants(Subject::Identity, Verb::Update));
    }
}
