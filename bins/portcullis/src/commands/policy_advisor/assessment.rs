//! Assessments of policy advice.

use super::problem::Problem;
use crate::column::{Column, Tabular};
use crate::text::yes_or_no;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::link::EntityRef;
use portcullis_api::policy_advice::{PolicyAdvice, RouterEntityRef};
use portcullis_api::service::ServiceDetail;
use serde::Serialize;

/// Assessment of a policy advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Assessment {
    /// The identity; `None` for a service that nobody may use.
    pub(super) identity: Option<NamedEntity>,
    /// The service; `None` for an identity that may use none.
    pub(super) service: Option<NamedEntity>,
    /// Whether the identity may dial.
    pub(super) is_dial_allowed: bool,
    /// Whether the identity may bind.
    pub(super) is_bind_allowed: bool,
    /// Whether the allowed access is possible.
    pub(super) works: bool,
    /// The edge routers that both may use.
    pub(super) common_routers: Vec<CommonRouter>,
    /// Problems that prevent access.
    pub(super) problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct NamedEntity {
    pub(super) id: String,
    pub(super) name: String,
}

/// An edge router that both may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommonRouter {
    #[serde(flatten)]
    party: NamedEntity,
    is_online: bool,
}

impl NamedEntity {
    pub(super) fn new(id: &str, name: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
        }
    }
}

impl From<&EntityRef> for NamedEntity {
    fn from(reference: &EntityRef) -> Self {
        Self::new(&reference.id, &reference.name)
    }
}

impl From<&RouterEntityRef> for CommonRouter {
    fn from(common: &RouterEntityRef) -> Self {
        Self {
            party: NamedEntity::from(&common.router),
            is_online: common.is_online,
        }
    }
}

impl From<&PolicyAdvice> for Assessment {
    fn from(advice: &PolicyAdvice) -> Self {
        let problems = Problem::detect(advice);
        let common = advice.common_routers.iter().flatten();
        Self {
            identity: Some(NamedEntity::from(&advice.identity)),
            service: Some(NamedEntity::from(&advice.service)),
            is_dial_allowed: advice.is_dial_allowed,
            is_bind_allowed: advice.is_bind_allowed,
            works: problems.is_empty(),
            common_routers: common.map(CommonRouter::from).collect(),
            problems,
        }
    }
}

impl Tabular for Assessment {
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::new("identity", "identity", |verdict: &Self, _| {
                name(verdict.identity.as_ref()).into()
            }),
            Column::new("service", "service", |verdict, _| {
                name(verdict.service.as_ref()).into()
            }),
            Column::new("allowed", "allowed", |verdict, _| verdict.allowed().into()),
            Column::new("works", "works", |verdict, _| {
                yes_or_no(verdict.works).into()
            }),
            Column::new("problems", "why not", |verdict, _| verdict.reasons().into()),
            Column::new(
                "commonRouters",
                "edge routers of both",
                |verdict: &Self, _| verdict.routers().into(),
            )
            .wide(),
        ]
    }
}

fn name(party: Option<&NamedEntity>) -> &str {
    party.map_or("", |party| &party.name)
}

impl Assessment {
    /// Assessment of an identity that may use no service.
    pub(super) fn without_service(identity: &IdentityDetail) -> Self {
        Self {
            identity: Some(NamedEntity::new(identity.base.id.as_str(), &identity.name)),
            ..Self::from_problem(Problem::NoServiceGranted)
        }
    }

    /// Assessment of a service that nobody may use.
    pub(super) fn without_identity(service: &ServiceDetail) -> Self {
        Self {
            service: Some(NamedEntity::new(service.base.id.as_str(), &service.name)),
            ..Self::from_problem(Problem::NoIdentityGranted)
        }
    }

    fn from_problem(problem: Problem) -> Self {
        Self {
            identity: None,
            service: None,
            is_dial_allowed: false,
            is_bind_allowed: false,
            works: false,
            common_routers: Vec::new(),
            problems: vec![problem],
        }
    }

    /// The allowed access.
    pub(super) fn allowed(&self) -> &'static str {
        match (self.is_dial_allowed, self.is_bind_allowed) {
            (true, true) => "dial and bind",
            (true, false) => "dial",
            (false, true) => "bind",
            (false, false) => "nothing",
        }
    }

    /// One-sentence summary.
    pub(super) fn summary(&self) -> String {
        let identity = name(self.identity.as_ref());
        let service = name(self.service.as_ref());
        if !self.is_dial_allowed && !self.is_bind_allowed {
            return format!("`{identity}` may neither dial nor bind `{service}`.");
        }
        let allowed = self.allowed();
        if self.works {
            format!("`{identity}` can {allowed} `{service}`.")
        } else {
            format!("`{identity}` may {allowed} `{service}`, but cannot.")
        }
    }

    /// The common edge routers for tables.
    pub(super) fn routers(&self) -> String {
        let shown = self.common_routers.iter().map(|router| {
            let state = if router.is_online {
                "online"
            } else {
                "offline"
            };
            format!("{} ({state})", router.party.name)
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// All problems in one line.
    pub(super) fn reasons(&self) -> String {
        let words: Vec<_> = self.problems.iter().map(Problem::message).collect();
        words.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The assessment of an advice with these grants, numbers of routers and common routers.
    fn verdict(grants: (bool, bool), counts: (u32, u32), common: &[(&str, bool)]) -> Assessment {
        let reference =
            |id: &str, name: &str| json!({"_links": {}, "entity": "x", "id": id, "name": name});
        let routers: Vec<Value> = common
            .iter()
            .map(|(name, is_online)| {
                let mut router = reference("r", name);
                router["isOnline"] = json!(is_online);
                router
            })
            .collect();
        let advice = json!({
            "commonRouters": Some(routers).filter(|routers| !routers.is_empty()),
            "identity": reference("i1", "anna"), "identityId": "i1",
            "service": reference("s1", "wiki"), "serviceId": "s1",
            "isDialAllowed": grants.0, "isBindAllowed": grants.1,
            "identityRouterCount": counts.0, "serviceRouterCount": counts.1,
        });
        let advice: PolicyAdvice = serde_json::from_value(advice).unwrap();
        Assessment::from(&advice)
    }

    #[test]
    fn one_common_router_online_is_enough() {
        let routers = [("r1", false), ("r2", true)];
        let verdict = verdict((true, false), (2, 3), &routers);
        assert!(verdict.works);
        assert_eq!(verdict.summary(), "`anna` can dial `wiki`.");
        assert_eq!(verdict.routers(), "r1 (offline), r2 (online)");
        assert_eq!(verdict.reasons(), "");
    }

    #[test]
    fn what_is_missing_is_told() {
        for (grants, counts, common, sentence, why) in [
            (
                (false, false),
                (1, 1),
                &[("r1", true)][..],
                "`anna` may neither dial nor bind `wiki`.",
                "no service policy lets the identity dial or bind the service",
            ),
            (
                (true, true),
                (0, 1),
                &[],
                "`anna` may dial and bind `wiki`, but cannot.",
                "no edge-router policy gives the identity an edge router",
            ),
            (
                (false, true),
                (1, 0),
                &[],
                "`anna` may bind `wiki`, but cannot.",
                "no service-edge-router policy gives the service an edge router",
            ),
            (
                (true, false),
                (2, 1),
                &[],
                "`anna` may dial `wiki`, but cannot.",
                "the identity may use 2 edge routers, the service 1 edge router, with none in \
                 common",
            ),
            (
                (true, false),
                (2, 2),
                &[("r1", false), ("r2", false)],
                "`anna` may dial `wiki`, but cannot.",
                "no edge router that both may use is online: r1, r2",
            ),
        ] {
            let verdict = verdict(grants, counts, common);
            assert_eq!(
                (verdict.summary().as_str(), verdict.reasons().as_str()),
                (sentence, why)
            );
            assert!(!verdict.works);
        }
    }

    #[test]
    fn everything_that_is_missing_is_told_at_once() {
        let verdict = verdict((false, false), (0, 0), &[]);
        assert_eq!(
            verdict.problems,
            [
                Problem::NotGranted,
                Problem::IdentityWithoutRouter,
                Problem::ServiceWithoutRouter,
            ]
        );
        assert_eq!(verdict.reasons().matches("; ").count(), 2);
    }

    #[test]
    fn programs_read_the_same() {
        let verdict = verdict((true, false), (1, 1), &[("r1", false)]);
        assert_eq!(
            serde_json::to_value(&verdict).unwrap(),
            json!({
                "identity": {"id": "i1", "name": "anna"},
                "service": {"id": "s1", "name": "wiki"},
                "isDialAllowed": true, "isBindAllowed": false, "works": false,
                "commonRouters": [{"id": "r", "name": "r1", "isOnline": false}],
                "problems": ["no edge router that both may use is online: r1"],
            })
        );
    }
}
