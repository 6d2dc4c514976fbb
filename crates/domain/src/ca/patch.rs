//! Partial updates of authorities.

use super::{
    CaSettings, ClaimLocation, ClaimMatcher, ClaimParser, DEFAULT_NAME_FORMAT, ExternalIdClaim,
};
use crate::FieldError;
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;

/// Members of an authority to change; `None` leaves a member unchanged, except the claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaSettingsPatch {
    pub name: Option<String>,
    /// Whether holders of its certificates are enrolled automatically.
    pub is_auto_enrollment_enabled: Option<bool>,
    pub is_ott_enrollment_enabled: Option<bool>,
    /// Whether its certificates authenticate identities.
    pub is_auth_enabled: Option<bool>,
    /// Replaces the whole set.
    pub identity_roles: Option<RoleAttributes>,
    /// An empty string restores the default.
    pub identity_name_format: Option<String>,
    /// `None` removes the claim, and an empty patch keeps it: clients rely on both.
    pub external_id_claim: Option<ClaimPatch>,
    pub tags: Option<Tags>,
}

/// Members of a claim to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimPatch {
    pub location: Option<ClaimLocation>,
    pub matcher: Option<ClaimMatcher>,
    /// The prefix, suffix or scheme to match.
    pub matcher_criteria: Option<String>,
    /// How a matching name is split.
    pub parser: Option<ClaimParser>,
    /// The separator.
    pub parser_criteria: Option<String>,
    /// Zero-based index; negative numbers are rejected.
    pub index: Option<i64>,
}

impl CaSettingsPatch {
    /// Writes the set members into `settings`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when the resulting claim is invalid; see [`ClaimPatch::apply_to`].
    pub(super) fn apply(self, settings: &mut CaSettings) -> Result<(), FieldError> {
        settings.external_id_claim = match self.external_id_claim {
            Some(claim) => claim.apply_to(settings.external_id_claim.as_ref())?,
            None => None,
        };
        assign(&mut settings.name, self.name);
        assign(
            &mut settings.is_auto_enrollment_enabled,
            self.is_auto_enrollment_enabled,
        );
        assign(
            &mut settings.is_ott_enrollment_enabled,
            self.is_ott_enrollment_enabled,
        );
        assign(&mut settings.is_auth_enabled, self.is_auth_enabled);
        assign(&mut settings.identity_roles, self.identity_roles);
        assign(
            &mut settings.identity_name_format,
            self.identity_name_format.map(name_format_or_default),
        );
        assign(&mut settings.tags, self.tags);
        Ok(())
    }
}

/// The given name format, or the default if it is empty.
pub fn name_format_or_default(given: String) -> String {
    if given.is_empty() {
        DEFAULT_NAME_FORMAT.to_owned()
    } else {
        given
    }
}

impl ClaimPatch {
    /// Merges the set members into `stored` and validates the result. An empty patch changes
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on a member that is missing in both or invalid.
    pub fn apply_to(
        self,
        stored: Option<&ExternalIdClaim>,
    ) -> Result<Option<ExternalIdClaim>, FieldError> {
        if self == Self::default() {
            Ok(stored.cloned())
        } else {
            self.merged_with(stored).map(Some)
        }
    }

    /// Converts the patch to a complete claim.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on a missing or invalid member.
    pub fn into_claim(self) -> Result<ExternalIdClaim, FieldError> {
        self.merged_with(None)
    }

    fn merged_with(self, stored: Option<&ExternalIdClaim>) -> Result<ExternalIdClaim, FieldError> {
        let index = self.index.map(parse_index).transpose()?;
        let text = |given: Option<String>, stored: Option<&String>| {
            given.or_else(|| stored.cloned()).unwrap_or_default()
        };
        let claim = ExternalIdClaim {
            location: require("location", self.location.or(stored.map(|one| one.location)))?,
            matcher: require("matcher", self.matcher.or(stored.map(|one| one.matcher)))?,
            matcher_criteria: text(
                self.matcher_criteria,
                stored.map(|one| &one.matcher_criteria),
            ),
            parser: require("parser", self.parser.or(stored.map(|one| one.parser)))?,
            parser_criteria: text(self.parser_criteria, stored.map(|one| &one.parser_criteria)),
            index: index.or(stored.map(|one| one.index)).unwrap_or_default(),
        };
        claim.validate()?;
        Ok(claim)
    }
}

fn require<T>(member: &str, value: Option<T>) -> Result<T, FieldError> {
    value.ok_or_else(|| {
        FieldError::new(
            format!("externalIdClaim.{member}"),
            "is required when externalIdClaim is set",
            "",
        )
    })
}

fn parse_index(given: i64) -> Result<u32, FieldError> {
    u32::try_from(given).map_err(|_out_of_range| {
        FieldError::new(
            "externalIdClaim.index",
            "must be from 0 to 4294967295",
            given.to_string(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> CaSettings {
        CaSettings {
            is_auto_enrollment_enabled: true,
            is_auth_enabled: true,
            external_id_claim: Some(ExternalIdClaim {
                matcher: ClaimMatcher::Prefix,
                matcher_criteria: "user-".to_owned(),
                ..ExternalIdClaim::first(ClaimLocation::CommonName)
            }),
            ..CaSettings::named("partner")
        }
    }

    fn patch(claim: Option<ClaimPatch>) -> CaSettingsPatch {
        CaSettingsPatch {
            external_id_claim: claim,
            ..CaSettingsPatch::default()
        }
    }

    #[test]
    fn claim_goes_unless_the_change_mentions_it() {
        let mut kept = settings();
        patch(Some(ClaimPatch::default())).apply(&mut kept).unwrap();
        assert_eq!(kept, settings());
        let mut gone = settings();
        patch(None).apply(&mut gone).unwrap();
        assert_eq!(gone.external_id_claim, None);
        let mut none = gone.clone();
        patch(Some(ClaimPatch::default())).apply(&mut none).unwrap();
        assert_eq!(none, gone);
    }

    #[test]
    fn members_of_a_claim_are_laid_over_and_judged_together() {
        let mut changed = settings();
        let to_split = ClaimPatch {
            parser: Some(ClaimParser::Split),
            parser_criteria: Some("-".to_owned()),
            index: Some(1),
            ..ClaimPatch::default()
        };
        patch(Some(to_split)).apply(&mut changed).unwrap();
        let claim = changed.external_id_claim.unwrap();
        assert_eq!(claim.matcher_criteria, "user-");
        assert_eq!((claim.parser_criteria.as_str(), claim.index), ("-", 1));

        let base = ClaimPatch::default;
        for (change, member) in [
            (
                ClaimPatch {
                    location: Some(ClaimLocation::SanUri),
                    ..base()
                },
                "matcher",
            ),
            (
                ClaimPatch {
                    matcher_criteria: Some(String::new()),
                    ..base()
                },
                "matcherCriteria",
            ),
            (
                ClaimPatch {
                    parser: Some(ClaimParser::Split),
                    ..base()
                },
                "parserCriteria",
            ),
            (
                ClaimPatch {
                    index: Some(-1),
                    ..base()
                },
                "index",
            ),
        ] {
            let mut settings = settings();
            let before = settings.clone();
            let error = patch(Some(change.clone()))
                .apply(&mut settings)
                .unwrap_err();
            assert_eq!(error.field, format!("externalIdClaim.{member}"));
            assert_eq!(settings, before, "nothing is half-done: {change:?}");
        }
    }

    #[test]
    fn claim_by_itself_needs_place_matcher_and_parser() {
        let whole = ClaimPatch {
            location: Some(ClaimLocation::SanEmail),
            matcher: Some(ClaimMatcher::All),
            parser: Some(ClaimParser::None),
            ..ClaimPatch::default()
        };
        assert_eq!(whole.clone().into_claim().unwrap().index, 0);
        for (claim, member) in [
            (ClaimPatch::default(), "location"),
            (
                ClaimPatch {
                    matcher: None,
                    ..whole.clone()
                },
                "matcher",
            ),
            (
                ClaimPatch {
                    parser: None,
                    ..whole
                },
                "parser",
            ),
        ] {
            let error = claim.into_claim().unwrap_err();
            assert_eq!(error.field, format!("externalIdClaim.{member}"));
        }
    }

    #[test]
    fn empty_format_is_the_default() {
        let mut changed = settings();
        let change = CaSettingsPatch {
            identity_name_format: Some(String::new()),
            name: Some("other".to_owned()),
            ..CaSettingsPatch::default()
        };
        changed.identity_name_format = "[requestedName]".to_owned();
        change.apply(&mut changed).unwrap();
        assert_eq!(changed.identity_name_format, DEFAULT_NAME_FORMAT);
        assert_eq!(changed.name, "other");
    }
}
