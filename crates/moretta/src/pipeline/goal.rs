//! Searches methods and their numbers for what a policy's `[goal]` asks: nothing is written.
//!
//! Each method is tried with values of its number (k of the guarantee for methods that make values
//! coarser, the first number that can be tuned for masks) from end to end, then by halves between
//! the best value that keeps the limits and its neighbour that does not. Of all that keep the
//! limits, the one with the least of the goal's measure is chosen; of equals, the one that was
//! tried first.
//!
//! *Does not protect* the choice: what was chosen tells a little about the data, as any measure
//! does.

use super::stream;
use super::trial::Rows;
use super::trials::{assess, value_of};
use crate::config::{Accepts, Parameter, Protects, Section, Value};
use crate::engine::{Context, Plan, Progress};
use crate::error::{Error, Result};
use crate::measure::{self, Family};
use crate::optimize::{self, Prefer, Range, Scale, front};
use crate::policy::{Goal, Policy};
use crate::protect::{Method, MethodInfo};
use serde::Serialize;
use std::cmp::Ordering;

/// What a search for a goal has found.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The measure of risk and that of loss whose front is told.
    pub axes: [String; 2],
    /// The goal's measure, then those that are limited.
    pub measures: Vec<String>,
    /// Everything that was tried, method by method.
    pub tried: Vec<Point>,
    /// The place of what was chosen.
    pub chosen: Option<usize>,
    /// Why it was chosen, or what comes nearest.
    pub why: String,
}

/// A method with a value of its number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The method.
    pub method: String,
    /// Its number, or `k` of the guarantee.
    pub parameter: String,
    /// The value.
    pub value: f64,
    /// The measures, in the order of the search; none of what could not be measured.
    pub measures: Vec<Option<f64>>,
    /// Risk and loss.
    pub trade_off: [Option<f64>; 2],
    /// All limits are kept.
    pub meets: bool,
    /// No other one has at most this risk and this loss.
    pub on_front: bool,
    /// Why nothing would be released.
    pub refused: Option<String>,
}

/// Values that are tried from end to end, and between the best and its neighbour.
const STEPS: (usize, usize) = (7, 7);

/// Largest k that is tried.
const MOST: f64 = 1000.0;

/// Tries everything. The policy that comes back does what was chosen, or what was tried first
/// where nothing keeps the limits.
pub fn reach(policy: &Policy, progress: &Progress) -> Result<(Found, Policy)> {
    let goal = policy
        .goal
        .as_ref()
        .ok_or_else(|| Error::bug("a policy without a goal"))?;
    stream::refuse(policy, "[goal]")?;
    let rows = Rows::read(policy, progress)?;
    let context = Context {
        measure_all: false,
        ..policy.context(progress)?
    };
    let search = Search {
        goal,
        axes: axes(goal),
        plan: Plan {
            fail_above: Vec::new(),
            seed: Some(policy.plan.seed.unwrap_or(1)),
            ..policy.loaded_plan()?
        },
        rows,
        context,
    };
    let mut tried: Vec<(Point, Plan)> = Vec::new();
    for method in &goal.methods {
        tried.extend(search.of_method(method)?);
    }
    let (mut points, plans): (Vec<Point>, Vec<Plan>) = tried.into_iter().unzip();
    let at = |point: &Point| {
        let [risk, loss] = point.trade_off;
        (risk.unwrap_or(f64::NAN), loss.unwrap_or(f64::NAN))
    };
    let places: Vec<(f64, f64)> = points.iter().map(at).collect();
    for place in front(&places) {
        points[place].on_front = true;
    }
    let least = |point: &Point| point.measures[0].unwrap_or(f64::INFINITY);
    let meeting = points.iter().enumerate().filter(|(_, point)| point.meets);
    let chosen = meeting
        .min_by(|(_, one), (_, other)| {
            // Of values of k that lose the same, the larger promise.
            let larger = match one.method == other.method && one.parameter == "k" {
                true => other.value.total_cmp(&one.value),
                false => Ordering::Equal,
            };
            least(one).total_cmp(&least(other)).then(larger)
        })
        .map(|(place, _)| place);
    let found = Found {
        why: search.why(chosen.map(|place| &points[place]), &points),
        axes: search.axes,
        measures: measures(goal),
        tried: points,
        chosen,
    };
    let plan = plans.get(chosen.unwrap_or(0));
    let plan = plan.ok_or_else(|| Error::bug("nothing was tried"))?;
    Ok((found, policy.with_choice(plan)?))
}

/// The goal's measure, then those that are limited.
fn measures(goal: &Goal) -> Vec<String> {
    let limited = goal.subject_to.iter().map(|(name, _)| name.clone());
    std::iter::once(goal.minimize.clone())
        .chain(limited)
        .collect()
}

/// The first measure of risk and the first of loss that the goal names, else the usual ones.
fn axes(goal: &Goal) -> [String; 2] {
    let of_classes = measure::find(&goal.minimize).is_some_and(|info| info.is_of(true, false));
    let usual = match of_classes {
        true => ["marketer_risk", "gcp"],
        false => ["record_linkage", "sse_ratio"],
    };
    let first = |family: Family, usual: &str| {
        let names = measures(goal).into_iter();
        let mut of_family = names.filter(|name| {
            let info = measure::find(name);
            info.is_some_and(|info| info.family == family)
        });
        of_family.next().unwrap_or_else(|| usual.to_owned())
    };
    [first(Family::Risk, usual[0]), first(Family::Loss, usual[1])]
}

struct Search<'a> {
    goal: &'a Goal,
    axes: [String; 2],
    plan: Plan,
    rows: Rows,
    context: Context,
}

/// The number of a method that is varied.
enum Number {
    K,
    Own(&'static Parameter),
}

impl Number {
    fn of(method: &Method) -> Result<Self> {
        if method.keeps_guarantee() {
            return Ok(Number::K);
        }
        let info = MethodInfo::find(method.name());
        let mut parameters = info.map_or(&[][..], |info| info.parameters).iter();
        let own = parameters.find(|parameter| parameter.tunable.is_some());
        own.map(Number::Own)
            .ok_or_else(|| Error::bug("a method without a number to vary"))
    }

    fn name(&self) -> &'static str {
        match self {
            Number::K => "k",
            Number::Own(parameter) => parameter.name,
        }
    }

    /// What values it has; of several kinds the first.
    fn accepts(parameter: &Parameter) -> Accepts {
        match parameter.accepts {
            Accepts::OneOf([first, ..]) => *first,
            accepts => accepts,
        }
    }

    fn more_protects(&self) -> bool {
        match self {
            Number::K => true,
            Number::Own(parameter) => parameter.tunable == Some(Protects::More),
        }
    }
}

impl Search<'_> {
    /// Every value of one method that was tried, and the plan with it.
    fn of_method(&self, method: &Method) -> Result<Vec<(Point, Plan)>> {
        let number = Number::of(method)?;
        let range = self.range(&number);
        if range.low >= range.high {
            return Ok(vec![self.attempt(method, &number, range.low)?]);
        }
        let risky = measure::find(&self.goal.minimize).is_some_and(|i| i.family == Family::Risk);
        // Less protection loses less; of what is to be safe, the most.
        let prefer = match risky == number.more_protects() {
            true => Prefer::High,
            false => Prefer::Low,
        };
        let tuning = optimize::tune(&range, prefer, STEPS.1, |value| {
            let (point, plan) = self.attempt(method, &number, value)?;
            Ok::<_, Error>((self.excess(&point), (point, plan)))
        })?;
        Ok(tuning.tried.into_iter().map(|tried| tried.found).collect())
    }

    fn range(&self, number: &Number) -> Range {
        let rows = self.rows.len() as f64;
        let (low, high, whole) = match number {
            Number::K => {
                let least = self.plan.guarantee.class_size().unwrap_or(2).max(2);
                (f64::from(least), (rows / 2.0).floor().min(MOST), true)
            }
            Number::Own(parameter) => match Number::accepts(parameter) {
                Accepts::Whole(low, high) => (
                    low as f64,
                    (high as f64).min((rows / 2.0).floor()).min(MOST),
                    true,
                ),
                Accepts::Number(low, high) => (low.max(high / 1000.0), high, false),
                _ => (1.0, 1.0, false),
            },
        };
        let scale = match low > 0.0 && high >= 10.0 * low {
            true => Scale::Logarithmic,
            false => Scale::Linear,
        };
        Range {
            low,
            high,
            steps: STEPS.0,
            scale,
            whole,
        }
    }

    fn attempt(&self, method: &Method, number: &Number, value: f64) -> Result<(Point, Plan)> {
        let plan = self.varied(method, number, value)?;
        let names = measures(self.goal);
        let measured = Plan {
            report_measures: names.iter().chain(&self.axes).cloned().collect(),
            ..plan.clone()
        };
        let mut point = Point {
            method: method.name().to_owned(),
            parameter: number.name().to_owned(),
            value,
            measures: vec![None; names.len()],
            trade_off: [None, None],
            meets: false,
            on_front: false,
            refused: None,
        };
        match assess(&measured, &self.rows, &self.context) {
            Ok(found) => {
                let value = |name: &String| value_of(&found.values, name);
                point.measures = names.iter().map(value).collect();
                point.trade_off = [value(&self.axes[0]), value(&self.axes[1])];
                point.meets = self.excess(&point) <= 0.0 && point.measures[0].is_some();
            }
            Err(error @ (Error::Guarantee(_) | Error::Policy(_))) => {
                point.refused = Some(error.to_string());
            }
            Err(error) => return Err(error),
        }
        self.context.progress.found(&point)?;
        Ok((point, plan))
    }

    /// The plan with this method and this value of its number.
    fn varied(&self, method: &Method, number: &Number, value: f64) -> Result<Plan> {
        let mut plan = self.plan.clone();
        let mut section: Section = method.written()?;
        match number {
            Number::K => plan.guarantee.k = Some(value as u32),
            Number::Own(parameter) => {
                // What groups of a mask promise is their own number.
                plan.guarantee.k = None;
                let value = match Number::accepts(parameter) {
                    Accepts::Whole(..) => Value::Whole(value as i64),
                    _ => Value::Number(value),
                };
                section.put(parameter.name, value);
            }
        }
        plan.protect = vec![Method::read(section)?];
        plan.complete()?;
        Ok(plan)
    }

    /// By how much the limits are missed, in shares of them; at most 0 where all are kept.
    fn excess(&self, point: &Point) -> f64 {
        let limits = self.goal.subject_to.iter().zip(&point.measures[1..]);
        let over = limits.map(|((_, limit), value)| {
            value.map_or(f64::INFINITY, |value| {
                (value - limit) / limit.abs().max(0.01)
            })
        });
        over.fold(f64::NEG_INFINITY, f64::max)
    }

    fn why(&self, chosen: Option<&Point>, points: &[Point]) -> String {
        let limits: Vec<String> = self
            .goal
            .subject_to
            .iter()
            .map(|(name, limit)| format!("{name} ≤ {limit}"))
            .collect();
        let limits = limits.join(" and ");
        let told = |point: &Point| {
            let Point {
                method,
                parameter,
                value,
                ..
            } = point;
            format!("{method} with {parameter} = {}", brief(*value))
        };
        match chosen {
            Some(point) => format!(
                "{} has the least {} of the {} that keep {limits}",
                told(point),
                self.goal.minimize,
                points.iter().filter(|point| point.meets).count()
            ),
            None => {
                let nearest = points
                    .iter()
                    .filter(|point| point.refused.is_none())
                    .min_by(|one, other| self.excess(one).total_cmp(&self.excess(other)));
                match nearest {
                    Some(point) => format!(
                        "nothing that was tried keeps {limits}; nearest is {}",
                        told(point)
                    ),
                    None => format!(
                        "nothing that was tried could be released, so nothing keeps {limits}"
                    ),
                }
            }
        }
    }
}

/// A number with four digits.
fn brief(value: f64) -> String {
    let digits: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    digits.to_string()
}
