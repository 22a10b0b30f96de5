package river

import "strings"

const (
	queueName = "sluice"
	kind      = "carry"
	// maxAttempts is River's usual number; nothing here fails a job, so that it is never used up.
	maxAttempts = 25
)

// The pieces of SQL with which a store puts jobs into the queue; see storage.Queue.
const (
	// Put inserts a job for each row v (run, token, epoch) of {rows} and wakes the clients up when the transaction commits. It returns
	// job_id, run and token.
	Put = `INSERT INTO river_job (args, kind, max_attempts, queue, priority, state)
		SELECT jsonb_build_object('run', v.run, 'token', v.token, 'epoch', v.epoch), 'carry', 25, 'sluice', 1, 'available' FROM {rows}
		RETURNING id AS job_id, args->>'run' AS run, (args->>'token')::bigint AS token,
			pg_notify(current_schema() || '.river_insert', '{"queue":"sluice"}')::text AS woken`

	// Gone is the condition that the job {job} will wake no worker any more. A job that has been running for a while without its item
	// being claimed was fetched by a client that does not know it: the answer was lost with the connection.
	Gone = `NOT EXISTS (SELECT 1 FROM river_job WHERE id = {job} AND (state IN ('available', 'pending', 'retryable', 'scheduled')
		OR state = 'running' AND attempted_at > now() - interval '10 seconds'))`

	// End ends the job {job}, which would otherwise count as running for ever.
	End = `UPDATE river_job SET state = 'cancelled', finalized_at = now() WHERE id = {job} AND state = 'running'`

	// EndDead ends the jobs that the clients in $1 were performing.
	EndDead = `UPDATE river_job SET state = 'cancelled', finalized_at = now()
		WHERE state = 'running' AND kind = 'carry' AND queue = 'sluice' AND attempted_by[array_upper(attempted_by, 1)] = ANY ($1::text[])`
)

// lock is taken while River's tables are made or changed.
const lock = `SELECT pg_advisory_lock(hashtextextended('sluice river ' || current_schema(), 0))`

const unlock = `SELECT pg_advisory_unlock(hashtextextended('sluice river ' || current_schema(), 0))`

// waking finds the jobs of an item. The index on args finds those of its run; there are as many as its tokens.
const waking = `SELECT id FROM river_job WHERE args @> jsonb_build_object('run', $1::text) AND args->>'token' = $2::bigint::text
	AND args->>'epoch' = $3::bigint::text AND kind = 'carry' AND state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`

// putItems is Put for items in three arrays.
var putItems = strings.Replace(Put, "{rows}", "unnest($1::text[], $2::bigint[], $3::bigint[]) AS v (run, token, epoch)", 1)
