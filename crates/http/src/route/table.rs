//! The table of all routes of a listener, and how a request finds its own.

use super::Route;
use crate::path::{self, Api};
use http::Method;
use std::collections::BTreeMap;

/// The routes of every API that a listener serves.
#[derive(Debug)]
pub struct Table {
    routes: Vec<Route>,
    apis: BTreeMap<Api, matchit::Router<Vec<usize>>>,
}

/// What a path and method lead to.
pub enum Lookup<'t> {
    /// A route, with the parameters of its path.
    Found(&'t Route, BTreeMap<&'static str, String>),
    /// The path exists, the method does not; these do.
    WrongMethod(Vec<Method>),
    /// There is no such path.
    Nothing,
}

/// Two routes cannot stand in one table.
#[derive(Debug, thiserror::Error)]
#[error("route {route} cannot be added to the table")]
pub struct BadRoute {
    route: String,
    #[source]
    source: matchit::InsertError,
}

impl Table {
    /// Collects routes, of which those of `apis` are served.
    ///
    /// # Errors
    ///
    /// [`BadRoute`] when two paths contradict each other.
    pub fn new(routes: Vec<Route>, apis: &[Api]) -> Result<Self, BadRoute> {
        let mut by_path: BTreeMap<(Api, &'static str), Vec<usize>> = BTreeMap::new();
        for (index, route) in routes.iter().enumerate() {
            for &api in route.apis.iter().filter(|api| apis.contains(api)) {
                by_path.entry((api, route.path)).or_default().push(index);
            }
        }
        let mut matchers: BTreeMap<Api, matchit::Router<Vec<usize>>> = apis
            .iter()
            .map(|&api| (api, matchit::Router::new()))
            .collect();
        for ((api, path), indexes) in by_path {
            if let Some(matcher) = matchers.get_mut(&api) {
                matcher.insert(path, indexes).map_err(|source| BadRoute {
                    route: path.to_owned(),
                    source,
                })?;
            }
        }
        Ok(Self {
            routes,
            apis: matchers,
        })
    }

    /// All routes, in the order of their declaration.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// Whether an API is served.
    pub fn serves(&self, api: Api) -> bool {
        self.apis.contains_key(&api)
    }

    /// Finds the route for a path within an API.
    pub fn lookup(&self, api: Api, raw_path: &str, method: &Method) -> Lookup<'_> {
        let Some(found) = self
            .apis
            .get(&api)
            .and_then(|matcher| matcher.at(raw_path).ok())
        else {
            return Lookup::Nothing;
        };
        let here = || {
            found
                .value
                .iter()
                .filter_map(|&index| self.routes.get(index))
        };
        let Some(route) = here().find(|route| route.method == *method) else {
            return Lookup::WrongMethod(here().map(|route| route.method.clone()).collect());
        };
        let mut parameters = BTreeMap::new();
        for (name, raw) in found.params.iter() {
            // Names are compared so that the table, not the request, owns them.
            let (Some(name), Some(value)) = (parameter(name), path::decode_parameter(raw)) else {
                return Lookup::Nothing;
            };
            parameters.insert(name, value);
        }
        Lookup::Found(route, parameters)
    }
}

/// The parameters that occur in paths.
fn parameter(name: &str) -> Option<&'static str> {
    ["id", "serviceId", "path"]
        .into_iter()
        .find(|known| *known == name)
}
