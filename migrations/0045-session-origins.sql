-- Where a session was used last, for 'Onde estou conectado'. Null until this version has renewed a session of 0.2.
alter table sessions add column ip text, add column user_agent text;
