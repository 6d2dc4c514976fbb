//! Role attributes of what policies select, as an argument.

use crate::error::CliError;
use crate::words::in_all;
use clap::Args;
use portcullis_domain::roles::RoleAttributes;

/// The role attributes of something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct AttributesArgs {
    /// All of its role attributes, by which policies select it, separated by commas; empty for none
    #[arg(short = 'a', long, value_name = "WORDS")]
    role_attributes: Option<Vec<String>>,
}

impl AttributesArgs {
    /// The role attributes, if they are given.
    pub(crate) fn read(&self) -> Result<Option<RoleAttributes>, CliError> {
        let words = self.role_attributes.as_deref().map(in_all);
        let attributes = words.map(RoleAttributes::new).transpose();
        attributes.map_err(|error| {
            CliError::usage("--role-attributes: these are not valid role attributes").because(error)
        })
    }
}

/// Writes role attributes for people.
pub(crate) fn shown(attributes: Option<&RoleAttributes>) -> String {
    let words = attributes.into_iter().flat_map(RoleAttributes::iter);
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: Option<&[&str]>) -> Result<Option<RoleAttributes>, CliError> {
        let own = |texts: &[&str]| texts.iter().copied().map(str::to_owned).collect();
        let role_attributes = texts.map(own);
        AttributesArgs { role_attributes }.read()
    }

    #[test]
    fn none_is_not_the_same_as_not_given() {
        assert_eq!(read(None).unwrap(), None);
        assert_eq!(read(Some(&[""])).unwrap(), Some(RoleAttributes::default()));
        let given = read(Some(&["c, a", "b"])).unwrap();
        assert_eq!(shown(given.as_ref()), "a, b, c");
        assert!(read(Some(&["a,#b"])).is_err() && read(Some(&["@b"])).is_err());
    }
}
