//! What a condition says.

/// A condition on the cells of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// A column compared with something.
    Compare(String, Comparison, Operand),
    /// A column is one of these.
    In(String, Vec<Constant>),
    /// A cell of a column is missing.
    Missing(String),
    /// It is false.
    Not(Box<Formula>),
    /// All are true.
    And(Vec<Formula>),
    /// One is true.
    Or(Vec<Formula>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// Whether it asks which value is larger.
    pub fn is_of_order(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::NotEqual)
    }
}

/// What a column is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// Another column.
    Column(String),
    /// A value.
    Constant(Constant),
}

/// A value in a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A number.
    Number(f64),
    /// A category or a date.
    Text(String),
}

impl Formula {
    /// The columns that it names, each once, in the order of the text.
    pub fn columns(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        self.visit(&mut |atom| {
            let (one, other) = match atom {
                Formula::Compare(name, _, Operand::Column(other)) => (name, Some(other)),
                Formula::Compare(name, ..) | Formula::In(name, _) | Formula::Missing(name) => {
                    (name, None)
                }
                _ => return,
            };
            for name in [Some(one), other].into_iter().flatten() {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        });
        names
    }

    /// Shows every formula in it, itself included, from the left.
    pub fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Formula)) {
        see(self);
        match self {
            Formula::Not(inner) => inner.visit(see),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.visit(see));
            }
            _ => {}
        }
    }
}
