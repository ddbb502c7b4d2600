//! Why a listener cannot be linked to, as the side that dials sees it.

use std::error::Error as _;
use std::io;

use moretta_data::Error;
use rustls::{AlertDescription, CertificateError, Error as TlsError};

use crate::refusal::Refusal;

/// What went wrong before a link was there.
#[derive(Debug, PartialEq)]
pub(crate) enum Problem {
    /// No connection, or it broke before anything was decided.
    Unreachable(io::ErrorKind),
    /// It took too long.
    TooLate,
    /// The listener's certificate is not one of our authority, or has expired, …
    Listener(&'static str),
    /// The listener did not take our certificate.
    Ours(&'static str),
    /// We refuse the listener, or what it says is none of our protocol.
    Refused(Refusal),
    /// The listener, which was admitted, refuses us.
    Told(Refusal),
}

impl Problem {
    /// What an error of a connection means.
    pub(crate) fn of(error: &io::Error) -> Self {
        let inner = error.get_ref().and_then(|e| e.downcast_ref::<TlsError>());
        match inner {
            Some(TlsError::InvalidCertificate(reason)) => Problem::Listener(untrusted(reason)),
            Some(TlsError::AlertReceived(alert)) => Problem::Ours(untaken(*alert)),
            Some(_) => Problem::Listener("it does not use TLS 1.3 as a federation does"),
            None => Problem::Unreachable(error.kind()),
        }
    }

    /// What an error of HTTP/2 means, which may hold one of the connection.
    pub(crate) fn of_http(error: &hyper::Error) -> Self {
        let mut source = error.source();
        while let Some(inner) = source {
            if let Some(error) = inner.downcast_ref::<io::Error>() {
                return Self::of(error);
            }
            source = inner.source();
        }
        Problem::Unreachable(io::ErrorKind::ConnectionAborted)
    }

    /// Whether dialling again may help without a change of policies or keys.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Problem::Unreachable(_) | Problem::TooLate => true,
            Problem::Listener(_) | Problem::Ours(_) => false,
            Problem::Refused(refusal) | Problem::Told(refusal) => refusal.may_pass(),
        }
    }

    /// Whether it comes from the listener itself, and not perhaps from somebody on the way.
    pub(crate) fn is_certain(&self) -> bool {
        matches!(self, Problem::Told(_))
    }

    /// The error of a driver whose party cannot be linked.
    pub(crate) fn error(&self, place: &str) -> Error {
        let what = match self {
            Problem::Unreachable(kind) => return failed(place, io::Error::from(*kind)),
            Problem::TooLate => "it does not answer in time".to_owned(),
            Problem::Listener(UNKNOWN) => format!(
                "its certificate is refused: {UNKNOWN} than `authority` of this party's policy; let `authority` of all parties be the ca.pem that `moretta federation keys` made with their certificates"
            ),
            Problem::Ours(UNKNOWN) => format!(
                "it refuses our certificate: {UNKNOWN} than `authority` of its policy; let `authority` of all parties be the ca.pem that `moretta federation keys` made with their certificates"
            ),
            Problem::Listener(what) => format!("its certificate is refused: {what}"),
            Problem::Ours(what) => format!("it refuses our certificate: {what}"),
            Problem::Refused(refusal) => format!("refused: {refusal}"),
            Problem::Told(refusal) => format!("it refuses us: {refusal}"),
        };
        failed(place, io::Error::other(what))
    }
}

/// What a certificate is that the other side's authority has not signed.
const UNKNOWN: &str = "it is of another authority";

fn failed(place: &str, source: io::Error) -> Error {
    Error::io("link to", place, source)
}

fn untrusted(reason: &CertificateError) -> &'static str {
    match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet"
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => UNKNOWN,
        _ => "it is not that of a listener",
    }
}

fn untaken(alert: AlertDescription) -> &'static str {
    match alert {
        AlertDescription::CertificateExpired => "it has expired",
        AlertDescription::UnknownCA
        | AlertDescription::DecryptError
        | AlertDescription::BadCertificate => UNKNOWN,
        _ => "it is not one that the listener can use",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_whose_certificate_is_meant() {
        let check = |error: TlsError, text: &str, may_pass| {
            let problem = Problem::of(&io::Error::new(io::ErrorKind::InvalidData, error));
            let shown = problem.error("hub:7443").to_string();
            assert_eq!(shown, format!("cannot link to hub:7443: {text}"));
            assert_eq!(problem.may_pass(), may_pass);
        };
        check(
            TlsError::InvalidCertificate(CertificateError::UnknownIssuer),
            "its certificate is refused: it is of another authority than `authority` of this party's policy; let `authority` of all parties be the ca.pem that `moretta federation keys` made with their certificates",
            false,
        );
        check(
            TlsError::AlertReceived(AlertDescription::UnknownCA),
            "it refuses our certificate: it is of another authority than `authority` of its policy; let `authority` of all parties be the ca.pem that `moretta federation keys` made with their certificates",
            false,
        );
        check(
            TlsError::AlertReceived(AlertDescription::CertificateExpired),
            "it refuses our certificate: it has expired",
            false,
        );
    }

    #[test]
    fn a_broken_connection_may_pass() {
        let problem = Problem::of(&io::Error::from(io::ErrorKind::ConnectionRefused));
        assert!(problem.may_pass());
        assert_eq!(problem.error("hub:7443").exit_code(), 5);
    }
}
