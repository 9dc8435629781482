-- Two roles that own nothing and can't log in. Whoever serves is a member of both.
do $$ begin
	if not exists (select from pg_roles where rolname = 'memory_tenant') then create role memory_tenant nologin; end if;
	if not exists (select from pg_roles where rolname = 'memory_worker') then create role memory_worker nologin; end if;
end $$;
grant memory_tenant, memory_worker to current_user;

-- What serves requests sees one workspace, the one that its transaction names.
grant select on workspace, document, principal, token, grants to memory_tenant;
grant update (revision) on workspace to memory_tenant;
grant insert, update on document to memory_tenant;

-- Workers and the operator's commands see which workspaces there are and what is due in all of them. The rest
-- they see of the workspace that their transaction names.
grant select, insert, update on workspace, document, slot, due, principal, token, grants to memory_worker;
grant delete on due, token, grants to memory_worker;

alter table workspace enable row level security;
alter table workspace force row level security;
create policy tenant on workspace using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));
create policy worker on workspace to memory_worker using (true) with check (true);

alter table document enable row level security;
alter table document force row level security;
create policy tenant on document using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));

alter table slot enable row level security;
alter table slot force row level security;
create policy tenant on slot using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));

alter table due enable row level security;
alter table due force row level security;
create policy worker on due to memory_worker using (true) with check (true);

alter table principal enable row level security;
alter table principal force row level security;
create policy tenant on principal using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));

alter table token enable row level security;
alter table token force row level security;
create policy tenant on token using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));

alter table grants enable row level security;
alter table grants force row level security;
create policy tenant on grants using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));
