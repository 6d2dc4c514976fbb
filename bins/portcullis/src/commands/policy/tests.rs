//! Requests built from the arguments of each policy kind.

use super::create::CreateArgs;
use super::update::UpdateArgs;
use super::*;
use clap::Parser;
use portcullis_api::edge_router_policy::EdgeRouterPolicyDetail;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyDetail;
use portcullis_api::service_policy::ServicePolicyDetail;
use portcullis_client::Trust;
use serde_json::{Value, json};

#[derive(Debug, Parser)]
struct Line<P: Policy> {
    #[command(subcommand)]
    command: PolicyCommand<P>,
}

/// A client without a server.
fn client() -> Client {
    let url = "https://localhost:1".parse().unwrap();
    Client::builder(&url, Trust::exact_leaf(vec![0].into()))
        .build()
        .unwrap()
}

/// The request for a command line without names to resolve.
fn sent<P: Policy>(line: &str) -> Value {
    let words = std::iter::once("x").chain(line.split_whitespace());
    let line = Line::<P>::try_parse_from(words).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        match line.command {
            PolicyCommand::Create(verb) => {
                let CreateArgs {
                    name,
                    new,
                    semantic,
                    tags,
                } = *verb;
                let basics = PolicyBasics {
                    name,
                    semantic: semantic.into(),
                    tags: tags.to_tags(),
                };
                let body = P::create_body(&client(), basics, &new).await;
                serde_json::to_value(body.unwrap()).unwrap()
            },
            PolicyCommand::Update(verb) => {
                let UpdateArgs {
                    name,
                    changes,
                    semantic,
                    ..
                } = *verb;
                let semantic = semantic.map(Semantic::from);
                let body = P::patch_body(&client(), name.new_name, semantic, &changes).await;
                serde_json::to_value(body.unwrap()).unwrap()
            },
            _ => panic!("these are `create` and `update`"),
        }
    })
}

#[test]
fn new_policies_need_any_of_the_attributes() {
    assert_eq!(
        sent::<ServicePolicyDetail>(
            "create staff Dial --service-roles #a,#b --service-roles #c --identity-roles #all \
             -p #p"
        ),
        json!({"name": "staff", "type": "Dial", "semantic": "AnyOf", "tags": {},
            "serviceRoles": ["#a", "#b", "#c"], "identityRoles": ["#all"],
            "postureCheckRoles": ["#p"]})
    );
    assert_eq!(
        sent::<EdgeRouterPolicyDetail>("create all --edge-router-roles #all --semantic AllOf"),
        json!({"name": "all", "semantic": "AllOf", "tags": {}, "edgeRouterRoles": ["#all"],
            "identityRoles": []})
    );
    assert_eq!(
        sent::<ServiceEdgeRouterPolicyDetail>("create all --service-roles #a --semantic all-of"),
        json!({"name": "all", "semantic": "AllOf", "tags": {}, "serviceRoles": ["#a"],
            "edgeRouterRoles": []})
    );
}

#[test]
fn changes_hold_what_is_given() {
    assert_eq!(
        sent::<ServicePolicyDetail>("update staff --name people --type bind"),
        json!({"name": "people", "type": "Bind"})
    );
    assert_eq!(
        sent::<EdgeRouterPolicyDetail>("update all --identity-roles= --semantic any-of"),
        json!({"identityRoles": [], "semantic": "AnyOf"})
    );
    assert_eq!(
        sent::<ServiceEdgeRouterPolicyDetail>("update all --edge-router-roles #b"),
        json!({"edgeRouterRoles": ["#b"]})
    );
}
