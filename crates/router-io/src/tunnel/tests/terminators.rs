//! Terminators at the controller.

use portcullis_tunnel_config::Protocol;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{Identity, RelatedEntity, Subject};
use portcullis_wire::control::terminator::{TerminatorToValidate, ValidateTerminators};

use super::world::{ENCRYPTED, PLAIN, ROUTER, World, creation, echo_server, relation};

async fn hosting() -> World {
    let world = World::start(Protocol::Tcp, echo_server().await).await;
    for service in [PLAIN, ENCRYPTED] {
        world.controller.until_hosted(service).await;
    }
    world
}

#[tokio::test]
async fn terminator_has_the_same_id_when_it_comes_back() {
    let world = hosting().await;
    let before = world.controller.terminators(PLAIN);
    let change = |adds| {
        let relation = relation("bind", RelatedEntity::Service, &[PLAIN], adds);
        world.controller.change(vec![creation(relation)]);
    };
    change(false);
    world
        .controller
        .until(|controller| controller.terminators(PLAIN).is_empty())
        .await;
    change(true);
    world.controller.until_hosted(PLAIN).await;
    assert_eq!(world.controller.terminators(PLAIN), before);
    world.end().await;
}

#[tokio::test]
async fn cost_is_changed_without_another_terminator() {
    let world = hosting().await;
    let before = world.controller.terminators(PLAIN);
    let identity = Identity {
        id: ROUTER.to_owned(),
        name: ROUTER.to_owned(),
        service_hosting_costs: [(PLAIN.to_owned(), 9)].into(),
        ..Identity::default()
    };
    let identity = Subject::Identity(Box::new(identity));
    world.controller.change(vec![creation(identity)]);
    world
        .controller
        .until(|controller| {
            controller.heard().iter().any(|heard| {
                matches!(heard, ControlMessage::UpdateTunnelTerminator(update)
                    if update.terminator_id == before[0] && update.cost == 9)
            })
        })
        .await;
    assert_eq!(world.controller.terminators(PLAIN), before);
    world.end().await;
}

#[tokio::test]
async fn controller_that_asks_is_told_what_there_is() {
    let world = hosting().await;
    let known = world.controller.terminators(PLAIN).remove(0);
    let asked = |id: &str| TerminatorToValidate {
        id: id.to_owned(),
        binding: "tunnel".to_owned(),
        ..TerminatorToValidate::default()
    };
    let question = ControlMessage::ValidateTerminators(ValidateTerminators {
        terminators: vec![asked(&known), asked("left over")],
        ..ValidateTerminators::default()
    });
    let answer = world.controller.ask(&question).await;
    let answer = ControlMessage::decode(&answer.into_message()).unwrap();
    let ControlMessage::ValidatedTerminators(answer) = answer else {
        panic!("{answer:?}");
    };
    assert!(answer.states[&known].is_valid);
    assert!(!answer.states["left over"].is_valid);
    world.end().await;
}

#[tokio::test]
async fn nothing_is_hosted_without_the_identity() {
    let world = hosting().await;
    let identity = Identity {
        id: ROUTER.to_owned(),
        is_disabled: true,
        ..Identity::default()
    };
    let identity = Subject::Identity(Box::new(identity));
    world.controller.change(vec![creation(identity)]);
    world
        .controller
        .until(|controller| {
            let mut services = [PLAIN, ENCRYPTED].iter();
            services.all(|service| controller.terminators(service).is_empty())
        })
        .await;
    world.end().await;
}
