//! Inspection of the controller and of routers.

mod expression;
mod metrics;
mod names;
mod own;
mod redaction;
mod routers;
mod selection;

use self::names::RequestedNames;
use crate::app::App;
use crate::blocking::run_blocking;
use crate::error::{AppError, TooManyRequestsError};
use crate::state::HeldValues;
use portcullis_domain::view::InspectedValue;
use std::sync::Arc;
use std::time::Duration;

/// How long routers have. What has come until then is shown, within the time that a request has.
const TIME: Duration = Duration::from_secs(8);

/// What an inspection shows.
#[derive(Debug)]
pub struct Inspection {
    /// Those of the controller, in the order of the request, then those of routers by their ids.
    pub values: Vec<AppValue>,
    /// Why values are missing, each text with the id of who does not tell.
    pub errors: Vec<String>,
    /// The memory of the values, to be kept as long as they are.
    pub held: HeldValues,
}

/// A value of the controller or of a router, without tokens and secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppValue {
    /// Id of the controller or router.
    pub app_id: String,
    /// As it was requested.
    pub name: String,
    pub value: InspectedValue,
}

/// Inspects the controller, if its id matches an expression, and connected routers whose ids or names
/// match. Routers are asked at the same time; of those that do not answer within 8 s, `errors` tells.
///
/// Letter case of names does not matter. Whoever has no value of a name says nothing of it, unless
/// nobody knows such a name. An expression that is invalid selects nobody, and `errors` tells why.
///
/// # Errors
///
/// [`AppError::Field`] for too many values;
/// [`TooManyRequestsError::RateLimit`] while too many inspections are under way.
pub async fn inspect(
    app: &Arc<App>,
    expression: &str,
    names: &[String],
) -> Result<Inspection, AppError> {
    let names = RequestedNames::parse(names)?;
    let _place = app
        .inspection_room
        .enter()
        .ok_or(TooManyRequestsError::RateLimit {
            rule: "too many inspections are under way; retry in a few seconds",
            seconds: 5,
        })?;
    let expression = expression.to_owned();
    let compiling = move || Ok::<_, AppError>(expression::compile(&expression));
    let matches = match run_blocking(compiling).await? {
        Ok(matches) => matches,
        Err(reason) => {
            let controller = app.network().serving_state().controller.id.to_string();
            let mut gathered = Gathered::new(app);
            gathered.fail(&controller, &reason);
            return Ok(gathered.inspection);
        },
    };
    let (selecting, requested) = (Arc::clone(app), names.clone());
    let selected =
        run_blocking(move || selection::select(&selecting, &matches, &requested)).await?;
    let is_anybody_asked = !selected.is_empty();
    let mut gathered = selected.own;
    routers::ask(app, &selected.routers, &names, &mut gathered).await;
    if is_anybody_asked {
        let controller = app.network().serving_state().controller.id.to_string();
        for name in names.unknown() {
            if !gathered.has(name) {
                let reason = format!("{controller}: unknown value {name:?}");
                gathered.inspection.errors.push(reason);
            }
        }
    }
    gathered.inspection.errors.sort();
    run_blocking(move || Ok(redaction::redacted(gathered.inspection))).await
}

/// What has come so far.
struct Gathered {
    inspection: Inspection,
}

impl Gathered {
    fn new(app: &App) -> Self {
        Self {
            inspection: Inspection {
                values: Vec::new(),
                errors: Vec::new(),
                held: app.inspection_room.hold(),
            },
        }
    }

    /// Adds a value that takes so many bytes, if there is room for it.
    fn add(&mut self, (app_id, name): (&str, &str), value: InspectedValue, bytes: usize) {
        let inspection = &mut self.inspection;
        // What its place in the lists takes.
        if inspection.held.add(bytes.saturating_add(256)) {
            inspection.values.push(AppValue {
                app_id: app_id.to_owned(),
                name: name.to_owned(),
                value,
            });
        } else {
            let reason = "is too large for one inspection; ask for less, or for fewer routers";
            self.fail(app_id, &format!("{name:?} {reason}"));
        }
    }

    fn fail(&mut self, app_id: &str, reason: &str) {
        self.inspection.errors.push(format!("{app_id}: {reason}"));
    }

    fn has(&self, name: &str) -> bool {
        self.inspection
            .values
            .iter()
            .any(|value| value.name == name)
    }
}
