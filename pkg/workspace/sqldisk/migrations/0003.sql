-- Where bytes holds a document deflated (RFC 1951), how many bytes it has; 0: bytes is the document.
alter table document add column inflated bigint not null default 0;
