grant select, insert, update on mirror to memory_tenant, memory_worker;

alter table mirror enable row level security;
alter table mirror force row level security;
create policy tenant on mirror using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));
