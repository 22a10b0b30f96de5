-- What a person has used of a model provider in a day, by drafts and by agents of runs that the person started.

CREATE TABLE model_use (
    person   TEXT NOT NULL,
    day      TEXT NOT NULL,   -- of the installation's zone, as 2026-11-22
    provider TEXT NOT NULL,
    tokens   BIGINT NOT NULL,
    nano     BIGINT NOT NULL, -- billionths of a USD
    PRIMARY KEY (person, day, provider)
);

CREATE INDEX model_use_day ON model_use (day);
