//! The nodes of a graph as records: attributes and, if wanted, a band of the degree; edges are dropped.
//!
//! Microdata can be protected by every method of tables, and loses all links. [`compare`] holds a
//! graph and its microdata against each other by the same measures.
//!
//! **From** Marés, Categorical data protection on statistical datasets and social networks, UAB 2013,
//! chapter 6, which extracts microdata from a graph; the comparison is ours.

use super::EdgeList;
use super::semantic::{Nodes, SemanticLoss};
use super::statistics::degree_text;
use crate::error::{Error, Result};

/// How degrees are told.
///
/// ```
/// use moretta::graph::microdata::DegreeBands;
/// let bands: DegreeBands = "1,2,5,10".parse()?;
/// assert_eq!([0, 1, 3, 9, 10, 400].map(|d| bands.text(d)), ["0", "1", "2..4", "5..9", "10..", "10.."]);
/// # Ok::<(), moretta::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DegreeBands {
    /// 0, 1, 2 to 3, 4 to 7, and so on.
    Doubling,
    /// Bands that begin at 0 and at each of these.
    From(Vec<u32>),
}

impl DegreeBands {
    /// The band of a degree.
    pub fn text(&self, degree: u32) -> String {
        let starts = match self {
            DegreeBands::Doubling => return degree_text(degree),
            DegreeBands::From(starts) => starts,
        };
        let place = starts.partition_point(|&start| start <= degree);
        let first = place.checked_sub(1).map_or(0, |before| starts[before]);
        match starts.get(place).map(|next| next - 1) {
            None => format!("{first}.."),
            Some(last) if last == first => first.to_string(),
            Some(last) => format!("{first}..{last}"),
        }
    }
}

impl std::str::FromStr for DegreeBands {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim() == "double" {
            return Ok(DegreeBands::Doubling);
        }
        let starts: Option<Vec<u32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
        let rises = |starts: &Vec<u32>| starts[0] > 0 && starts.windows(2).all(|w| w[0] < w[1]);
        let starts = starts.filter(rises).ok_or_else(|| {
            Error::usage("bands of degrees are rising whole numbers from 1, or `double`")
                .help("write for example 1,2,5,10")
        })?;
        Ok(DegreeBands::From(starts))
    }
}

/// A graph and its microdata by the same measures, in percent.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What the released graph has lost.
    pub graph: SemanticLoss,
    /// What the released microdata has lost; all links of it are gone, so its AAMIL is 100.
    pub microdata: SemanticLoss,
    /// The semantic disclosure risk of the graph.
    pub graph_risk: Option<f64>,
    /// That of the microdata.
    pub microdata_risk: Option<f64>,
}

/// Compares a released graph with released microdata of the same nodes, in the same order. The edges
/// are those of the graph before and after.
///
/// # Errors
/// When the nodes are not the same ones before they were protected.
pub fn compare(
    (graph, before, after): (&Nodes, &EdgeList, &EdgeList),
    microdata: &Nodes,
) -> Result<Comparison> {
    if graph.original != microdata.original {
        return Err(Error::usage(
            "graph and microdata are not about the same nodes",
        ));
    }
    let (none, _) = EdgeList::new(before.nodes(), Vec::new(), before.is_directed());
    Ok(Comparison {
        graph: graph.loss(before, after),
        microdata: microdata.loss(before, &none),
        graph_risk: graph.risk(),
        microdata_risk: microdata.risk(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{SemanticSpace, Taxonomy};

    #[test]
    fn bands_cover_all_degrees_and_bad_ones_are_refused() {
        let bands: DegreeBands = "3".parse().expect("bands");
        assert_eq!(
            [0, 2, 3, 9].map(|d| bands.text(d)),
            ["0..2", "0..2", "3..", "3.."]
        );
        let double: DegreeBands = "double".parse().expect("bands");
        assert_eq!(double.text(5), "4..7");
        for text in ["", "0,1", "2,2", "5,1", "a", "-1", "1,,2"] {
            text.parse::<DegreeBands>().expect_err(text);
        }
    }

    #[test]
    fn microdata_loses_all_links_and_the_rest_by_its_values() {
        let taxonomy = Taxonomy::flat(&["a", "b"]);
        let [a, b] = ["a", "b"].map(|text| taxonomy.find(text).expect("a node"));
        let original = vec![vec![a, a, b, b]];
        let nodes = |released: [u32; 4]| Nodes {
            space: SemanticSpace::new(vec![taxonomy.clone()]),
            original: original.clone(),
            released: vec![released.to_vec()],
        };
        let (edges, _) = EdgeList::new(4, vec![(0, 1), (1, 2)], false);
        let root = Taxonomy::ROOT;
        let (graph, microdata) = (nodes([a, a, root, root]), nodes([a, a, b, b]));
        let found = compare((&graph, &edges, &edges), &microdata).expect("the same nodes");
        assert_eq!(
            (found.graph.aamil(), found.microdata.aamil()),
            (50.0, 100.0)
        );
        assert_eq!((found.graph.cdil(), found.microdata.cdil()), (50.0, 0.0));
        assert_eq!(
            (found.graph.distance, found.microdata.distance),
            (25.0, 0.0)
        );
        assert_eq!(
            (found.graph_risk, found.microdata_risk),
            (Some(50.0), Some(50.0))
        );
        let other = Nodes {
            original: vec![vec![a, b, a, b]],
            ..microdata
        };
        assert!(compare((&graph, &edges, &edges), &other).is_err());
    }
}
