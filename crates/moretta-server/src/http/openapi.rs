//! The documentation of the interface as OpenAPI 3.1, made from the list of routes.

use super::route::{Route, Router};
use crate::problem::Details;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The whole document.
pub fn openapi(router: &Router) -> Value {
    // What OpenAPI 3.1 takes for schemas; the settings for 3.0 mark nulls in a way that 3.1 ignores.
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = SchemaGenerator::new(settings);
    let problem = generator.subschema_for::<Details<'_>>();
    let mut paths = Map::new();
    for route in router.routes() {
        let described = operation(route, &mut generator, &problem.as_value().clone());
        let path = paths
            .entry(format!("/api/v1{}", route.path))
            .or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = described;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "moretta",
            "version": "1",
            "description": "Users, roles, privacy levels, approvals, jobs and live streams.",
        },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {
                "session": { "type": "apiKey", "in": "cookie", "name": super::head::COOKIE_NAME },
                "token": { "type": "http", "scheme": "bearer" },
            },
        },
    })
}

/// The whole document as it is committed, so that a change of the interface is seen.
pub fn openapi_text() -> String {
    let router = Router::new(crate::routes::routes());
    let mut text = serde_json::to_string_pretty(&openapi(&router)).unwrap_or_default();
    text.push('\n');
    text
}

fn operation(route: &Route, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let documented = (route.documented)(generator);
    let named = route
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = named.map(|name| {
        json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
    });
    let query = documented.query.as_value();
    let required = |name: &str| {
        let names = query["required"].as_array();
        names.is_some_and(|names| names.iter().any(|n| n == name))
    };
    let properties = query["properties"].as_object().into_iter().flatten();
    let in_query = properties.map(|(name, schema)| {
        json!({ "name": name, "in": "query", "required": required(name), "schema": schema })
    });
    let parameters: Vec<Value> = in_path.chain(in_query).chain(in_headers(route)).collect();
    let answer = &documented.answer;
    let mut told = json!({ "description": "done" });
    if !answer.media_type.is_empty() {
        let mut content = json!({});
        if let Some(schema) = &answer.schema {
            content["schema"] = schema.as_value().clone();
        }
        told["content"][answer.media_type] = content;
    }
    let mut operation = json!({
        "summary": route.summary,
        "operationId": format!("{}{}", route.method.as_str().to_ascii_lowercase(), name_of(route.path)),
        "x-right": route.right,
        "parameters": parameters,
        "responses": {
            answer.status.to_string(): told,
            "default": {
                "description": "a problem",
                "content": { "application/problem+json": { "schema": problem } },
            },
        },
    });
    if let Some(schema) = &documented.body {
        for kind in route.types {
            operation["requestBody"]["required"] = json!(true);
            operation["requestBody"]["content"][kind] = json!({ "schema": schema });
        }
    }
    operation
}

/// Headers that are about what is asked; those that say who asks are the security schemes.
fn in_headers(route: &Route) -> Vec<Value> {
    let header = |name: &str, required: bool, what: &str, schema: Value| json!({ "name": name, "in": "header", "required": required, "description": what, "schema": schema });
    let mut headers = Vec::new();
    if route.names_version {
        let what = "the version that is changed, as the ETag of what was read";
        let schema = json!({ "type": "string", "pattern": "^\"[0-9]{1,18}\"$" });
        headers.push(header("If-Match", true, what, schema));
    }
    if route.has_keys() {
        let what = "a request that is sent again under the same key is done once";
        let schema = json!({ "type": "string", "pattern": "^[!-~]{1,128}$" });
        headers.push(header("Idempotency-Key", false, what, schema));
    }
    headers
}

/// A path as one name.
fn name_of(path: &str) -> String {
    let words = path
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    };
    words.map(capital).collect()
}
