-- Times are milliseconds since 1970 in UTC. BYTES is bytea in PostgreSQL, blob in SQLite.
-- Every key begins with ws: the tables can be split by it.

create table workspace (
	ws           text   not null primary key check (ws <> ''),
	organisation text   not null default '',
	revision     bigint not null default 0,
	created_at   bigint not null
);

-- A document that was removed keeps its row, with the digest '' and no bytes, so that whoever asks
-- for what has changed since a revision is told.
create table document (
	ws       text   not null references workspace,
	path     text   not null,
	bytes    BYTES,
	sha256   text   not null,
	revision bigint not null,
	primary key (ws, path)
) PARTITIONED;
create index document_revision on document (ws, revision);

-- Runs that have been done, or given up with an error.
create table slot (
	ws       text   not null references workspace,
	schedule text   not null,
	slot     text   not null,
	run      text   not null,
	error    text   not null default '',
	done_at  bigint not null,
	primary key (ws, schedule, slot)
);

-- Which run of a schedule comes next. A lease is that of a worker which holds no transaction.
create table due (
	ws          text   not null references workspace,
	schedule    text   not null,
	slot        text   not null,
	next_at     bigint not null,
	failures    bigint not null default 0,
	error       text   not null default '',
	lease       text   not null default '',
	lease_until bigint not null default 0,
	primary key (ws, schedule)
);
create index due_next on due (next_at);

create table principal (
	ws         text   not null references workspace,
	name       text   not null check (name <> ''),
	created_at bigint not null,
	primary key (ws, name)
);

-- Of a token only the SHA-256 is kept.
create table token (
	ws         text   not null,
	hash       text   not null,
	principal  text   not null,
	label      text   not null default '',
	created_at bigint not null,
	expires_at bigint not null,
	primary key (ws, hash),
	foreign key (ws, principal) references principal (ws, name)
);

create table grants (
	ws        text not null,
	principal text not null,
	scope     text not null,
	access    text not null,
	primary key (ws, principal, scope, access),
	foreign key (ws, principal) references principal (ws, name)
);
