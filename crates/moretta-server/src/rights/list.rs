//! The list of rights.

use super::{Right, RightInfo, Role, To};

const O: To = To::Role(Role::Officer);
const S: To = To::Role(Role::Steward);
const N: To = To::Role(Role::Analyst);
const P: To = To::Role(Role::Operator);
const U: To = To::Role(Role::Auditor);

macro_rules! rights {
    ($($(#[doc = $doc:literal])+ $right:ident $name:literal: [$($to:expr),+] $($with:ident)*;)+) => {
        $($(#[doc = $doc])+
        #[derive(Clone, Copy, Debug)]
        pub enum $right {}

        impl Right for $right {
            const INFO: RightInfo = {
                #[allow(unused_mut, reason = "most rights have nothing more to say")]
                let mut info = RightInfo { name: $name, to: &[$($to),+], fresh: false, token: false };
                $(info.$with = true;)*
                info
            };
        })+

        /// All rights.
        pub const RIGHTS: &[RightInfo] = &[$($right::INFO),+];
    };
}

rights! {
    /// What everybody may: sign in, use a link, ask whether the server is well.
    Open "open": [To::Anyone];
    /// What who has shown a password may: unlock, show the second factor, sign out.
    Half "session": [To::Half];
    /// What everybody who is signed in may.
    SignedIn "signed": [To::Signed] token;
    /// Own password, second factor, sessions and tokens.
    OwnAccount "me": [To::Signed];
    /// See all users, and what waits about them.
    ListUsers "users.list": [To::Admin];
    /// Invite, change, disable and delete users, end their sessions.
    ManageUsers "users": [To::Admin] fresh;
    /// Confirm what another administrator asked for about a user.
    ConfirmUsers "users.confirm": [To::Admin] fresh;
    /// Make and rename projects.
    ManageProjects "projects": [To::Admin];
    /// Settings and health of the server.
    ManageServer "settings": [To::Admin];
    /// See who is a member.
    ListMembers "members.list": [To::Admin, To::Auditor, O, U];
    /// Ask that somebody becomes a member, or another one.
    AskMembers "members.ask": [To::Admin];
    /// Confirm what another person asked for.
    ConfirmMembers "members.confirm": [To::Admin, O] fresh;
    /// Ask for a finer level for oneself.
    AskLevel "members.ask-self": [N];
    /// Read the rules of a project.
    ReadRules "rules.read": [O, S, P, U];
    /// Tighten rules, and ask that they are loosened.
    ChangeRules "rules.change": [O] fresh;
    /// Upload data.
    Upload "data.upload": [S] token;
    /// See which data sets there are, and their versions.
    ListData "data.list": [O, S, To::Raw];
    /// Read what columns are like, in rounded counts.
    ReadProfile "data.profile": [O, S];
    /// Read raw rows.
    ReadRaw "data.raw": [To::Raw] fresh;
    /// Ask that raw data are deleted, and confirm it.
    DeleteRaw "data.delete": [O, S] fresh;
    /// Read hierarchies and policies.
    ReadTexts "policies.read": [O, S, P, U];
    /// Write hierarchies and policies.
    WriteTexts "policies.write": [S] token;
    /// Have previews, plans, searches and learners run.
    RunJobs "jobs.run": [S] token;
    /// Have attacks run.
    Attack "jobs.attack": [O, S] token;
    /// Have releases verified.
    Verify "jobs.verify": [O, S, To::Auditor, U] token;
    /// See jobs.
    SeeJobs "jobs.see": [O, S, N, P, U];
    /// Cancel jobs.
    CancelJobs "jobs.cancel": [S];
    /// Ask for a release, and withdraw it.
    AskRelease "releases.ask": [S];
    /// See what waits for approval.
    ReviewRelease "releases.review": [O, S, To::Auditor, U];
    /// Read rows that wait for approval.
    ReadStaged "releases.staged": [O, S];
    /// Approve, refuse and revoke.
    DecideRelease "releases.decide": [O] fresh;
    /// See what was published, with dictionary and report.
    ListReleases "releases.list": [O, S, N, To::Auditor, U];
    /// Read released rows, counts and files.
    ReadReleases "releases.read": [O, S, N] token;
    /// See streams and their figures.
    ReadStreams "streams.read": [O, S, P, To::Auditor, U];
    /// Define streams.
    DefineStreams "streams.define": [S];
    /// Start, stop and restart streams.
    RunStreams "streams.run": [P];
    /// Send events into a stream.
    SendEvents "streams.send": [To::Ingest];
    /// Read what a stream has released.
    ReadStreamRows "streams.rows": [O, S, N];
    /// Read the ledger of a data set.
    ReadLedger "ledger.read": [O, To::Auditor, U];
    /// Read, verify and export the log of a project.
    ReadAudit "audit.read": [O, To::Auditor, U];
    /// Read, verify and export the log of everything.
    ReadWholeAudit "audit.all": [To::Auditor];
    /// Read the log of acts of administrators.
    ReadAdminAudit "audit.admin": [To::Admin];
}
