//! Route table: lookup of a request's route.

use super::Route;
use crate::path::{self, Api};
use http::Method;
use std::collections::BTreeMap;

/// The routes of all APIs that are served.
#[derive(Debug)]
pub struct RouteTable {
    routes: Vec<Route>,
    apis: BTreeMap<Api, matchit::Router<Vec<usize>>>,
}

/// Result of a lookup.
pub enum RouteLookup<'t> {
    /// A route, with the parameters of its path.
    Found(&'t Route, BTreeMap<&'static str, String>),
    /// The path exists, but not with this method; the allowed ones.
    WrongMethod(Vec<Method>),
    NotFound,
}

/// Two routes contradict each other.
#[derive(Debug, thiserror::Error)]
#[error("route {route} cannot be added to the table")]
pub struct RouteError {
    route: String,
    #[source]
    source: matchit::InsertError,
}

impl RouteTable {
    /// Builds the table of the routes of `apis`.
    ///
    /// # Errors
    ///
    /// [`RouteError`] if two paths contradict each other.
    pub fn new(routes: Vec<Route>, apis: &[Api]) -> Result<Self, RouteError> {
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
                matcher.insert(path, indexes).map_err(|source| RouteError {
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

    /// Reports whether an API is served.
    pub fn serves(&self, api: Api) -> bool {
        self.apis.contains_key(&api)
    }

    pub fn find(&self, api: Api, raw_path: &str, method: &Method) -> RouteLookup<'_> {
        let Some(found) = self
            .apis
            .get(&api)
            .and_then(|matcher| matcher.at(raw_path).ok())
        else {
            return RouteLookup::NotFound;
        };
        let routes_of_path = || {
            found
                .value
                .iter()
                .filter_map(|&index| self.routes.get(index))
        };
        let Some(route) = routes_of_path().find(|route| route.method == *method) else {
            return RouteLookup::WrongMethod(
                routes_of_path().map(|route| route.method.clone()).collect(),
            );
        };
        let mut parameters = BTreeMap::new();
        for (name, raw) in found.params.iter() {
            // Returned from the table, so that parameters have static names.
            let (Some(name), Some(value)) = (parameter_name(name), path::decode_parameter(raw))
            else {
                return RouteLookup::NotFound;
            };
            parameters.insert(name, value);
        }
        RouteLookup::Found(route, parameters)
    }
}

/// Returns the static name of a path parameter.
fn parameter_name(name: &str) -> Option<&'static str> {
    ["id", "serviceId", "path"]
        .into_iter()
        .find(|known| *known == name)
}
