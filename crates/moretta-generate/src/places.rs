//! An invented map: COUNTRY, REGION, PROVINCE, CITY, STREET.
//!
//! Countries, regions and provinces bear names that exist, cities are made of
//! syllables. The best known streets have the same names in every city of a
//! language, and a city's name may come back in another province: a street means
//! nothing without the whole path.

use super::random::Random;
use super::zipf::{Exponent, Zipf};

/// What cities and streets are called.
#[derive(Debug)]
struct Language {
    roots: &'static [&'static str],
    endings: &'static [&'static str],
    /// Set behind the name when a province has more cities than names.
    qualifiers: &'static [&'static str],
    ways: &'static [&'static str],
    /// Of whom or what streets are called, the commonest first.
    honoured: &'static [&'static str],
    /// Roads between cities.
    roads: &'static [&'static str],
}

/// Names that every city has, before those that differ.
const EVERYWHERE: u32 = 6;

static ITALIAN: Language = Language {
    roots: &[
        "ALB", "BOR", "CAR", "CAST", "CAV", "CER", "CHIAR", "COLL", "DRON", "FOSS", "GALL", "GRAN",
        "LESS", "MARGH", "MOMB", "MOR", "NOV", "OLM", "PALL", "PINER", "RIV", "ROCC", "SAL", "SAV",
        "TORR", "VALL", "VERR", "VIGN", "VINC", "VOLP",
    ],
    endings: &[
        "ARO", "ASCO", "ATE", "EGNO", "ELLO", "ENGO", "ETTO", "IANO", "IGLIO", "INA", "OLA", "ONE",
        "ORIO", "UZZO", "AGO", "ESE",
    ],
    qualifiers: &[
        "",
        " SUPERIORE",
        " INFERIORE",
        " TERME",
        " VECCHIO",
        " D'ALBA",
        " AL MONTE",
        " SUL LAGO",
        " IN PIANO",
        " SAN PIETRO",
        " SAN MARCO",
        " CANAVESE",
    ],
    ways: &["VIA", "CORSO", "PIAZZA", "VIALE", "STRADA", "VICOLO"],
    honoured: &[
        "ROMA",
        "GARIBALDI",
        "MAZZINI",
        "CAVOUR",
        "DANTE",
        "VERDI",
        "MARCONI",
        "MATTEOTTI",
        "TORINO",
        "MILANO",
        "GENOVA",
        "VENEZIA",
        "XX SETTEMBRE",
        "IV NOVEMBRE",
        "DELLA REPUBBLICA",
        "DELLA CHIESA",
        "DEI MULINI",
        "DELLE ALPI",
        "DEL PONTE",
        "DELL'ACQUA",
        "MANZONI",
        "LEOPARDI",
        "CARDUCCI",
        "PASCOLI",
        "FOSCOLO",
        "GALILEI",
        "VOLTA",
        "FERMI",
        "PUCCINI",
        "ROSSINI",
        "VIVALDI",
        "COLOMBO",
        "VESPUCCI",
        "RAFFAELLO",
        "GIOTTO",
        "SAN MARTINO",
        "SAN ROCCO",
        "SANT'ANNA",
        "TRIESTE",
        "TRENTO",
    ],
    roads: &[
        "A4",
        "A6",
        "A21",
        "A55",
        "SS10",
        "SS20",
        "SP29",
        "SP142",
        "TANGENZIALE",
    ],
};

static FRENCH: Language = Language {
    roots: &[
        "ALB", "ARG", "AUB", "BEAU", "BRIAN", "CHAMB", "CHAT", "CLER", "FONT", "GREN", "LAV",
        "MARS", "MONT", "MOR", "ROQUE", "SALL", "SAV", "TAR", "VAL", "VILL",
    ],
    endings: &[
        "AC", "AGNE", "AIS", "ANS", "ARD", "AY", "ENS", "ERES", "ERY", "ETTE", "IEUX", "IGNY",
        "OISE", "ONNE", "OUX", "Y",
    ],
    qualifiers: &[
        "",
        "-LE-HAUT",
        "-LES-BAINS",
        "-SUR-ISERE",
        "-LA-VILLE",
        "-DU-LAC",
    ],
    ways: &["RUE", "AVENUE", "PLACE", "BOULEVARD", "CHEMIN", "ROUTE"],
    honoured: &[
        "DE LA REPUBLIQUE",
        "VICTOR HUGO",
        "PASTEUR",
        "JEAN JAURES",
        "DE LA GARE",
        "DE L'EGLISE",
        "DU MOULIN",
        "DES ECOLES",
        "DE PARIS",
        "DE LYON",
        "DE ROME",
        "VOLTAIRE",
        "ROUSSEAU",
        "MOLIERE",
        "RACINE",
        "BALZAC",
        "ZOLA",
        "LAMARTINE",
        "GAMBETTA",
        "CLEMENCEAU",
        "SAINT-MARTIN",
        "SAINT-PIERRE",
        "DES ALPES",
        "DU LAC",
        "DU PONT",
        "DE LA FONTAINE",
        "DES LILAS",
        "DES ACACIAS",
        "DU STADE",
        "DE LA PAIX",
    ],
    roads: &["A8", "A43", "A51", "D1091", "N90"],
};

/// Country, region, language and provinces, the busiest first.
type Region = (
    &'static str,
    &'static str,
    &'static Language,
    &'static [&'static str],
);

#[rustfmt::skip]
static REGIONS: [Region; 12] = [
    ("ITALIA", "PIEMONTE", &ITALIAN, &["TO", "CN", "AL", "AT", "NO", "BI", "VC", "VB"]),
    ("ITALIA", "LOMBARDIA", &ITALIAN, &["MI", "PV", "VA", "BG", "BS", "MB", "CO", "CR", "LC", "LO", "MN", "SO"]),
    ("ITALIA", "LIGURIA", &ITALIAN, &["GE", "SV", "IM", "SP"]),
    ("ITALIA", "VALLE D'AOSTA", &ITALIAN, &["AO"]),
    ("ITALIA", "EMILIA-ROMAGNA", &ITALIAN, &["BO", "PC", "PR", "RE", "MO", "FE", "RA", "FC", "RN"]),
    ("ITALIA", "TOSCANA", &ITALIAN, &["FI", "PI", "LU", "LI", "PT", "PO", "AR", "SI", "GR", "MS"]),
    ("ITALIA", "VENETO", &ITALIAN, &["VR", "PD", "VI", "VE", "TV", "BL", "RO"]),
    ("FRANCE", "RHONE-ALPES", &FRENCH, &["SAVOIE", "ISERE", "HAUTE-SAVOIE", "RHONE"]),
    ("FRANCE", "PROVENCE", &FRENCH, &["HAUTES-ALPES", "ALPES-MARITIMES", "VAR"]),
    ("ITALIA", "LAZIO", &ITALIAN, &["RM", "VT", "LT", "FR", "RI"]),
    ("SUISSE", "TICINO", &ITALIAN, &["LUGANO", "LOCARNO", "BELLINZONA"]),
    ("SUISSE", "VALAIS", &FRENCH, &["SION", "MARTIGNY"]),
];

/// The map: provinces of cities of streets, each by rank, the busiest first.
#[derive(Debug)]
pub(super) struct Map {
    provinces: Vec<Province>,
    cities: Vec<City>,
    traffic: Zipf,
    streets: u32,
}

#[derive(Debug)]
struct Province {
    path: String,
    language: &'static Language,
    /// The number of its first city.
    first: u32,
    cities: Zipf,
}

#[derive(Debug)]
struct City {
    province: u32,
    /// The number of its first street.
    first: u32,
    streets: Zipf,
}

impl Map {
    /// A map of nearly `cities` cities, and of at least one for each province.
    pub(super) fn new(cities: usize, random: &mut Random) -> Self {
        let mut map = Map {
            provinces: Vec::new(),
            cities: Vec::new(),
            traffic: Zipf::new(province_count(), Exponent::ThreeHalves, 1.0),
            streets: 0,
        };
        let mut sizes = province_sizes(cities, random).into_iter();
        for (country, region, language, provinces) in &REGIONS {
            for province in *provinces {
                let path = format!("{country}*{region}*{province}");
                let size = sizes.next().unwrap_or(1).min(language.city_names());
                map.add_province(path, language, size);
            }
        }
        map
    }

    fn add_province(&mut self, path: String, language: &'static Language, size: u32) {
        let province = self.provinces.len() as u32;
        self.provinces.push(Province {
            path,
            language,
            first: self.cities.len() as u32,
            cities: Zipf::new(size, Exponent::ThreeHalves, 1.0),
        });
        for rank in 0..size {
            let streets = street_count(province, rank).min(language.street_names());
            self.cities.push(City {
                province,
                first: self.streets,
                streets: Zipf::new(streets, Exponent::FiveQuarters, 1.0),
            });
            self.streets += streets;
        }
    }

    /// How many streets there are in all cities.
    pub(super) fn streets(&self) -> u32 {
        self.streets
    }

    /// A city anywhere.
    pub(super) fn city(&self, random: &mut Random) -> u32 {
        let province = self.traffic.pick(random);
        self.city_of(&self.provinces[province as usize], random)
    }

    /// A city of the same province.
    pub(super) fn city_near(&self, city: u32, random: &mut Random) -> u32 {
        let province = self.cities[city as usize].province;
        self.city_of(&self.provinces[province as usize], random)
    }

    fn city_of(&self, province: &Province, random: &mut Random) -> u32 {
        province.first + province.cities.pick(random)
    }

    /// A street of a city.
    pub(super) fn street(&self, city: u32, random: &mut Random) -> u32 {
        let city = &self.cities[city as usize];
        city.first + city.streets.pick(random)
    }

    /// Appends the path of a street.
    pub(super) fn write(&self, street: u32, text: &mut String) {
        let number = self.cities.partition_point(|c| c.first <= street) - 1;
        let city = &self.cities[number];
        let province = &self.provinces[city.province as usize];
        text.push_str(&province.path);
        text.push('*');
        let rank = number as u32 - province.first;
        province.language.write_city(city.province, rank, text);
        text.push('*');
        let rank = street - city.first;
        province.language.write_street(number as u32, rank, text);
    }
}

impl Language {
    fn plain_city_names(&self) -> u32 {
        (self.roots.len() * self.endings.len()) as u32
    }

    fn city_names(&self) -> u32 {
        self.plain_city_names() * self.qualifiers.len() as u32
    }

    fn street_names(&self) -> u32 {
        (self.ways.len() * self.honoured.len() + self.roads.len()) as u32
    }

    /// The first cities of a province have names without qualifiers.
    fn write_city(&self, province: u32, rank: u32, text: &mut String) {
        let plain = self.plain_city_names();
        let qualifier = self.qualifiers[(rank / plain) as usize];
        // 77 shares no factor with 480 or 320, so a province has each name once.
        let name = ((rank + province * 13) * 77 % plain) as usize;
        text.push_str(self.roots[name / self.endings.len()]);
        text.push_str(self.endings[name % self.endings.len()]);
        text.push_str(qualifier);
    }

    /// The busiest streets are called alike in all cities, the others in turn.
    fn write_street(&self, city: u32, rank: u32, text: &mut String) {
        let name = match rank.checked_sub(EVERYWHERE) {
            None => rank,
            Some(rest) => EVERYWHERE + (rest + city * 17) % (self.street_names() - EVERYWHERE),
        } as usize;
        if let Some(road) = name.checked_sub(self.ways.len() * self.honoured.len()) {
            text.push_str(self.roads[road]);
            return;
        }
        text.push_str(self.ways[name / self.honoured.len()]);
        text.push(' ');
        text.push_str(self.honoured[name % self.honoured.len()]);
    }
}

fn province_count() -> u32 {
    REGIONS.iter().map(|region| region.3.len() as u32).sum()
}

/// How many cities each province has.
fn province_sizes(cities: usize, random: &mut Random) -> Vec<u32> {
    let mut sizes = vec![1; province_count() as usize];
    let busy = Zipf::new(province_count(), Exponent::ThreeQuarters, 1.0);
    for _ in sizes.len()..cities {
        sizes[busy.pick(random) as usize] += 1;
    }
    sizes
}

/// Towns grow smaller by rank, and away from the first region.
fn street_count(province: u32, rank: u32) -> u32 {
    let largest = if province < 8 { 90.0 } else { 36.0 };
    let rank = f64::from(rank + 1);
    (largest / (rank.sqrt() * rank.sqrt().sqrt())).max(6.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn different_numbers_have_different_paths() {
        for cities in [0, 20_000] {
            let map = Map::new(cities, &mut Random::new(1));
            let mut paths = HashSet::new();
            for street in 0..map.streets() {
                let mut text = String::new();
                map.write(street, &mut text);
                assert_eq!(text.split('*').count(), 5);
                assert!(!text.contains([',', '"']));
                assert!(paths.insert(text), "{street} of {cities}");
            }
        }
    }

    #[test]
    fn a_map_has_nearly_the_cities_it_should_have() {
        for (asked, expected) in [
            (0, 68..=68),
            (1_000, 1_000..=1_000),
            (20_000, 19_000..=20_000),
        ] {
            let map = Map::new(asked, &mut Random::new(2));
            assert!(expected.contains(&map.cities.len()), "{}", map.cities.len());
        }
    }

    #[test]
    fn a_city_near_is_in_the_same_province() {
        let mut random = Random::new(3);
        let map = Map::new(500, &mut random);
        for _ in 0..1000 {
            let city = map.city(&mut random);
            let near = map.city_near(city, &mut random);
            let province = |city: u32| map.cities[city as usize].province;
            assert_eq!(province(city), province(near));
        }
    }
}
