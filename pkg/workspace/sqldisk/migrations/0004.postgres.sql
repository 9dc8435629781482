grant select, insert, update, delete on failure to memory_worker;

alter table failure enable row level security;
alter table failure force row level security;
create policy tenant on failure using (ws = current_setting('memory.ws', true)) with check (ws = current_setting('memory.ws', true));
