//! More at a time than a router takes.

use crate::circuits::{Network, confirm, next_route, next_unroute, refused};
use crate::stage::{Stage, StageOptions};
use futures_util::future::join_all;
use portcullis_channel::Priority;
use portcullis_fabric::FabricOptions;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::VerifyRouter;
use portcullis_wire::control::peer::{Listener, Listeners, PeerState};
use portcullis_wire::{ErrorCode, RetryHint};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::task::yield_now;

/// More than the queues on the way to a router that does not read take.
const BURST: usize = 4000;

/// Circuits that a router takes before it falls behind.
const TAKEN: usize = 3500;

/// More replies than the queues on the way to a router that does not read take.
const REPLIES: usize = 30_000;

/// Waits until a router has sent what it said.
async fn sent(router: &SimulatedRouter) {
    for priority in [Priority::High, Priority::Default] {
        while router.channel.queued_frames(priority) > 0 {
            yield_now().await;
        }
    }
}

#[tokio::test]
async fn dials_wait_for_a_slow_router_or_are_refused_and_cost_it_nothing() {
    let options = StageOptions {
        fabric: FabricOptions {
            max_dials_per_router: TAKEN,
            // However slow the computer is.
            route_timeout: Duration::from_mins(5),
            ..FabricOptions::default()
        },
        ..StageOptions::default()
    };
    let mut network = Network::start_with(options).await;
    let mut dials = Vec::new();
    for _ in 0..BURST {
        dials.push(network.dial());
        sent(&network.first).await;
    }
    let answers = tokio::spawn(join_all(dials));
    // The one that dials does what it is told; the other one does not even read.
    for _ in 0..TAKEN {
        let (request, route) = next_route(&mut network.first).await;
        confirm(&network.first, &request, &route);
        sent(&network.first).await;
    }
    network.first.settle().await;
    for _ in 0..TAKEN {
        let (request, route) = next_route(&mut network.second).await;
        confirm(&network.second, &request, &route);
        sent(&network.second).await;
    }
    let (mut open, mut refusals) = (BTreeSet::new(), 0);
    for answer in answers.await.unwrap() {
        if let ControlMessage::CreateTunnelCircuitAnswer(answer) = answer {
            open.insert(answer.circuit_id);
            continue;
        }
        let refusal = refused(answer);
        assert_eq!(refusal.code, Some(ErrorCode::Internal), "{refusal:?}");
        assert_eq!(refusal.retry_hint, Some(RetryHint::Busy));
        refusals += 1;
    }
    assert_eq!((open.len(), refusals), (TAKEN, BURST - TAKEN));

    // All of them end at once.
    let service = format!("services/{}", network.service);
    network.stage.delete(&service).await;
    for router in [&mut network.first, &mut network.second] {
        let mut ended = BTreeSet::new();
        while ended.len() < TAKEN {
            ended.insert(next_unroute(router).await.circuit_id);
        }
        assert_eq!(ended, open);
        assert_eq!(router.channel.close_reason(), None);
    }
    network.stage.stop().await;
}

#[tokio::test]
async fn router_that_reads_no_replies_is_heard_by_others() {
    let stage = Stage::start().await;
    let mut first = stage.connect("r1").await;
    let mut second = stage.connect("r2").await;
    let question = ControlMessage::VerifyRouter(VerifyRouter::default());
    for _ in 0..REPLIES {
        first.send(&question);
        sent(&first).await;
    }
    let listeners = Listeners {
        listeners: vec![Listener {
            address: "tls:127.0.0.1:7777".to_owned(),
            ..Listener::default()
        }],
    };
    first.send(&ControlMessage::LinkListeners(listeners));
    second
        .expect(|message| match message {
            ControlMessage::PeerStateChanges(news) => news
                .changes
                .into_iter()
                .find(|change| change.listeners[0].address.ends_with("7777")),
            _ => None,
        })
        .await;
    // And it hears what it has not asked for.
    stage.delete(&format!("edge-routers/{}", second.id)).await;
    let mut replies = 0;
    loop {
        let frame = first.next().await.expect("an open channel");
        if frame.reply_for().is_some() {
            replies += 1;
            continue;
        }
        let news = ControlMessage::decode(&frame.into_message()).unwrap();
        if let ControlMessage::PeerStateChanges(news) = news
            && news.changes[0].state == PeerState::Removed
        {
            break;
        }
    }
    assert!(replies < REPLIES, "they take turns");
    stage.stop().await;
}
