//! `--role-attributes`.

use crate::commands::role_attributes::HasRoleAttributes;
use crate::completion::Values;
use crate::error::CliError;
use crate::text::split_all_commas;
use clap::{Arg, Args};
use portcullis_domain::roles::RoleAttributes;

/// Role attributes of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct AttributesArgs {
    /// Comma-separated role attributes, by which policies select it; empty for none
    #[arg(short = 'a', long, value_name = "WORDS")]
    role_attributes: Option<Vec<String>>,
}

impl AttributesArgs {
    /// Parsed role attributes, if given.
    pub(crate) fn parse(&self) -> Result<Option<RoleAttributes>, CliError> {
        let words = self.role_attributes.as_deref().map(split_all_commas);
        let attributes = words.map(RoleAttributes::new).transpose();
        attributes.map_err(|error| {
            CliError::usage("--role-attributes: invalid role attributes").with_source(error)
        })
    }
}

/// Lets `--role-attributes` be completed from the attributes of a kind of entity.
pub(crate) fn completed_from<B: HasRoleAttributes>(arg: Arg) -> Arg {
    arg.add(Values::Attributes(B::OWNER))
}

/// Formats role attributes for tables.
pub(crate) fn display(attributes: Option<&RoleAttributes>) -> String {
    let words = attributes.into_iter().flat_map(RoleAttributes::iter);
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: Option<&[&str]>) -> Result<Option<RoleAttributes>, CliError> {
        let own = |texts: &[&str]| texts.iter().copied().map(str::to_owned).collect();
        let role_attributes = texts.map(own);
        AttributesArgs { role_attributes }.parse()
    }

    #[test]
    fn none_is_not_the_same_as_not_given() {
        assert_eq!(read(None).unwrap(), None);
        assert_eq!(read(Some(&[""])).unwrap(), Some(RoleAttributes::default()));
        let given = read(Some(&["c, a", "b"])).unwrap();
        assert_eq!(display(given.as_ref()), "a, b, c");
        assert!(read(Some(&["a,#b"])).is_err() && read(Some(&["@b"])).is_err());
    }
}
