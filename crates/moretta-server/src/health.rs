//! Whether the server is well, and what it can do.

use crate::app::App;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::problem::Result;
use crate::rights::{Open, Permit};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    vec![
        get(
            "/health",
            "Whether the server answers, and its store",
            health,
        ),
        get("/openapi.json", "This documentation", documentation),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Health {
    /// `well`, if there is an answer at all.
    state: &'static str,
    /// The version of the program.
    version: &'static str,
}

fn health(app: &App, _: Permit<Open>, _: Call<Nothing, Nothing>) -> Result<Json<Health>> {
    app.store
        .read(|sql| sql.number("SELECT value FROM store WHERE name = 'version'", values![]))?;
    Ok(Json(Health {
        state: "well",
        version: env!("CARGO_PKG_VERSION"),
    }))
}

fn documentation(app: &App, _: Permit<Open>, _: Call<Nothing, Nothing>) -> Result<Json<Value>> {
    Ok(Json(crate::http::openapi(app.router())))
}
