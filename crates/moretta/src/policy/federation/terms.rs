//! What of `[federation]` all parties must have agreed on.

use super::keys::{self, ModeWord};
use super::{Consent, FederationParty, FederationRole};
use crate::config::{Placed, Section, Value};
use crate::error::{Error, Result};
use crate::federate::frame::Coarse;
use crate::federate::{
    AnswerTerms, FragmentKind, Mode, MonitorTerms, Phases, Ratio, ScoreTerms, Terms, Time,
    TroubleTerms,
};
use sha2::{Digest, Sha256};

/// Batches that a site may be ahead of the last settled one in flow mode.
const AHEAD: u64 = 64;

/// What fragments are, and what a site consents to.
struct Fragments {
    kind: FragmentKind,
    colluders: u16,
    noise: f64,
    noise_records: u64,
    width: Option<u16>,
}

/// Reads the terms, what a site consents to, and the columns that it shares.
pub(super) fn read(
    section: &mut Section,
    federation: &str,
    parties: &[FederationParty],
    classes: &[String],
) -> Result<(Terms, Consent, Option<Vec<Placed>>)> {
    let at_fragments = section.place(keys::FRAGMENTS.name);
    let (fragments, consent, share) = read_fragments(table(section, &keys::FRAGMENTS)?)?;
    let masked = fragments.kind == FragmentKind::Masked;
    if masked && consent.min_sources < 3 {
        return Err(
            Error::policy("masked fragments of two sources hide nothing from one of them")
                .at(at_fragments)
                .help("let min_sources be 3 or more"),
        );
    }
    let at_trouble = section.place(keys::TROUBLE.name);
    let trouble = section.optional_table(&keys::TROUBLE)?;
    let trouble = trouble
        .map(|section| read_trouble(section, &fragments))
        .transpose()?;
    if let Some(trouble) = &trouble {
        let group = u16::from(trouble.group);
        if masked && group < 3 {
            return Err(
                Error::policy("masked fragments need trouble nodes of three sources")
                    .at(at_trouble)
                    .help("let group be 3 or 4, or choose other `fragments` at all parties"),
            );
        }
        if masked && trouble.colluders + 2 > group {
            let what = format!(
                "{} colluders of {group} sources cannot be tolerated",
                trouble.colluders
            );
            return Err(Error::policy(what).at(at_fragments).help(
                "a sum hides something from all sources but two: let `colluders` be smaller",
            ));
        }
    }
    let monitors = read_monitors(table(section, &keys::MONITORS)?)?;
    let mode = section.word(&keys::MODE, keys::MODES)?;
    let (answer, after, patience) = read_answer(table(section, &keys::ANSWER)?)?;
    let numbers = |role| {
        parties
            .iter()
            .filter(move |p| p.role == role)
            .map(|p| p.number.0)
    };
    let bits = section.placed(&keys::CONFIDENCE_BITS)?;
    let coarse = match &bits {
        None => Some(Coarse::Bits8),
        Some(placed) => Coarse::of_bits(placed.whole(keys::CONFIDENCE_BITS.name)?),
    };
    let coarse = coarse.ok_or_else(|| {
        let error = Error::policy("`confidence_bits` is 8, 16 or 64");
        bits.map_or_else(
            || Error::bug("a default that does not fit"),
            |b| error.at(b.span),
        )
    })?;
    let terms = Terms {
        federation: founded(federation, parties),
        classes: u32::try_from(classes.len()).unwrap_or(u32::MAX),
        class_names: sum_of(classes),
        sites: numbers(FederationRole::Site).collect(),
        hosts: numbers(FederationRole::Trouble).collect(),
        first_record: 1,
        batch: section.whole(&keys::BATCH)?,
        label_delay: section.whole(&keys::LABEL_DELAY)?,
        mode: match mode {
            ModeWord::Lockstep => Mode::Lockstep,
            ModeWord::Flow => Mode::Flow {
                after,
                patience,
                ahead: AHEAD,
            },
        },
        coarse,
        window: section.whole(&keys::WINDOW)?,
        answer,
        trouble: trouble.filter(|trouble| trouble.fragments != FragmentKind::None),
        monitors,
    };
    Ok((terms, consent, share))
}

/// Names that the literature uses, besides those of the list of learners.
pub(super) fn learner_name(text: &str) -> String {
    const NAMES: [(&str, &str); 4] = [
        ("naive-bayes", "nb"),
        ("hoeffding-tree", "ht"),
        ("hoeffding-adaptive-tree", "hat"),
        ("adaptive-random-forest", "arf"),
    ];
    let found = NAMES.iter().find_map(|(long, short)| {
        let rest = text.strip_prefix(long)?;
        (rest.is_empty() || rest.starts_with('(')).then(|| format!("{short}{rest}"))
    });
    found.unwrap_or_else(|| text.to_owned())
}

/// The id of a federation: its name, its parties and their public keys, which are drawn when it
/// is founded.
fn founded(federation: &str, parties: &[FederationParty]) -> [u8; 32] {
    let mut texts = vec![b"moretta/federation/1".to_vec(), federation.into()];
    for party in parties {
        texts.push(party.id.as_bytes().to_vec());
        texts.push(party.number.0.to_le_bytes().to_vec());
        texts.push(party.pin.map_or(Vec::new(), |pin| pin.to_vec()));
    }
    sum_of(&texts)
}

/// A sum that tells where each text ends.
fn sum_of(texts: &[impl AsRef<[u8]>]) -> [u8; 32] {
    let mut sum = Sha256::new();
    for text in texts {
        let text = text.as_ref();
        sum.update((text.len() as u32).to_le_bytes());
        sum.update(text);
    }
    sum.finalize().into()
}

/// A table, or an empty one with all defaults.
fn table(section: &mut Section, key: &crate::config::Parameter) -> Result<Section> {
    let empty = Section::new(format!("`{}`", key.name), section.place(key.name));
    Ok(section.optional_table(key)?.unwrap_or(empty))
}

type FragmentsRead = (Fragments, Consent, Option<Vec<Placed>>);

fn read_fragments(mut section: Section) -> Result<FragmentsRead> {
    let kind = section.word(&keys::KIND, keys::KINDS)?;
    let usual = if kind == FragmentKind::Masked { 3 } else { 2 };
    let consent = Consent {
        allows: section
            .optional_word(&keys::ALLOW, keys::KINDS)?
            .unwrap_or(kind),
        min_sources: section
            .optional(&keys::MIN_SOURCES, Placed::whole)?
            .unwrap_or(usual),
    };
    let share = section
        .placed(&keys::SHARE)?
        .map(|placed| match placed.value {
            Value::List(list) => list,
            _ => Vec::new(),
        });
    let fragments = Fragments {
        kind,
        colluders: section.whole(&keys::COLLUDERS)?,
        noise: section.number(&keys::NOISE)?,
        noise_records: section.whole(&keys::NOISE_RECORDS)?,
        width: section.optional(&keys::K, Placed::whole)?,
    };
    if kind == FragmentKind::Raw && share.is_some() {
        return Err(section
            .error("`share` chooses what projections are made of, and raw fragments hold all columns")
            .help("take `share` out and drop columns that must not leave, or choose projected or masked"));
    }
    section.finish()?;
    Ok((fragments, consent, share))
}

fn read_trouble(mut section: Section, fragments: &Fragments) -> Result<TroubleTerms> {
    let masked = fragments.kind == FragmentKind::Masked;
    let group = section.optional(&keys::GROUP, Placed::whole)?;
    let phases = section.word(&keys::PHASES, keys::PHASES_WORDS)?;
    if masked && phases == Phases::One {
        return Err(section
            .error("masked fragments need two phases")
            .help("let phases be \"two\" or \"auto\""));
    }
    let trouble = TroubleTerms {
        learner: learner_name(&section.text(&keys::TROUBLE_LEARNER)?),
        seed: section.whole(&keys::SEED_NUMBER)?,
        factor: Ratio::near(section.number(&keys::FACTOR)?),
        second_factor: section
            .optional(&keys::SECOND_FACTOR, Placed::number)?
            .map(Ratio::near),
        group: group.unwrap_or(if masked { 3 } else { 2 }),
        fragments: fragments.kind,
        projected_width: fragments.width,
        noise: fragments.noise,
        noise_records: fragments.noise_records,
        colluders: fragments.colluders,
        phases,
        keeps_models: section.flag(&keys::KEEP_MODELS)?,
        rank_by: section.word(&keys::RANK_BY, keys::RANKS)?,
        fixed: false,
        score: section
            .optional_table(&keys::SCORE)?
            .map(read_score)
            .transpose()?,
    };
    section.finish()?;
    Ok(trouble)
}

fn read_score(mut section: Section) -> Result<ScoreTerms> {
    let score = ScoreTerms {
        form: section.word(&keys::FORM, keys::FORMS)?,
        every: section.whole(&keys::EVERY)?,
        by_mean: section.flag(&keys::BY_MEAN)?,
    };
    section.finish()?;
    Ok(score)
}

fn read_answer(mut section: Section) -> Result<(AnswerTerms, Time, Time)> {
    let answer = AnswerTerms {
        rule: section.word(&keys::RULE, keys::RULES)?,
        stacker: learner_name(&section.text(&keys::STACKER)?),
        max_order: section.optional(&keys::MAX_ORDER, Placed::whole)?,
        calibrate: section.flag(&keys::CALIBRATE)?,
        omit_forwarded: section.flag(&keys::OMIT_FORWARDED)?,
    };
    let after = section.duration(&keys::AFTER)?;
    let patience = section.duration(&keys::PATIENCE)?;
    section.finish()?;
    Ok((answer, after as Time, patience as Time))
}

fn read_monitors(mut section: Section) -> Result<MonitorTerms> {
    let monitors = MonitorTerms {
        window: section.whole(&keys::MONITOR_WINDOW)?,
        creation_time: section.whole(&keys::CREATION_TIME)?,
        removal_time: section.whole(&keys::REMOVAL_TIME)?,
        delta: section.number(&keys::DELTA)?,
        sharpness: section.whole(&keys::SHARPNESS)?,
        usage: section.number(&keys::USAGE)?,
        drift: section.number(&keys::DRIFT)?,
    };
    section.finish()?;
    Ok(monitors)
}
