//! `portcullis fabric inspect`.

use super::roster::Roster;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::{self, Format};
use crate::table::pluralize;
use crate::text;
use clap::Args;
use portcullis_client::{Api, Body, Client, ClientError, Endpoint, Method};
use portcullis_domain::terminal::escape_control_characters;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_yaml::Value;

/// Help footer of `fabric inspect`.
const EXAMPLES: &str = "\
Controllers and connected routers are asked for values by name. Controllers have connected-routers,
circuits, links, terminator-costs, identity-connection-statuses, router-messaging,
router-data-model-index and stackdump; routers have links, router-circuits, router-edge-circuits,
router-sdk-circuits, sdk-terminators, ert-terminators, circuit:ID, sdk-context:IDENTITY,
router-data-model, router-controllers, metrics, config, stackdump and others.

Whoever has no value of a name says nothing of it. What could not be read is told on standard error,
and makes the command fail; the answers of the others are there.

Examples:
  portcullis fabric inspect links router-circuits
  portcullis fabric inspect config --app '^lisbon$'
  portcullis fabric inspect circuit:Xy3kQ
  portcullis fabric inspect connected-routers -o json | jq '.values[].value[].name'";

/// Arguments of `fabric inspect`.
#[derive(Debug, Args)]
#[command(about = "Look into controllers and routers", after_long_help = EXAMPLES)]
pub(crate) struct InspectArgs {
    /// Names of values, such as `links` or `circuit:ID`
    #[arg(required = true, value_name = "NAME", value_parser = text::parse_non_blank)]
    names: Vec<String>,

    /// Regular expression for ids of controllers, and ids and names of routers, of which it has to match a
    /// part
    #[arg(long, value_name = "REGEX", default_value = ".*")]
    app: String,
}

/// What was told. OpenZiti's controllers have `null` for empty lists.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Inspection {
    #[serde(deserialize_with = "or_empty")]
    pub(super) errors: Vec<String>,
    success: bool,
    #[serde(deserialize_with = "or_empty")]
    pub(super) values: Vec<InspectedValue>,
}

/// A value as it was told, its members in their order.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InspectedValue {
    app_id: String,
    name: String,
    pub(super) value: Value,
}

fn or_empty<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    let list: Option<Vec<T>> = Option::deserialize(deserializer)?;
    Ok(list.unwrap_or_default())
}

impl Verb for InspectArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let mut told = inspect(client, &self.app, &self.names).await?;
        told.values
            .sort_by(|one, other| (&one.app_id, &one.name).cmp(&(&other.app_id, &other.name)));
        match context.output.format() {
            Format::Table | Format::Wide => {
                let roster = Roster::fetch_if_allowed(client).await;
                output::write(&tree(&told.values, &roster)?)?;
            },
            _ => {
                let apps = told.values.iter().map(|value| value.app_id.as_str());
                let write_nothing = || crate::table::Table::with_properties();
                context.output.write_named(apps, &told, write_nothing)?;
            },
        }
        for error in &told.errors {
            output::warn(error);
        }
        if !told.success || !told.errors.is_empty() {
            return Err(CliError::already_reported());
        }
        if told.values.is_empty() {
            output::note(
                "nobody has told anything: either no id or name matches `--app`, or nobody has a value \
                 of this name",
            );
        }
        Ok(())
    }
}

/// Asks the controllers and routers that match.
pub(super) async fn inspect(
    client: &Client,
    app: &str,
    names: &[String],
) -> Result<Inspection, CliError> {
    let endpoint = Endpoint::new(Api::Fabric, "inspections");
    let body = Body::json(&json!({"appRegex": app, "requestedValues": names}))?;
    let reply = client.send(Method::POST, &endpoint, body).await?;
    let reply = reply.into_success().map_err(ClientError::Refused)?;
    serde_json::from_slice(&reply.body).map_err(|error| {
        CliError::failed("the controller's answer to the inspection cannot be read")
            .with_source(error)
    })
}

/// The values below the names of whoever has told them.
fn tree(values: &[InspectedValue], roster: &Roster) -> Result<String, CliError> {
    let mut tree = String::new();
    for InspectedValue {
        app_id,
        name,
        value,
    } in values
    {
        let app = match roster.get(app_id) {
            Some(known) => format!("{} ({app_id})", known.name),
            None => app_id.clone(),
        };
        let heading = escape_control_characters(&format!("{app} {name}")).replace('\n', "\\n");
        tree.push_str(&heading);
        let lines = match value {
            Value::String(text) => escape_control_characters(text),
            Value::Null => "none".to_owned(),
            Value::Sequence(items) if items.is_empty() => "none".to_owned(),
            value => output::yaml_text(value)?,
        };
        tree.push('\n');
        for line in lines.lines() {
            tree.push_str("  ");
            tree.push_str(line);
            tree.push('\n');
        }
    }
    if !values.is_empty() {
        tree.push_str(&pluralize(values.len(), "value", "values"));
        tree.push('\n');
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::fabric::roster::router;
    use insta::assert_snapshot;

    #[test]
    fn values_stand_below_who_has_told_them() {
        let told: Inspection = serde_json::from_str(
            r#"{"errors":null,"success":true,"values":[
                {"appId":"c1","name":"connected-routers","value":null},
                {"appId":"c1","name":"links","value":[]},
                {"appId":"r.1","name":"links","value":{"z":1,"a":["x",{"k":"two\nlines"}]}},
                {"appId":"r.1","name":"stack\u001b[2J","value":"one\n\u001b[2J two"}]}"#,
        )
        .unwrap();
        assert!(told.success && told.errors.is_empty());
        let roster = Roster::of([router("r.1", "lisbon", json!({}))]);
        assert_snapshot!(tree(&told.values, &roster).unwrap(), @r#"
        c1 connected-routers
          none
        c1 links
          none
        lisbon (r.1) links
          z: 1
          a:
          - x
          - k: |-
              two
              lines
        lisbon (r.1) stack\u{1b}[2J
          one
          \u{1b}[2J two
        4 values
        "#);
    }

    #[test]
    fn nothing_is_an_answer() {
        let told: Inspection =
            serde_json::from_str(r#"{"errors":["c1: bad"],"success":false,"values":null}"#)
                .unwrap();
        assert_eq!((told.errors.len(), told.values.len()), (1, 0));
        assert_eq!(tree(&told.values, &Roster::default()).unwrap(), "");
    }
}
