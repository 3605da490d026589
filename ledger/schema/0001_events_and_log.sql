-- The ledger: what happened (events), in which order (log), and how to check both with psql alone.
--
-- Everything lives in the schema `pitledger`, which `ledger/migrations.py` makes before it runs this file.

-- ------------------------------------------------------------------------------------------ whose ledger

CREATE TABLE pitledger.property (
    property    text     PRIMARY KEY CHECK (property <> ''),
    currency    text     NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    time_zone   text     NOT NULL CHECK (time_zone <> ''),
    day_starts  smallint NOT NULL CHECK (day_starts BETWEEN 0 AND 23)
);
CREATE UNIQUE INDEX one_property_a_ledger ON pitledger.property ((true));
COMMENT ON TABLE pitledger.property IS
    'Whose ledger this is (one row): amounts are in hundredths of its currency, a gaming day begins at day_starts o''clock.';

-- ------------------------------------------------------------------------------------------ the events

-- One value an append. CACHE 1 and nothing else: an append that saw another began after that one was
-- committed, so its number is higher, and batch order never breaks the order inside a stream.
CREATE SEQUENCE pitledger.batches AS bigint CACHE 1;

CREATE TABLE pitledger.events (
    property        text        NOT NULL,
    stream          text        NOT NULL,
    version         bigint      NOT NULL CHECK (version > 0),
    batch           bigint      NOT NULL,
    place           integer     NOT NULL CHECK (place >= 0),
    name            text        NOT NULL,
    schema_version  integer     NOT NULL CHECK (schema_version > 0),
    occurred_at     timestamptz NOT NULL,
    recorded_at     timestamptz NOT NULL,
    badge           text        NOT NULL,
    role            text        NOT NULL,
    command         text        NOT NULL,
    step            integer     NOT NULL CHECK (step >= 0),
    table_name      text,
    gaming_day      date,
    data            json        NOT NULL,
    command_text    json,
    hash            bytea       NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (property, stream, version),
    CHECK ((step = 0) = (command_text IS NOT NULL))
);
CREATE UNIQUE INDEX events_by_append ON pitledger.events (property, batch, place);
CREATE UNIQUE INDEX a_command_is_stored_once ON pitledger.events (property, command) WHERE step = 0;
CREATE INDEX openings ON pitledger.events (property, table_name, batch, place) WHERE name = 'TableOpened';

COMMENT ON TABLE  pitledger.events IS 'Every fact, written once. Read it in order through pitledger.event_log.';
COMMENT ON COLUMN pitledger.events.version IS 'place in its stream: 1, 2, 3, ...';
COMMENT ON COLUMN pitledger.events.batch IS 'the append that stored it, all or none; not an order to read by (see pitledger.log)';
COMMENT ON COLUMN pitledger.events.place IS 'place in its append: 0, 1, 2, ...';
COMMENT ON COLUMN pitledger.events.occurred_at IS 'when it happened at the table, as the command says';
COMMENT ON COLUMN pitledger.events.recorded_at IS 'when the ledger wrote it down, by the ledger''s own clock';
COMMENT ON COLUMN pitledger.events.command IS 'id of the command it came from';
COMMENT ON COLUMN pitledger.events.step IS 'place among the events of that command: 0, 1, 2, ...';
COMMENT ON COLUMN pitledger.events.data IS 'the event itself: keys sorted, compact, the exact text that was hashed';
COMMENT ON COLUMN pitledger.events.command_text IS 'the command as it arrived, keys sorted, on step 0 only';
COMMENT ON COLUMN pitledger.events.hash IS 'SHA-256 over all that and the hash of the event before it in its stream: pitledger.event_hash';

-- ------------------------------------------------------------------------------------------ the log

-- Appends that have no place in the log yet. A queue: rows come with their events and go when placed.
CREATE TABLE pitledger.tickets (
    property  text    NOT NULL,
    batch     bigint  NOT NULL,
    events    integer NOT NULL CHECK (events > 0)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE pitledger.log (
    property        text   NOT NULL,
    first_position  bigint NOT NULL CHECK (first_position > 0),
    last_position   bigint NOT NULL CHECK (last_position >= first_position),
    batch           bigint NOT NULL,
    PRIMARY KEY (property, last_position),
    UNIQUE (property, batch)
);
COMMENT ON TABLE pitledger.log IS
    'The order of everything: position of an event = first_position of its append + place. 1, 2, 3, ... without gaps, for ever.';

-- Gives every stored append its place in the log and says where the log ends. One at a time; whoever
-- waits finds the work done. It takes what is committed and waits for nothing else: an append that commits
-- late gets a later place. READ COMMITTED matters: the statement after the lock must see what the
-- sequencer before it did.
CREATE FUNCTION pitledger.sequence_log() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF EXISTS (SELECT FROM pitledger.tickets) THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('pitledger.log', 0));
        WITH taken AS (
            DELETE FROM pitledger.tickets RETURNING property, batch, events
        ), placed AS (
            SELECT t.property, t.batch, t.events, sum(t.events) OVER (ORDER BY t.batch) AS up_to
              FROM taken t
        ), head AS (
            SELECT coalesce(max(last_position), 0) AS position FROM pitledger.log
        )
        INSERT INTO pitledger.log (property, first_position, last_position, batch)
        SELECT p.property, h.position + p.up_to - p.events + 1, h.position + p.up_to, p.batch
          FROM placed p, head h;
    END IF;
    RETURN coalesce((SELECT max(last_position) FROM pitledger.log), 0);
END
$$;
COMMENT ON FUNCTION pitledger.sequence_log() IS 'Brings the log up to date; returns the last position.';

-- ------------------------------------------------------------------------------------------ append only

CREATE FUNCTION pitledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'pitledger.% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING HINT = 'What was wrong is put right by a new event.';
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pitledger.events
    FOR EACH STATEMENT EXECUTE FUNCTION pitledger.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pitledger.log
    FOR EACH STATEMENT EXECUTE FUNCTION pitledger.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pitledger.property
    FOR EACH STATEMENT EXECUTE FUNCTION pitledger.refuse_change();
-- ALWAYS: session_replication_role = replica does not step around them.
ALTER TABLE pitledger.events ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE pitledger.log ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE pitledger.property ENABLE ALWAYS TRIGGER append_only;

-- ------------------------------------------------------------------------------------------ the auditor

CREATE VIEW pitledger.event_log AS
SELECT l.first_position + e.place                        AS position,
       e.stream, e.version, e.name                       AS event,
       e.occurred_at, e.recorded_at, e.badge, e.role, e.command,
       e.table_name                                      AS "table",
       e.gaming_day,
       (e.data ->> 'roll')::bigint                       AS roll,
       e.data ->> 'player'                               AS player,
       e.data ->> 'wager'                                AS wager,
       e.data ->> 'kind'                                 AS kind,
       (e.data ->> 'amount')::bigint                     AS amount,
       e.data ->> 'section'                              AS section,
       e.data, e.command_text,
       encode(e.hash, 'hex')                             AS hash
  FROM pitledger.events e
  LEFT JOIN pitledger.log l ON l.property = e.property AND l.batch = e.batch;
COMMENT ON VIEW pitledger.event_log IS
    'Every event, flat. ORDER BY position; SELECT pitledger.sequence_log() first if a position is null (stored since anyone last read).';

-- A field of the hashed frame: "<bytes>:<text>,", or "-," for NULL. No text can imitate a boundary.
CREATE FUNCTION pitledger.framed(field text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(octet_length(field)::text || ':' || field || ',', '-,')
$$;
CREATE FUNCTION pitledger.framed(field timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT pitledger.framed(to_char(field AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
$$;
CREATE FUNCTION pitledger.framed(field date) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT pitledger.framed(to_char(field, 'YYYY-MM-DD'))
$$;

-- Says the same as ledger.envelope. `previous` is the hash of the event before it in its stream, NULL for
-- the first. What the store adds afterwards (batch, place, position) is no part of what was said.
CREATE FUNCTION pitledger.event_hash(previous bytea, e pitledger.events) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(
        pitledger.framed('pitledger.event.1'::text)
        || pitledger.framed(e.property)    || pitledger.framed(e.stream)
        || pitledger.framed(e.table_name)  || pitledger.framed(e.gaming_day)
        || pitledger.framed(e.occurred_at) || pitledger.framed(e.recorded_at)
        || pitledger.framed(e.badge)       || pitledger.framed(e.role)
        || pitledger.framed(e.command)     || pitledger.framed(e.version::text)
        || pitledger.framed(e.step::text)  || pitledger.framed(e.name)
        || pitledger.framed(e.schema_version::text)
        || pitledger.framed(e.data::text)  || pitledger.framed(e.command_text::text), 'UTF8')
        || coalesce('32:'::bytea || previous || ','::bytea, '-,'::bytea))
$$;
COMMENT ON FUNCTION pitledger.event_hash(bytea, pitledger.events) IS
    'What the hash of an event must be, given the hash of the one before it in its stream.';

CREATE VIEW pitledger.broken_links AS
SELECT property, stream, version, hash, recomputed
  FROM (SELECT e.property, e.stream, e.version, e.hash,
               pitledger.event_hash(lag(e.hash) OVER (PARTITION BY e.property, e.stream ORDER BY e.version), e)
                   AS recomputed
          FROM pitledger.events e) AS chain
 WHERE hash IS DISTINCT FROM recomputed;
COMMENT ON VIEW pitledger.broken_links IS
    'Events whose stored hash is not what their content and their predecessor''s hash give. Empty when nothing was touched.';
