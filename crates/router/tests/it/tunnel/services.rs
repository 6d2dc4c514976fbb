//! Which services the router's own identity may use.

use crate::access::network::{Truth, creation, identity, insert, service};
use crate::access::world::World;
use portcullis_data_model::{Entity, Policy};
use portcullis_domain::identity::Precedence;
use portcullis_router::tunnel::{IdentityServices, ServiceNews};
use portcullis_tunneler::{HostingTerms, Service as TunnelerService};
use portcullis_wire::Precedence as WirePrecedence;
use portcullis_wire::control::data_model::{
    Config, ConfigType, Identity, PolicyType, RelatedEntity, Service, ServiceConfigs,
    ServicePolicy, ServicePolicyChange, Subject,
};
use serde_json::json;

const ROUTER: &str = "router";

fn config(id: &str, data: &str) -> Entity {
    Entity::Config(Config {
        id: id.to_owned(),
        type_id: "type".to_owned(),
        name: id.to_owned(),
        data_json: data.to_owned().into(),
    })
}

fn router() -> Identity {
    Identity {
        default_hosting_precedence: WirePrecedence::Required,
        default_hosting_cost: 70_000,
        service_hosting_costs: [("wiki".to_owned(), 7)].into(),
        app_data_json: portcullis_wire::Secret::new(r#"{"site":"north","floor":3}"#.into()),
        service_configs: [(
            "wiki".to_owned(),
            ServiceConfigs {
                configs: [("type".to_owned(), "own".to_owned())].into(),
            },
        )]
        .into(),
        ..identity(ROUTER)
    }
}

fn policy(id: &str, policy_type: PolicyType, services: &[&str]) -> Entity {
    Entity::Policy(Policy {
        id: id.to_owned(),
        name: id.to_owned(),
        policy_type,
        services: services.iter().map(|&id| id.to_owned()).collect(),
        posture_checks: ["unknown".to_owned()].into(),
        identities: [ROUTER.to_owned()].into(),
    })
}

/// A router that may dial one service and host another one.
fn network() -> Truth {
    let mut truth = Truth::new();
    insert(
        &mut truth,
        Entity::ConfigType(ConfigType {
            id: "type".to_owned(),
            name: "host.v1".to_owned(),
            target: "service".to_owned(),
        }),
    );
    insert(&mut truth, config("usual", r#"{"port":1}"#));
    insert(&mut truth, config("own", r#"{"port":2}"#));
    for id in ["wiki", "mail", "other"] {
        let service = Service {
            configs: vec!["usual".to_owned()],
            requires_encryption: id == "wiki",
            ..service(id)
        };
        insert(&mut truth, Entity::Service(service));
    }
    insert(&mut truth, Entity::Identity(Box::new(router())));
    insert(&mut truth, Entity::Identity(Box::new(identity("alice"))));
    insert(&mut truth, policy("dial", PolicyType::Dial, &["wiki"]));
    insert(
        &mut truth,
        policy("bind", PolicyType::Bind, &["wiki", "mail"]),
    );
    truth
}

/// A world, and what its router is told at first.
fn start(truth: &Truth) -> (World, IdentityServices, Vec<ServiceNews>) {
    let world = World::new(truth);
    let mut services = IdentityServices::new(ROUTER);
    let news = services.update(world.control.model());
    (world, services, news)
}

fn changed(news: &[ServiceNews]) -> Vec<&TunnelerService> {
    let changed = news.iter().filter_map(|news| match news {
        ServiceNews::Changed(service) => Some(&**service),
        _ => None,
    });
    changed.collect()
}

#[test]
fn services_have_what_counts_for_the_identity() {
    let (_world, services, news) = start(&network());
    assert!(services.has_identity());
    let ServiceNews::Identity(Some(known)) = &news[0] else {
        panic!("{news:?}");
    };
    assert_eq!(known.identity.name, "name of router");
    assert_eq!(known.identity.app_data["site"], "north");
    assert_eq!(known.identity.app_data["floor"], "3");
    assert_eq!(known.terms, (Precedence::Required, u16::MAX));

    let [mail, wiki] = changed(&news)[..] else {
        panic!("{news:?}");
    };
    assert_eq!((mail.may_dial, mail.may_host), (false, true));
    assert_eq!(mail.configs["host.v1"], json!({"port": 1}));
    assert_eq!((wiki.may_dial, wiki.may_host), (true, true));
    assert!(wiki.is_encrypted);
    assert_eq!(&*wiki.name, "name of wiki");
    assert_eq!(wiki.configs["host.v1"], json!({"port": 2}), "its own");
    let terms = HostingTerms {
        precedence: None,
        cost: Some(7),
    };
    assert_eq!(wiki.terms, terms);
}

#[test]
fn only_what_has_changed_is_told() {
    let mut truth = network();
    let (mut world, mut services, _) = start(&truth);
    assert_eq!(services.update(world.control.model()), []);

    let usual = config("usual", r#"{"port":3}"#);
    insert(&mut truth, usual);
    let _ = world.replace(&truth);
    let news = services.update(world.control.model());
    let [mail] = changed(&news)[..] else {
        panic!("the wiki has a configuration of its own: {news:?}");
    };
    assert_eq!(mail.configs["host.v1"], json!({"port": 3}));

    insert(&mut truth, policy("bind", PolicyType::Bind, &["mail"]));
    let _ = world.replace(&truth);
    let news = services.update(world.control.model());
    let [wiki] = changed(&news)[..] else {
        panic!("{news:?}");
    };
    assert_eq!((wiki.may_dial, wiki.may_host), (true, false));

    insert(&mut truth, policy("dial", PolicyType::Dial, &["other"]));
    let _ = world.replace(&truth);
    let news = services.update(world.control.model());
    assert_eq!(news[0], ServiceNews::Gone("wiki".into()));
    assert_eq!(changed(&news).len(), 1);
}

#[test]
fn nothing_is_left_without_the_identity() {
    let mut truth = network();
    let (mut world, mut services, _) = start(&truth);
    let disabled = Identity {
        is_disabled: true,
        ..router()
    };
    insert(&mut truth, Entity::Identity(Box::new(disabled)));
    let _ = world.replace(&truth);
    let expected = [
        ServiceNews::Identity(None),
        ServiceNews::Gone("mail".into()),
        ServiceNews::Gone("wiki".into()),
    ];
    assert_eq!(services.update(world.control.model()), expected);
    assert!(!services.has_identity());
}

/// What others may do is no reason to look.
#[test]
fn changes_of_others_are_passed_over() {
    let mut world = World::new(&network());
    world.control.watch_own_services(ROUTER.into());
    let mut tells = |subjects: Vec<Subject>| {
        let events = subjects.into_iter().map(creation).collect();
        world.change(events).has_changed_own_services
    };
    let policy = |id: &str| {
        Subject::ServicePolicy(Box::new(ServicePolicy {
            id: id.to_owned(),
            name: id.to_owned(),
            policy_type: PolicyType::Dial,
        }))
    };
    let adds = |policy: &str, entity_type, id: &str| {
        Subject::ServicePolicyChange(Box::new(ServicePolicyChange {
            policy_id: policy.to_owned(),
            entity_ids: vec![id.to_owned()],
            entity_type,
            adds: true,
        }))
    };
    let hers = vec![
        policy("hers"),
        adds("hers", RelatedEntity::Service, "other"),
        adds("hers", RelatedEntity::Identity, "alice"),
    ];
    assert!(!tells(hers));
    let alice = Subject::Identity(Box::new(identity("alice")));
    assert!(!tells(vec![alice]));
    let other = Subject::Service(Box::new(service("other")));
    assert!(!tells(vec![other.clone()]));

    assert!(tells(vec![adds("dial", RelatedEntity::Service, "other")]));
    assert!(tells(vec![other]), "it is a service of the router now");
    let renamed = Subject::Identity(Box::new(identity(ROUTER)));
    assert!(tells(vec![renamed]));
    assert!(tells(vec![adds("hers", RelatedEntity::Identity, ROUTER)]));
}
