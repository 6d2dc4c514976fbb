//! Values of routers.

use super::names::RequestedNames;
use super::{Gathered, TIME};
use crate::app::App;
use crate::network_inspection::RouterAnswer;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use portcullis_domain::ids::RouterId;
use portcullis_domain::view::InspectedValue;
use std::collections::BTreeSet;

/// Maximum size of one value, bytes.
const MAX_VALUE_BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of texts in which a router says what it does not tell.
const MAX_ERRORS: usize = 8;

/// Maximum length of such a text, characters.
const MAX_ERROR_CHARS: usize = 256;

/// Asks all routers at the same time, and adds what they say.
pub(super) async fn ask(
    app: &App,
    routers: &[RouterId],
    names: &RequestedNames,
    gathered: &mut Gathered,
) {
    if names.0.is_empty() {
        return;
    }
    let network = app.network_inspection();
    let asked = routers.iter().map(|router| {
        let answer = network.inspect_router(router, &names.0, TIME);
        async move { (router, answer.await) }
    });
    let mut answers: FuturesUnordered<_> = asked.collect();
    let own = gathered.inspection.values.len();
    while let Some((router, answer)) = answers.next().await {
        match answer {
            Ok(answer) => add_answer(router.as_str(), answer, names, gathered),
            Err(error) => gathered.fail(router.as_str(), &error.to_string()),
        }
    }
    if let Some(theirs) = gathered.inspection.values.get_mut(own..) {
        theirs.sort_by(|one, other| one.app_id.cmp(&other.app_id));
    }
}

/// Adds what was asked for, and once; a router may say anything.
fn add_answer(router: &str, answer: RouterAnswer, names: &RequestedNames, gathered: &mut Gathered) {
    let mut told = BTreeSet::new();
    for (name, text) in answer.values {
        let Some(name) = names.find(&name).filter(|name| told.insert(*name)) else {
            continue;
        };
        let bytes = text.len();
        if bytes > MAX_VALUE_BYTES {
            gathered.fail(router, &format!("{name:?} is too large: {bytes} bytes"));
        } else {
            gathered.add((router, name), InspectedValue::Text(text), bytes);
        }
    }
    for error in answer.errors.iter().take(MAX_ERRORS) {
        gathered.fail(router, &shown(error));
    }
}

/// A text of a router, shortened if it is long.
fn shown(text: &str) -> String {
    let chars = text.chars().take(MAX_ERROR_CHARS);
    chars
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect()
}
