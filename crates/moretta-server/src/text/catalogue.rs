//! What there is to choose from, and what it means: methods, measures, attacks, learners, and the
//! schema of a policy. All of it comes from the lists of the library.

use crate::app::App;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::problem::{Problem, Result};
use crate::rights::{Permit, SignedIn};
use moretta::attack::table::ATTACKS;
use moretta::config::Parameter;
use moretta::learn::LEARNERS;
use moretta::measure;
use moretta::protect::METHODS;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/catalogue",
            "Methods with their parameters, measures, attacks and learners",
            catalogue,
        ),
        get(
            "/explain/{topic}",
            "What a method, measure, attack or learner is",
            explain,
        ),
        get("/policy-schema", "The JSON Schema of a policy", schema),
    ]
}

/// Everything that can be chosen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Catalogue {
    methods: Vec<Choice>,
    measures: Vec<Choice>,
    attacks: Vec<Choice>,
    learners: Vec<Choice>,
}

/// Something that can be chosen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Choice {
    /// What a policy calls it.
    name: &'static str,
    /// What it is, in a sentence.
    about: String,
    /// Of a method, what it works on; of a measure, what it measures.
    family: Option<String>,
    /// What can be set.
    parameters: Vec<Setting>,
}

/// Something that can be set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Setting {
    /// Its name.
    name: &'static str,
    /// The values that it can have.
    values: String,
    /// What it is when it is not set.
    default: String,
    /// What it means.
    about: &'static str,
    /// What can be set in it.
    inner: Vec<Setting>,
}

fn settings(parameters: &[Parameter]) -> Vec<Setting> {
    let setting = |parameter: &Parameter| Setting {
        name: parameter.name,
        values: parameter.values(),
        default: parameter.default(),
        about: parameter.meaning,
        inner: settings(parameter.inner()),
    };
    parameters.iter().map(setting).collect()
}

fn choices() -> Catalogue {
    let methods = METHODS.iter().map(|method| Choice {
        name: method.name,
        about: method.about(),
        family: Some(format!("{:?}", method.family).to_lowercase()),
        parameters: settings(method.parameters),
    });
    let measures = measure::LIST.iter().map(|info| Choice {
        name: info.name,
        about: info.meaning.to_owned(),
        family: Some(info.family.word().to_owned()),
        parameters: Vec::new(),
    });
    let attacks = ATTACKS.iter().map(|attack| Choice {
        name: attack.name,
        about: format!("the attacker knows {}", attack.knows),
        family: None,
        parameters: Vec::new(),
    });
    let learners = LEARNERS.iter().map(|learner| Choice {
        name: learner.name,
        about: learner.meaning.to_owned(),
        family: None,
        parameters: learner
            .options
            .iter()
            .flat_map(|some| settings(some))
            .collect(),
    });
    Catalogue {
        methods: methods.collect(),
        measures: measures.collect(),
        attacks: attacks.collect(),
        learners: learners.collect(),
    }
}

fn catalogue(_: &App, _: Permit<SignedIn>, _: Call<Nothing, Nothing>) -> Result<Json<Catalogue>> {
    Ok(Json(choices()))
}

/// What something is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Explained {
    /// Its name.
    name: String,
    /// `method`, `measure`, `attack` or `learner`.
    kind: &'static str,
    /// All that is to be known, as text with simple marks.
    page: String,
    /// What can be set.
    parameters: Vec<Setting>,
}

fn explain(_: &App, _: Permit<SignedIn>, call: Call<Nothing, Nothing>) -> Result<Json<Explained>> {
    let topic = call.head.part("topic")?;
    let Catalogue {
        methods,
        measures,
        attacks,
        learners,
    } = choices();
    let kinds = [
        ("method", methods),
        ("measure", measures),
        ("attack", attacks),
        ("learner", learners),
    ];
    for (kind, choices) in kinds {
        if let Some(choice) = choices.into_iter().find(|choice| choice.name == topic) {
            return Ok(Json(Explained {
                name: choice.name.to_owned(),
                kind,
                page: page(kind, &choice),
                parameters: choice.parameters,
            }));
        }
    }
    Err(Problem::not_found("topic"))
}

fn page(kind: &str, choice: &Choice) -> String {
    let method = METHODS.iter().find(|method| method.name == choice.name);
    let attack = ATTACKS.iter().find(|attack| attack.name == choice.name);
    match (kind, method, attack) {
        ("method", Some(method), _) => method.page(),
        ("attack", _, Some(attack)) => format!("{}; {}", choice.about, attack.way_out),
        _ => choice.about.clone(),
    }
}

fn schema(_: &App, _: Permit<SignedIn>, _: Call<Nothing, Nothing>) -> Result<Json<Value>> {
    Ok(Json(moretta::policy::schema()))
}
