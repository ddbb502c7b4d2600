//! How a policy describes a hierarchy, before the values are known.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The rule by which the values of a column generalise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HierarchySpec {
    /// A CSV file in the layout of ARX: no header, a row a value, most special first.
    File(PathBuf),
    /// Numbers fall into intervals of these widths, each a multiple of the one before.
    Intervals(Vec<f64>),
    /// Characters are masked from one side: 4041, 404*, 40**.
    Mask(MaskSide),
    /// Dates become months, quarters, years, decades.
    Dates(Vec<DateUnit>),
    /// A path with this separator, most general part first.
    Path(String),
    /// Square cells of these sizes in metres on latitude and longitude, finest first.
    Grid(Vec<f64>),
    /// H3 cells of these resolutions, finest (largest number) first.
    H3(Vec<u8>),
}

/// The side from which a text is masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaskSide {
    /// 4041, *041, **41
    Left,
    /// 4041, 404*, 40**
    Right,
}

/// A unit that dates generalise to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateUnit {
    /// 2024-03
    Month,
    /// 2024-Q1
    Quarter,
    /// 2024
    Year,
    /// 2020s
    Decade,
}
