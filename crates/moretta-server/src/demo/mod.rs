//! What a demonstration has to show: a release of a hospital and a stream of a shop.
//!
//! Nothing of it is put into the store: the people of the demonstration do by the routes what anybody
//! does, so all of it was asked for, approved and logged, and made by a worker.

mod actor;
mod hospital;
mod shop;

pub use hospital::Hospital;

use crate::account::DemoPerson;
use crate::app::App;
use crate::problem::Result;
use crate::start::Stopper;
use actor::Actor;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Has the people of a demonstration work, beside a server that does jobs. It ends with `stopper`.
pub fn show(
    app: Arc<App>,
    people: &[DemoPerson],
    hospital: Hospital,
    stopper: Stopper,
    log: crate::http::Log,
) -> JoinHandle<()> {
    let people = people.to_vec();
    std::thread::spawn(move || {
        let team = Team {
            app,
            people,
            stopper,
        };
        // Whoever looks around can do by hand what was not done here.
        for (what, done) in [
            ("the hospital", hospital.show(&team)),
            ("the shop", shop::show(&team)),
        ] {
            if let (Err(problem), false) = (done, team.stopper.is_stopped()) {
                log(&format!("{what} of the demonstration: {}", problem.what));
            }
        }
    })
}

/// The people of a demonstration.
struct Team {
    app: Arc<App>,
    people: Vec<DemoPerson>,
    stopper: Stopper,
}

impl Team {
    /// Somebody, in a project that has this name.
    fn actor(&self, name: &str, project: &str) -> Result<Actor<'_>> {
        Actor::enter(&self.app, &self.people, name, project)
    }
}
