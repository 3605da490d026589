-- What a long stream had come to, so that it need not be read from its beginning. Thrown away at will.

CREATE TABLE pitledger.snapshots (
    property  text    NOT NULL,
    stream    text    NOT NULL,
    version   bigint  NOT NULL CHECK (version > 0),
    hash      bytea   NOT NULL,
    program   bytea   NOT NULL,
    state     bytea   NOT NULL,
    PRIMARY KEY (property, stream)
);
ALTER TABLE pitledger.snapshots ALTER state SET STORAGE EXTERNAL;  -- it would cost more to compress than to read
COMMENT ON TABLE pitledger.snapshots IS
    'No part of the ledger: what a program made of the first so many events of a stream. Empty it whenever you like.';
COMMENT ON COLUMN pitledger.snapshots.hash IS
    'the hash of the event it stands on; where the ledger has another there, the snapshot counts for nothing';
COMMENT ON COLUMN pitledger.snapshots.program IS 'the code that made it; other code does not read it';
