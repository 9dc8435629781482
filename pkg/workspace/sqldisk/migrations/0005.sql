-- Mirrors were removed: nobody pushes documents any more.
drop table mirror;
