//! Prints samples of differentially private noise, one a line, for comparison with other samplers:
//!
//! ```text
//! dp_samples laplace 1/20 100000       # rate γ = ε/Δ
//! dp_samples geometric 1/20 100000
//! dp_samples gaussian 400 100000       # σ²
//! dp_samples k-ary 5:1/1 100000        # categories:ε, the truth is 0
//! dp_samples exponential 5:1/4 100000  # categories:rate, the best is 0
//! dp_samples speed                     # samples and records a second
//! ```

use moretta::protect::dp::microaggregation::{DpMicroaggregation, Order};
use moretta::protect::dp::sample::{
    DiscreteGaussian, DiscreteLaplace, Geometric, KaryResponse, Ratio, exponential,
};
use moretta::protect::dp::{Bounds, Entropy, Epsilon};
use std::error::Error;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::time::Instant;

type Sampler = Box<dyn FnMut(&mut Entropy) -> i64>;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    match words[..] {
        ["speed"] => speed(&mut out)?,
        [name, parameter, count] => {
            let mut entropy = Entropy::os()?;
            let mut sampler = sampler(name, parameter).ok_or("no such sampler")?;
            for _ in 0..count.parse::<usize>()? {
                writeln!(out, "{}", sampler(&mut entropy))?;
            }
        }
        _ => return Err("give a sampler, its parameter and a count".into()),
    }
    Ok(out.flush()?)
}

fn ratio(text: &str) -> Option<Ratio> {
    let (a, b) = text.split_once('/')?;
    Ratio::new(a.parse().ok()?, b.parse().ok()?)
}

fn sampler(name: &str, parameter: &str) -> Option<Sampler> {
    let choice = || {
        let (n, rate) = parameter.split_once(':')?;
        Some((n.parse::<u32>().ok()?, ratio(rate)?))
    };
    Some(match name {
        "laplace" => {
            let sampler = DiscreteLaplace::new(ratio(parameter)?);
            Box::new(move |entropy| sampler.sample(entropy))
        }
        "geometric" => {
            let sampler = Geometric::new(ratio(parameter)?);
            Box::new(move |entropy| sampler.sample(entropy) as i64)
        }
        "gaussian" => {
            let sampler = DiscreteGaussian::new(parameter.parse().ok()?)?;
            Box::new(move |entropy| sampler.sample(entropy))
        }
        "k-ary" => {
            let (n, epsilon) = choice()?;
            let response = KaryResponse::new(n, epsilon)?;
            Box::new(move |entropy| response.answer(entropy, 0).into())
        }
        "exponential" => {
            let (n, rate) = choice()?;
            Box::new(move |entropy| exponential(entropy, n, rate, |i| i).into())
        }
        _ => return None,
    })
}

fn speed(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    const SAMPLES: u32 = 5_000_000;
    let mut entropy = Entropy::os()?;
    for (name, parameter) in [
        ("laplace", "1/20"),
        ("laplace", "1/20000"),
        ("gaussian", "400"),
        ("gaussian", "1000000000"),
        ("k-ary", "5:1/1"),
        ("exponential", "5:1/4"),
    ] {
        let mut sampler = sampler(name, parameter).ok_or("no such sampler")?;
        let start = Instant::now();
        for _ in 0..SAMPLES {
            black_box(sampler(&mut entropy));
        }
        let rate = f64::from(SAMPLES) / start.elapsed().as_secs_f64();
        writeln!(
            out,
            "{name} {parameter}: {:.1} million samples/s",
            rate / 1e6
        )?;
    }
    for order in [Order::Univariate, Order::Multivariate, Order::Arrival] {
        for (attributes, k, buffer) in [(10, 3, 100), (10, 10, 100), (10, 3, 1000), (21, 3, 100)] {
            let rate = filter_speed(order, attributes, k, buffer)?;
            writeln!(
                out,
                "{order:?} m = {attributes}, k = {k}, b = {buffer}: {:.2} million records/s",
                rate / 1e6
            )?;
        }
    }
    Ok(())
}

fn filter_speed(
    order: Order,
    attributes: usize,
    k: usize,
    buffer: usize,
) -> Result<f64, Box<dyn Error>> {
    const RECORDS: usize = 1_000_000;
    let names: Vec<String> = (0..attributes).map(|i| format!("x{i:02}")).collect();
    let range = Bounds::new(0.0, 1.0).ok_or("no range")?;
    let config = DpMicroaggregation {
        k,
        buffer,
        is_stream: true,
        epsilon: Epsilon::new(1.0).ok_or("no epsilon")?,
        bounds: names.iter().map(|name| (name.clone(), range)).collect(),
        order,
        w: 1,
        budget: None,
        clamp: false,
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut filter = config.build(&names)?;
    let mut entropy = Entropy::os()?;
    let data: Vec<f64> = (0..10_000 * attributes)
        .map(|_| f64::from(entropy.next_u32()) / 4_294_967_296.0)
        .collect();
    let mut out = Vec::new();
    let start = Instant::now();
    for record in data.chunks_exact(attributes).cycle().take(RECORDS) {
        filter.push(record, &mut out)?;
        if out.len() > 100_000 {
            out.clear();
        }
    }
    black_box(&out);
    Ok(RECORDS as f64 / start.elapsed().as_secs_f64())
}
