-- What each mirror has pushed last, so that a push whose answer was lost is known when it comes again. The name
-- of a machine belongs to the principal that pushed under it first.
create table mirror (
	ws        text   not null references workspace,
	machine   text   not null check (machine <> ''),
	principal text   not null,
	push      text   not null,
	revision  bigint not null,
	pushed_at bigint not null,
	primary key (ws, machine)
);
