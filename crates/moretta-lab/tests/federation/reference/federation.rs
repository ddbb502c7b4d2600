//! All sites and trouble nodes, the monitors between them, and the steps of a record.

use super::answer::{best_node, elected, most_confident};
use super::monitor::{Blacklisted, Pair};
use super::node::{Node, Opinion, opinion};
use super::{Event, Final, Forward, Hierarchy, Member, Rule, Run, Settings};
use moretta::learn::{self, Header, Input, Learner};
use moretta::math::java_random::JavaRandom;

pub(super) struct Federation<'a> {
    settings: &'a Settings,
    header: &'a Header,
    nodes: Vec<Node>,
    /// The learner on the classes of all sites, and how many records it has learnt.
    stack: Option<(Box<dyn Learner>, u64)>,
    /// Decides between classes with as many votes.
    random: JavaRandom,
    pairs: Vec<Pair>,
    blacklist: Vec<Blacklisted>,
    run: Run,
}

/// A record as it was answered.
pub(super) struct Answered {
    /// By place; none of nodes that did not answer.
    opinions: Vec<Option<Opinion>>,
    /// That of all sites together.
    candidate: Opinion,
    answer: Final,
}

impl<'a> Federation<'a> {
    pub(super) fn new(header: &'a Header, settings: &'a Settings) -> Self {
        let mut federation = Federation {
            settings,
            header,
            nodes: Vec::new(),
            stack: None,
            random: JavaRandom::new(1),
            pairs: Vec::new(),
            blacklist: Vec::new(),
            run: Run::default(),
        };
        for columns in &settings.sites {
            federation.add(Vec::new(), columns.clone(), settings.site_learner, 0);
        }
        if settings.rule == Rule::Stack {
            let values = header.classes();
            let inputs = vec![Input::Nominal { values }; settings.sites.len()];
            federation.stack = Some((federation.learner(settings.node_learner, inputs), 0));
        }
        match settings.hierarchy {
            Hierarchy::Flat => {}
            Hierarchy::Park => federation.add_over((0..settings.sites.len()).collect(), 0),
            Hierarchy::Monitored => federation.renew_pairs(0),
        }
        federation
    }

    fn learner(&self, name: &str, inputs: Vec<Input>) -> Box<dyn Learner> {
        let header = Header::new(inputs, self.header.classes()).expect("small");
        learn::build(name, &header, self.settings.seed).expect("it is in the list")
    }

    fn add(&mut self, sources: Vec<usize>, columns: Vec<usize>, learner: &str, first: usize) {
        let inputs = columns.iter().map(|&place| self.header.attributes()[place]);
        let learner = self.learner(learner, inputs.collect());
        let orders = sources.iter().map(|&source| self.nodes[source].order + 1);
        let order = orders.max().unwrap_or(0);
        let mut node = Node::new(sources, columns, learner, self.header.classes());
        (node.order, node.first) = (order, first);
        self.nodes.push(node);
    }

    /// Adds a trouble node.
    fn add_over(&mut self, sources: Vec<usize>, first: usize) {
        let columns = sources
            .iter()
            .flat_map(|&source| &self.nodes[source].columns);
        let mut columns: Vec<usize> = columns.copied().collect();
        columns.sort_unstable();
        self.add(sources, columns, self.settings.node_learner, first);
    }

    /// Shows a record to all nodes, one after the other, and answers it.
    pub(super) fn answer(&mut self, record: usize, values: &[f64]) -> Answered {
        let id = self.settings.first_id + record as i64;
        let factor = self.settings.twice_factor;
        let mut opinions: Vec<Option<Opinion>> = Vec::new();
        let mut forwards = Vec::new();
        for (place, node) in self.nodes.iter_mut().enumerate() {
            if node.removed {
                opinions.push(None);
                continue;
            }
            let troubled = |source: &usize| {
                opinions[*source].is_some_and(|said| said.is_troubled(factor, node.columns.len()))
            };
            let troubled: Vec<usize> = node.sources.iter().copied().filter(troubled).collect();
            opinions.push(node.answer(values, troubled.len(), factor, id));
            let forward = |source| Forward {
                source,
                node: place,
            };
            forwards.extend(troubled.into_iter().map(forward));
        }
        let candidate = self.candidate(&self.of_sites(&opinions), id);
        let node = best_node(&candidate, &opinions, |place| self.is_over(place));
        let said = node.and_then(|node| opinions[node]).unwrap_or(candidate);
        let answer = Final {
            class: said.class,
            confidence: said.confidence,
            node,
        };
        self.run.answers.push(answer);
        self.run.forwards.push(forwards);
        Answered {
            opinions,
            candidate,
            answer,
        }
    }

    /// The answer of all sites together.
    fn candidate(&mut self, sites: &[Opinion], id: i64) -> Opinion {
        match (self.settings.rule, &self.stack) {
            (Rule::MostConfident, _) => most_confident(sites),
            (Rule::Stack, Some((learner, learnt))) => {
                let classes = self.header.classes();
                opinion(learner.as_ref(), *learnt, &classes_of(sites), classes, id)
            }
            _ => elected(sites, &mut self.random),
        }
    }

    /// Teaches all that answered.
    pub(super) fn learn(&mut self, answered: &Answered, values: &[f64], class: u32) {
        for (node, opinion) in self.nodes.iter_mut().zip(&answered.opinions) {
            if opinion.is_some() && !node.removed {
                node.learn(values, class);
            }
        }
        let sites = self.of_sites(&answered.opinions);
        if let Some((learner, learnt)) = &mut self.stack {
            learner.learn(&classes_of(&sites), class);
            *learnt += 1;
        }
    }

    /// Shows a record whose label came after `record` to the monitors.
    pub(super) fn watch(
        &mut self,
        answered: &Answered,
        labelled: usize,
        record: usize,
        class: u32,
    ) {
        let Answered {
            opinions,
            candidate,
            answer,
        } = answered;
        let right = |place: usize| {
            let opinion = opinions.get(place).copied().flatten();
            opinion.map(|opinion| opinion.class == class)
        };
        self.blacklist.retain_mut(|blacklisted| {
            let freed = blacklisted.observe(right);
            if freed {
                let pair = blacklisted.pair;
                self.run.events.push(Event::Freed { record, pair });
            }
            !freed
        });
        if answer.class != class {
            for pair in self.pairs.iter_mut().filter(|pair| labelled >= pair.first) {
                pair.observe(opinions, self.settings.twice_factor);
            }
        }
        let sources = self.sources();
        for place in 0..self.nodes.len() {
            let Node {
                order,
                first,
                removed,
                ..
            } = self.nodes[place];
            let counts = !self.settings.patient_removal || labelled >= first + self.settings.delay;
            if self.is_over(place) && !removed && !sources.contains(&place) && counts {
                let lower = |other| self.is_over(other) && self.nodes[other].order < order;
                let below = match best_node(candidate, opinions, lower) {
                    Some(node) => right(node) == Some(true),
                    None => candidate.class == class,
                };
                let used = (answer.node == Some(place)).then_some([answer.class == class, below]);
                self.nodes[place].removal.observe(used);
            }
        }
    }

    /// Creates and removes nodes as the monitors say.
    pub(super) fn rebuild(&mut self, record: usize) {
        let mut fired: Vec<&Pair> = self.pairs.iter().filter(|pair| pair.fires()).collect();
        fired.sort_by(|a, b| {
            let falling = b.agreement().total_cmp(&a.agreement());
            falling.then(a.sources.cmp(&b.sources))
        });
        let fired: Vec<[usize; 2]> = fired.iter().map(|pair| pair.sources).collect();
        let mut taken: Vec<usize> = Vec::new();
        for pair in fired {
            if !pair.iter().any(|source| taken.contains(source)) {
                taken.extend(pair);
                let node = self.nodes.len();
                self.add_over(pair.to_vec(), record + 1);
                self.run.events.push(Event::Created { record, node });
            }
        }
        for place in 0..self.nodes.len() {
            let node = &self.nodes[place];
            if !node.removed && node.removal.fires() {
                let pair = [node.sources[0], node.sources[1]];
                self.blacklist.push(Blacklisted::new(pair));
                self.remove(place, record);
            }
        }
        self.renew_pairs(record + 1);
    }

    /// Removes a node and all that depend on it.
    fn remove(&mut self, node: usize, record: usize) {
        self.nodes[node].removed = true;
        self.run.events.push(Event::Removed { record, node });
        for other in node + 1..self.nodes.len() {
            if !self.nodes[other].removed && self.nodes[other].sources.contains(&node) {
                self.remove(other, record);
            }
        }
    }

    /// Watches all pairs of nodes that are no source, but for those that are blacklisted.
    fn renew_pairs(&mut self, first_record: usize) {
        let sources = self.sources();
        let free = |place: &usize| !self.nodes[*place].removed && !sources.contains(place);
        let free: Vec<usize> = (0..self.nodes.len()).filter(free).collect();
        let mut old = std::mem::take(&mut self.pairs);
        for (at, &first) in free.iter().enumerate() {
            for &second in &free[at + 1..] {
                let sources = [first, second];
                if self.blacklist.iter().any(|listed| listed.pair == sources) {
                    continue;
                }
                let columns = sources.map(|source| self.nodes[source].columns.len());
                let known = old.iter().position(|pair| pair.sources == sources);
                self.pairs.push(match known {
                    Some(place) => old.swap_remove(place),
                    None => Pair::new(sources, columns.iter().sum(), first_record),
                });
            }
        }
    }

    /// The places of all sources.
    fn sources(&self) -> Vec<usize> {
        let nodes = self.nodes.iter().filter(|node| !node.removed);
        nodes.flat_map(|node| node.sources.clone()).collect()
    }

    /// Whether a trouble node stands there, and no site.
    fn is_over(&self, place: usize) -> bool {
        place >= self.settings.sites.len()
    }

    fn of_sites(&self, opinions: &[Option<Opinion>]) -> Vec<Opinion> {
        let sites = opinions.iter().take(self.settings.sites.len());
        sites.flatten().copied().collect()
    }

    pub(super) fn finish(mut self) -> Run {
        let member = |node: Node| Member {
            sources: node.sources,
            columns: node.columns,
        };
        self.run.nodes = self.nodes.into_iter().map(member).collect();
        self.run
    }
}

/// What the stack learns of a record.
fn classes_of(sites: &[Opinion]) -> Vec<f64> {
    sites.iter().map(|site| f64::from(site.class)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_a_node_goes_with_it_and_its_sources_are_free_again() {
        let header = Header::new(vec![Input::Number; 3], 2).expect("small");
        let settings = Settings {
            sites: vec![vec![0], vec![1], vec![2]],
            rule: Rule::Vote,
            hierarchy: Hierarchy::Monitored,
            twice_factor: 2,
            site_learner: "nb",
            node_learner: "nb",
            seed: 1,
            first_id: 1,
            batch: 1,
            delay: 0,
            patient_removal: true,
        };
        let mut federation = Federation::new(&header, &settings);
        federation.add_over(vec![0, 1], 1);
        federation.add_over(vec![2, 3], 2);
        federation.renew_pairs(0);
        assert_eq!((federation.nodes[4].order, federation.pairs.len()), (2, 0));
        federation.remove(3, 5);
        federation.renew_pairs(0);
        let removed = [3, 4].map(|node| Event::Removed { record: 5, node });
        assert_eq!(federation.run.events, removed);
        let pairs: Vec<[usize; 2]> = federation.pairs.iter().map(|pair| pair.sources).collect();
        assert_eq!(pairs, [[0, 1], [0, 2], [1, 2]]);
    }
}
