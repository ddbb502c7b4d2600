CREATE TABLE users (
    id TEXT PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE,
    name TEXT UNIQUE,
    password TEXT,
    factor BYTEA,
    factor_step BIGINT NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    admin BIGINT NOT NULL,
    auditor BIGINT NOT NULL,
    idle_minutes BIGINT NOT NULL,
    made_at BIGINT NOT NULL,
    made_by TEXT,
    version BIGINT NOT NULL DEFAULT 1,
    new_factor BYTEA,
    own_idle_minutes BIGINT,
    preferences TEXT
) STRICT;

CREATE TABLE recovery (
    secret BYTEA PRIMARY KEY,
    user_id TEXT NOT NULL
) STRICT;

CREATE TABLE links (
    secret BYTEA PRIMARY KEY,
    kind TEXT NOT NULL,
    user_id TEXT,
    made_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    claimed_until BIGINT NOT NULL DEFAULT 0,
    wish_id TEXT
) STRICT;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    secret BYTEA NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    state TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    factor_at BIGINT,
    password_at BIGINT NOT NULL DEFAULT 0,
    ends_at BIGINT NOT NULL
) STRICT;
CREATE INDEX sessions_of_user ON sessions (user_id);

CREATE TABLE devices (
    secret BYTEA NOT NULL,
    user_id TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (secret, user_id)
) STRICT;

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    secret BYTEA NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    stream_id TEXT,
    made_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
) STRICT;

CREATE TABLE guesses (
    of TEXT PRIMARY KEY,
    wrong BIGINT NOT NULL,
    last_at BIGINT NOT NULL
) STRICT;

CREATE TABLE drafts (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (user_id, name)
) STRICT;

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    rules TEXT NOT NULL,
    state TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    version BIGINT NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE members (
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    role TEXT NOT NULL,
    level BIGINT NOT NULL,
    ends_at BIGINT,
    asked_by TEXT NOT NULL,
    confirmed_by TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (project_id, user_id)
) STRICT;

CREATE TABLE wishes (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    project_id TEXT,
    subject TEXT NOT NULL,
    wish TEXT NOT NULL,
    reason TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    decided_by TEXT,
    decided_at BIGINT
) STRICT;
CREATE INDEX wishes_waiting ON wishes (state, project_id);

CREATE TABLE objects (
    id TEXT PRIMARY KEY,
    zone TEXT NOT NULL,
    project_id TEXT NOT NULL,
    job_id TEXT,
    wrapped_key BYTEA NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 BYTEA NOT NULL,
    made_at BIGINT NOT NULL
) STRICT;
CREATE INDEX objects_of_project ON objects (project_id);

CREATE TABLE secrets (
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    made_at BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
) STRICT;

CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    object_id TEXT NOT NULL,
    wrapped_key BYTEA NOT NULL,
    bytes BIGINT,
    received BIGINT NOT NULL,
    rest BYTEA NOT NULL,
    made_at BIGINT NOT NULL
) STRICT;
CREATE INDEX uploads_of_project ON uploads (project_id);

CREATE TABLE datasets (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    identifiers TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    version BIGINT NOT NULL DEFAULT 1,
    UNIQUE (project_id, name)
) STRICT;

CREATE TABLE data_versions (
    id TEXT PRIMARY KEY,
    dataset_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    file_name TEXT NOT NULL,
    place TEXT NOT NULL,
    object_id TEXT,
    profile TEXT,
    profile_job TEXT,
    bytes BIGINT NOT NULL,
    sha256 BYTEA NOT NULL,
    uploaded_by TEXT NOT NULL,
    uploaded_at BIGINT NOT NULL,
    delete_after BIGINT,
    deleted_at BIGINT,
    UNIQUE (dataset_id, number)
) STRICT;

CREATE TABLE texts (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    UNIQUE (project_id, kind, name)
) STRICT;

CREATE TABLE text_versions (
    id TEXT PRIMARY KEY,
    text_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    content BYTEA NOT NULL,
    sha256 BYTEA NOT NULL,
    author TEXT NOT NULL,
    based_on TEXT,
    uses TEXT NOT NULL,
    at BIGINT NOT NULL,
    UNIQUE (text_id, number)
) STRICT;

CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    dataset_id TEXT NOT NULL,
    data_version_id TEXT NOT NULL,
    policy_version_id TEXT NOT NULL,
    job_id TEXT,
    name TEXT NOT NULL,
    purpose TEXT NOT NULL,
    levels TEXT NOT NULL,
    state TEXT NOT NULL,
    problem TEXT,
    manifest BYTEA,
    manifest_sha256 BYTEA,
    ledger_id TEXT,
    ledger_version BIGINT NOT NULL,
    alone BIGINT NOT NULL DEFAULT 0,
    asked_by TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    ends_at BIGINT,
    published_at BIGINT,
    ended_at BIGINT,
    version BIGINT NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX releases_of_project ON releases (project_id, state, asked_at);
CREATE INDEX releases_of_dataset ON releases (dataset_id, state);

CREATE TABLE release_levels (
    release_id TEXT NOT NULL,
    level BIGINT NOT NULL,
    name TEXT NOT NULL,
    rows BIGINT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (release_id, level)
) STRICT;

CREATE TABLE release_files (
    release_id TEXT NOT NULL,
    level BIGINT NOT NULL,
    part TEXT NOT NULL,
    object_id TEXT NOT NULL,
    PRIMARY KEY (release_id, level, part)
) STRICT;

CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    release_id TEXT NOT NULL,
    decision TEXT NOT NULL,
    reason TEXT NOT NULL,
    manifest_sha256 BYTEA NOT NULL,
    decided_by TEXT NOT NULL,
    at BIGINT NOT NULL
) STRICT;
CREATE INDEX approvals_of_release ON approvals (release_id, at);

CREATE TABLE charges (
    number BIGINT NOT NULL,
    dataset_id TEXT NOT NULL,
    job_id TEXT NOT NULL UNIQUE,
    release_id TEXT,
    epsilon_nano BIGINT NOT NULL,
    at BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (dataset_id, number)
) STRICT;

CREATE TABLE ledgers (
    dataset_id TEXT PRIMARY KEY,
    object_id TEXT,
    version BIGINT NOT NULL
) STRICT;

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    pool TEXT NOT NULL,
    spec TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    lease_by TEXT,
    lease_until BIGINT,
    wants_cancel BIGINT NOT NULL DEFAULT 0,
    progress TEXT,
    result TEXT,
    problem TEXT,
    made_at BIGINT NOT NULL,
    begun_at BIGINT,
    ended_at BIGINT
) STRICT;
CREATE INDEX jobs_waiting ON jobs (state, pool, made_at);
CREATE INDEX jobs_of_project ON jobs (project_id, made_at);

CREATE TABLE repeats (
    user_id TEXT NOT NULL,
    key TEXT NOT NULL,
    asked BYTEA NOT NULL,
    status BIGINT NOT NULL,
    headers TEXT NOT NULL,
    body BYTEA NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (user_id, key)
) STRICT;

CREATE TABLE streams (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    policy_version_id TEXT NOT NULL,
    level BIGINT NOT NULL,
    wanted TEXT NOT NULL,
    state TEXT NOT NULL,
    problem TEXT,
    decision TEXT NOT NULL,
    reason TEXT,
    decided_by TEXT,
    decided_at BIGINT,
    accepted BIGINT NOT NULL DEFAULT 0,
    taken BIGINT NOT NULL DEFAULT 0,
    taken_to BIGINT NOT NULL DEFAULT 0,
    released BIGINT NOT NULL DEFAULT 0,
    needed_from BIGINT NOT NULL DEFAULT 0,
    epoch BIGINT NOT NULL DEFAULT 0,
    lease_by TEXT,
    lease_until BIGINT,
    made_at BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    version BIGINT NOT NULL DEFAULT 1,
    UNIQUE (project_id, name)
) STRICT;

CREATE TABLE segments (
    stream_id TEXT NOT NULL,
    side TEXT NOT NULL,
    number BIGINT NOT NULL,
    first BIGINT NOT NULL,
    object_id TEXT NOT NULL,
    wrapped_key BYTEA NOT NULL,
    policy_version_id TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (stream_id, side, number)
) STRICT;

CREATE TABLE points (
    stream_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (stream_id, at)
) STRICT;

CREATE TABLE marks (
    stream_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    what TEXT NOT NULL
) STRICT;
CREATE INDEX marks_of_stream ON marks (stream_id, at);

CREATE TABLE vaults (
    dataset_id TEXT NOT NULL,
    data_version_id TEXT PRIMARY KEY,
    object_id TEXT NOT NULL,
    entries BIGINT NOT NULL
) STRICT;
CREATE INDEX vaults_of_dataset ON vaults (dataset_id);

CREATE TABLE audit (
    number BIGINT PRIMARY KEY,
    entry TEXT NOT NULL,
    hash BYTEA NOT NULL,
    at BIGINT NOT NULL,
    actor BIGINT,
    act TEXT NOT NULL,
    project_id TEXT
) STRICT;
CREATE INDEX audit_of_project ON audit (project_id, number);
CREATE INDEX audit_of_actor ON audit (actor, number);

CREATE TABLE events (
    number BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    project_id TEXT,
    subject TEXT,
    user_id TEXT,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX events_of_subject ON events (subject, at);
