//! What the name of a column says, in seven languages.
//!
//! A name such as `patientId`, `Code postal` or `Geburts-Datum` falls into words without
//! accents and in lower case. Up to four neighbours are also tried written together, so that
//! the one entry `codicefiscale` stands for `codice_fiscale` and `CodiceFiscale` as well.
//! Only whole words count: `capital` is not the Italian postal code `cap`.

use crate::data::Role;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Neighbouring words that are tried as one.
const LONGEST_RUN: usize = 4;

/// The words of a column's name.
#[derive(Debug)]
pub(super) struct Name(Vec<String>);

impl Name {
    pub(super) fn new(name: &str) -> Self {
        let mut words = vec![String::new()];
        let mut before = ' ';
        for c in name.nfc() {
            let starts = (c.is_uppercase() && before.is_lowercase())
                || c.is_numeric() != before.is_numeric();
            if !c.is_alphanumeric() || starts {
                words.push(String::new());
            }
            before = c;
            if c.is_alphanumeric()
                && let Some(word) = words.last_mut()
            {
                word.push(c);
            }
        }
        words.retain(|word| !word.is_empty());
        Name(words.iter().map(|word| folded(word)).collect())
    }

    /// The first entry of the list that one of the words, or neighbours together, is.
    pub(super) fn says(&self, list: &[&'static str]) -> Option<&'static str> {
        let mut runs = (0..self.0.len()).flat_map(|start| {
            let ends = start + 1..=(start + LONGEST_RUN).min(self.0.len());
            ends.map(move |end| self.0[start..end].concat())
        });
        let entry = |run: String| list.iter().find(|entry| **entry == run).copied();
        runs.find_map(entry)
    }

    /// Whether the name says nothing else than what the list holds, and numbers.
    pub(super) fn says_only(&self, list: &[&[&str]]) -> bool {
        let known = |word: &String| {
            word.bytes().all(|b| b.is_ascii_digit())
                || list.iter().any(|list| list.contains(&word.as_str()))
        };
        !self.0.is_empty() && self.0.iter().all(known)
    }

    /// The role that a word of the name tells, and the word.
    pub(super) fn role(&self) -> Option<(Role, &'static str)> {
        let lists = [
            (Role::Identifier, IDENTIFIERS),
            (Role::Sensitive, SENSITIVE),
            (Role::Class, CLASSES),
            (Role::Quasi, POSTAL),
            (Role::Quasi, BIRTH),
            (Role::Quasi, QUASI),
        ];
        let told = |(role, list): (Role, &[&'static str])| Some((role, self.says(list)?));
        lists.into_iter().find_map(told)
    }
}

/// In lower case, without accents.
fn folded(word: &str) -> String {
    let plain = word.nfkd().filter(|&c| !is_combining_mark(c));
    plain
        .flat_map(char::to_lowercase)
        .fold(String::new(), |mut folded, c| {
            match c {
                'ß' => folded.push_str("ss"),
                'æ' => folded.push_str("ae"),
                'œ' => folded.push_str("oe"),
                'ø' => folded.push('o'),
                c => folded.push(c),
            }
            folded
        })
}

/// Words for a person.
#[rustfmt::skip]
pub(super) const PERSONS: &[&str] = &[
    // English
    "patient", "person", "subject", "user", "customer", "client", "member", "employee", "individual",
    "participant", "pupil", "student", "respondent", "citizen", "insured", "passenger", "worker",
    // German
    "patientin", "proband", "benutzer", "nutzer", "kunde", "kunden", "mitglied", "mitarbeiter",
    "teilnehmer", "schuler", "schueler", "versicherter", "burger",
    // French
    "personne", "utilisateur", "usager", "membre", "employe", "salarie", "eleve", "etudiant", "assure",
    // Spanish
    "paciente", "persona", "usuario", "cliente", "miembro", "socio", "empleado", "participante", "alumno",
    "estudiante",
    // Italian
    "paziente", "utente", "membro", "dipendente", "partecipante", "alunno", "studente", "assistito",
    // Portuguese
    "pessoa", "utilizador", "funcionario", "aluno", "estudante",
    // Dutch
    "persoon", "gebruiker", "klant", "lid", "werknemer", "medewerker", "deelnemer", "leerling",
];

/// Words for what a person or a household owns, so that it stands for them.
#[rustfmt::skip]
pub(super) const BELONGINGS: &[&str] = &[
    "account", "device", "household", "session", "card", "cookie", "visitor", "imsi", "imei", "msisdn",
    "konto", "gerat", "geraet", "haushalt", "compte", "appareil", "menage", "cuenta", "dispositivo", "hogar",
    "conto", "famiglia", "conta", "rekening", "apparaat", "huishouden",
];

/// Words that make a name one of numbers or keys.
#[rustfmt::skip]
pub(super) const KEYS: &[&str] = &[
    "id", "ids", "uid", "uuid", "guid", "pid", "key", "nr", "no", "num", "number", "code", "ref",
    "nummer", "kennung", "schlussel", "numero", "cle", "clave", "codigo", "codice", "chiave", "chave",
    "sleutel", "de", "del", "do", "du",
];

/// Words for postal codes.
#[rustfmt::skip]
pub(super) const POSTAL: &[&str] = &[
    "zip", "zipcode", "postcode", "postal", "postalcode", "plz", "postleitzahl", "codepostal",
    "codigopostal", "cap", "codicepostale", "cep",
];

/// Words for a date of birth.
#[rustfmt::skip]
pub(super) const BIRTH: &[&str] = &[
    "birth", "birthday", "birthdate", "dob", "born", "geburt", "geburtsdatum", "geburtstag", "geburtsjahr",
    "gebdat", "geboren", "naissance", "nacimiento", "nascita", "nascimento", "geboorte", "geboortedatum",
    "geboortejaar",
];

/// Words for the moment of an event.
#[rustfmt::skip]
pub(super) const TIMES: &[&str] = &[
    "t", "ts", "time", "timestamp", "datetime", "when", "moment", "zeit", "zeitpunkt", "zeitstempel", "uhrzeit",
    "heure", "temps", "horodatage", "hora", "tiempo", "ora", "tempo", "momento", "tijd", "tijdstip",
];

/// Words for text that people write freely.
#[rustfmt::skip]
pub(super) const FREE_TEXT: &[&str] = &[
    "comment", "comments", "remark", "remarks", "note", "notes", "freetext", "description", "message",
    "bemerkung", "bemerkungen", "kommentar", "freitext", "notiz", "notizen", "beschreibung", "nachricht",
    "commentaire", "commentaires", "remarque", "remarques", "comentario", "comentarios", "observaciones",
    "notas", "commento", "commenti", "osservazioni", "observacoes", "opmerking", "opmerkingen",
];

/// Words for what names a person.
#[rustfmt::skip]
const IDENTIFIERS: &[&str] = &[
    // English
    "name", "surname", "firstname", "lastname", "forename", "fullname", "username", "nickname", "login",
    "email", "mail", "phone", "telephone", "mobile", "cellphone", "fax", "tel", "ssn", "socialsecurity",
    "nationalinsurance", "nino", "nhs", "taxid", "taxnumber", "taxpayer", "tin", "passport", "driverlicense",
    "driverslicense", "licenseplate", "numberplate", "vin", "iban", "creditcard", "cardnumber", "accountnumber",
    "address", "street", "housenumber", "insurance", "mrn", "medicalrecord", "url", "website", "homepage", "ip",
    "mac", "signature", "photo",
    // German
    "vorname", "nachname", "familienname", "geburtsname", "rufname", "benutzername", "telefon",
    "telefonnummer", "handy", "handynummer", "mobil", "mobilnummer", "sozialversicherungsnummer", "svnr", "rvnr",
    "versicherungsnummer", "versichertennummer", "krankenversicherungsnummer", "steuernummer", "steuerid",
    "steueridentifikationsnummer", "idnr", "reisepass", "personalausweis", "ausweis", "ausweisnummer",
    "fuhrerschein", "kennzeichen", "kontonummer", "kreditkarte", "kreditkartennummer", "adresse", "anschrift",
    "strasse", "hausnummer", "unterschrift",
    // French
    "nom", "prenom", "courriel", "telephoneportable", "portable", "securitesociale", "numerosecu", "nir",
    "numerofiscal", "passeport", "permisdeconduire", "immatriculation", "cartebancaire", "rue",
    // Spanish
    "nombre", "apellido", "apellidos", "correo", "telefono", "movil", "celular", "seguridadsocial", "nss", "dni",
    "nie", "nif", "curp", "rfc", "pasaporte", "matricula", "tarjeta", "direccion", "domicilio", "calle",
    // Italian
    "nome", "cognome", "cellulare", "codicefiscale", "partitaiva", "tesserasanitaria", "passaporto", "patente",
    "targa", "indirizzo",
    // Portuguese
    "sobrenome", "apelido", "telefone", "telemovel", "segurancasocial", "niss", "cpf", "contribuinte",
    "passaporte", "endereco", "morada", "rua",
    // Dutch
    "naam", "voornaam", "achternaam", "gebruikersnaam", "telefoon", "telefoonnummer", "mobiel", "bsn",
    "burgerservicenummer", "sofinummer", "paspoort", "rijbewijs", "kenteken", "rekeningnummer", "adres", "straat",
    "huisnummer",
];

/// Words for what must not be learnt of a person.
#[rustfmt::skip]
const SENSITIVE: &[&str] = &[
    // English
    "diagnosis", "diagnose", "disease", "illness", "icd", "condition", "treatment", "medication", "drug",
    "salary", "income", "wage", "cost", "debt", "balance", "verdict", "crime", "religion", "politics", "party",
    "orientation", "hiv", "result", "disability", "pregnancy", "conviction",
    // German
    "diagnosen", "krankheit", "erkrankung", "behandlung", "medikament", "gehalt", "einkommen", "lohn", "kosten",
    "schulden", "kontostand", "urteil", "straftat", "konfession", "partei", "befund", "ergebnis", "behinderung",
    // French
    "diagnostic", "maladie", "pathologie", "traitement", "medicament", "salaire", "revenu", "revenus", "cout",
    "dette", "solde", "condamnation", "parti", "resultat", "handicap",
    // Spanish
    "diagnostico", "enfermedad", "tratamiento", "medicamento", "salario", "sueldo", "ingresos", "renta", "coste",
    "deuda", "saldo", "condena", "partido", "resultado", "discapacidad",
    // Italian
    "diagnosi", "malattia", "patologia", "terapia", "farmaco", "stipendio", "reddito", "costo", "debito",
    "condanna", "religione", "partito", "esito", "risultato", "disabilita",
    // Portuguese
    "doenca", "tratamento", "rendimento", "custo", "divida", "religiao", "deficiencia",
    // Dutch
    "ziekte", "aandoening", "behandeling", "medicatie", "medicijn", "salaris", "inkomen", "loon", "schuld",
    "vonnis", "geloof", "partij", "uitslag",
];

/// Words for what a learner predicts.
#[rustfmt::skip]
const CLASSES: &[&str] = &[
    "class", "label", "target", "outcome", "klasse", "zielvariable", "classe", "etiquette", "clase", "etiqueta",
    "etichetta",
];

/// Words for what an outsider could know.
#[rustfmt::skip]
const QUASI: &[&str] = &[
    // English
    "age", "sex", "gender", "race", "ethnicity", "nationality", "citizenship", "country", "city", "town",
    "county", "region", "state", "education", "degree", "marital", "occupation", "job", "profession", "employer",
    "workclass", "relationship", "language", "date", "admission", "discharge", "lat", "lon", "lng", "latitude",
    "longitude", "children", "height",
    // German
    "alter", "geschlecht", "ethnie", "nationalitat", "staatsangehorigkeit", "herkunft", "land", "stadt", "ort",
    "wohnort", "kreis", "landkreis", "bundesland", "gemeinde", "bildung", "abschluss", "schulabschluss",
    "familienstand", "beruf", "arbeitgeber", "sprache", "datum", "aufnahme", "aufnahmedatum", "entlassung",
    "entlassungsdatum", "breitengrad", "langengrad", "kinder",
    // French
    "sexe", "genre", "nationalite", "pays", "ville", "commune", "departement", "etudes", "diplome", "etatcivil",
    "situationfamiliale", "metier", "employeur", "langue", "sortie", "enfants",
    // Spanish
    "edad", "sexo", "genero", "raza", "nacionalidad", "pais", "ciudad", "municipio", "provincia", "educacion",
    "estudios", "estadocivil", "profesion", "ocupacion", "empleo", "idioma", "fecha", "ingreso", "alta", "hijos",
    // Italian
    "eta", "sesso", "genere", "nazionalita", "cittadinanza", "paese", "citta", "comune", "regione", "istruzione",
    "titolodistudio", "statocivile", "professione", "lavoro", "lingua", "data", "ricovero", "dimissione", "figli",
    // Portuguese
    "idade", "raca", "nacionalidade", "cidade", "concelho", "estado", "escolaridade", "profissao", "lingua",
    "filhos",
    // Dutch
    "leeftijd", "geslacht", "nationaliteit", "stad", "gemeente", "woonplaats", "provincie", "opleiding",
    "burgerlijkestaat", "beroep", "werkgever", "taal", "opname", "ontslag", "kinderen",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        for (name, expected) in [
            ("patientId", &["patient", "id"][..]),
            ("Marital-Status", &["marital", "status"]),
            ("ZIP code", &["zip", "code"]),
            ("dob", &["dob"]),
            ("Prénom", &["prenom"]),
            ("Pre\u{301}nom", &["prenom"]),
            ("Straße", &["strasse"]),
            ("ICD10", &["icd", "10"]),
            ("ÉTÉ_2024", &["ete", "2024"]),
            ("", &[]),
        ] {
            assert_eq!(Name::new(name).0, expected, "{name}");
        }
    }

    #[test]
    fn roles_are_told_in_seven_languages() {
        for (role, names) in [
            (
                Role::Identifier,
                &[
                    "First Name",
                    "e-mail",
                    "mobile_phone",
                    "Vorname",
                    "Straße",
                    "Steuer-ID",
                    "Prénom",
                    "numéro de sécurité sociale",
                    "Apellidos",
                    "teléfono",
                    "Codice Fiscale",
                    "cognome",
                    "Endereço",
                    "telemóvel",
                    "Achternaam",
                    "BSN",
                    "homeAddress2",
                ][..],
            ),
            (
                Role::Sensitive,
                &[
                    "Diagnosis",
                    "ICD10",
                    "Gehalt",
                    "maladie",
                    "Diagnóstico",
                    "reddito",
                    "doença",
                    "inkomen",
                ],
            ),
            (Role::Class, &["class", "Klasse", "clase"]),
            (
                Role::Quasi,
                &[
                    "age",
                    "Geschlecht",
                    "date de naissance",
                    "código postal",
                    "CAP",
                    "Stato civile",
                    "Profissão",
                    "Geboortedatum",
                    "native-country",
                    "PLZ",
                    "patient_age",
                ],
            ),
        ] {
            for name in names {
                let told = Name::new(name).role().map(|(role, _)| role);
                assert_eq!(told, Some(role), "{name}");
            }
        }
        for name in [
            "capital-gain",
            "shipping",
            "classic",
            "aged",
            "T1",
            "fnlwgt",
            "hours-per-week",
        ] {
            assert_eq!(Name::new(name).role(), None, "{name}");
        }
    }

    #[test]
    fn entries_are_written_as_names_are_compared() {
        let lists = [
            PERSONS,
            BELONGINGS,
            KEYS,
            POSTAL,
            BIRTH,
            TIMES,
            FREE_TEXT,
            IDENTIFIERS,
            SENSITIVE,
            CLASSES,
            QUASI,
        ];
        for entry in lists.concat() {
            assert_eq!(
                Name::new(entry).0,
                [entry],
                "an entry is one word without accents"
            );
        }
    }

    #[test]
    fn only_persons_and_keys_name_a_person() {
        let is_person = |name: &str| Name::new(name).says_only(&[PERSONS, KEYS]);
        for name in [
            "patient",
            "user_id",
            "Kunden-Nr",
            "PatientID2",
            "numéro de client",
            "id",
        ] {
            assert!(is_person(name), "{name}");
        }
        for name in ["patient_age", "customer segment", "user type", ""] {
            assert!(!is_person(name), "{name}");
        }
    }
}
