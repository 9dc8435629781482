-- The last runs that came to nothing, kept when their slots have been done since.
create table failure (
	ws        text   not null references workspace,
	schedule  text   not null,
	slot      text   not null,
	attempt   bigint not null,
	error     text   not null,
	failed_at bigint not null,
	primary key (ws, schedule, slot, attempt)
);
