-- A past roll is told without reading its whole day, and with the disputes that there were of it.

TRUNCATE pitledger.snapshots;
ALTER TABLE pitledger.snapshots DROP CONSTRAINT snapshots_pkey, ADD PRIMARY KEY (property, stream, version);

CREATE INDEX disputes_opened ON pitledger.events (property, table_name, gaming_day) WHERE name = 'DisputeOpened';
