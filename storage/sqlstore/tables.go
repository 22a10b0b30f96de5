package sqlstore

// The tables' columns in the order in which write.go lists their values.
var (
	runColumns = []Column{
		{"id", Text},
		{"flow", Text},
		{"revision", Int},
		{"number", Int},
		{"name", Text},
		{"title", Text},
		{"key", Text},
		{"status", Text},
		{"version", Int},
		{"last_fact", Int},
		{"parent", Text},
		{"channel", Text},
		{"thread", Text},
		{"by_user", Text},
		{"steps", Int},
		{"started", Time},
		{"ended", Time},
		{"state", Bytes},
		{"outcome", Text},
	}
	// updateColumns are what a transition changes, and what it counts on.
	updateColumns = []Column{
		{"id", Text},
		{"revision", Int},
		{"title", Text},
		{"status", Text},
		{"channel", Text},
		{"thread", Text},
		{"steps", Int},
		{"ended", Time},
		{"state", Bytes},
		{"version", Int},
		{"facts", Int},
		{"after", Int},
		{"outcome", Text},
	}
	runKeyColumns = []Column{{"flow", Text}, {"key", Text}, {"run", Text}, {"taken", Time}}
	factColumns   = []Column{
		{"run", Text},
		{"seq", Int},
		{"kind", Text},
		{"version", Int},
		{"at", Time},
		{"actor", Bytes},
		{"token", Int},
		{"node", Text},
		{"step", Int},
		{"body", Bytes},
		{"blob", NullText},
	}
	blobColumns  = []Column{{"hash", Text}, {"body", Bytes}}
	leaseColumns = []Column{
		{"run", Text}, {"token", Int}, {"epoch", Int}, {"worker", NullText}, {"claimed", Time}, {"job_id", Int},
	}
	timerColumns = []Column{
		{"id", Text}, {"run", Text}, {"num", Int}, {"kind", Text}, {"due", Time}, {"wake", Time}, {"body", Bytes},
	}
	eventColumns = []Column{{"id", Text}, {"name", Text}, {"at", Time}, {"body", Bytes}}
	waitColumns  = []Column{{"run", Text}, {"token", Int}, {"name", Text}, {"since", Time}}
	gateColumns  = []Column{
		{"id", Text},
		{"run", Text},
		{"num", Int},
		{"node", Text},
		{"kind", Text},
		{"status", Text},
		{"choice", Text},
		{"by_user", Text},
		{"opened", Time},
		{"due", Time},
		{"decided", Time},
		{"body", Bytes},
		{"asked", Text},
	}
	flowColumns = []Column{
		{"name", Text}, {"head", Int}, {"channel", Text}, {"owner", Text}, {"paused", Bool}, {"updated", Time},
	}
	pauseColumns    = []Column{{"flow", Text}, {"actor", Bytes}, {"reason", Text}, {"since", Time}}
	revisionColumns = []Column{
		{"flow", Text},
		{"number", Int},
		{"hash", Text},
		{"lock_hash", Text},
		{"body", Bytes},
		{"lock", Bytes},
		{"draft", Text},
		{"by_user", Text},
		{"at", Time},
	}
	draftColumns = []Column{
		{"id", Text},
		{"channel", Text},
		{"thread", Text},
		{"number", Int},
		{"flow", Text},
		{"status", Text},
		{"author", Text},
		{"base", Int},
		{"hash", Text},
		{"body", Bytes},
		{"version", Int},
		{"created", Time},
	}
	scheduleColumns = []Column{
		{"id", Text},
		{"flow", Text},
		{"cron", Text},
		{"zone", Text},
		{"inputs", Bytes},
		{"owner", Text},
		{"channel", Text},
		{"next", Time},
		{"last", Time},
		{"catch_up", Text},
		{"overlap", Text},
		{"paused", Bool},
		{"failures", Int},
		{"version", Int},
		{"latest_run", Text},
		{"kept", Bytes},
	}
	surfaceColumns = []Column{
		{"id", Text},
		{"kind", Text},
		{"ref", Text},
		{"channel", Text},
		{"thread", Text},
		{"user_id", Text},
		{"ts", Text},
		{"body", Bytes},
		{"wanted", Int},
		{"shown", Int},
		{"hash", Text},
		{"file", Text},
		{"retry_at", Time},
		{"tries", Int},
		{"created", Time},
		{"since", Int},
	}
	auditColumns = []Column{
		{"at", Time}, {"user_id", Text}, {"team", Text}, {"via", Text}, {"what", Text}, {"ref", Text}, {"detail", Bytes},
	}
)

// How rows get into the tables.
var (
	runs    = table{"runs", runColumns, ""}
	runKeys = table{"run_keys", runKeyColumns, replace("flow, key", runKeyColumns...)}
	// freeRunKeys takes a key that nobody holds, or only from before a time.
	freeRunKeys = table{"run_keys", runKeyColumns, replace("flow, key", runKeyColumns...) + " WHERE run_keys.taken < ?"}
	facts       = table{"facts", factColumns, ""}
	blobs       = table{"blobs", blobColumns, "ON CONFLICT (hash) DO NOTHING"}
	leases      = table{"leases", leaseColumns, replace("run, token", leaseColumns...)}
	timers      = table{"timers", timerColumns, replace("id", timerColumns...)}
	signals     = table{"timers", timerColumns, "ON CONFLICT (id) DO NOTHING"}
	events      = table{"events", eventColumns, "ON CONFLICT (id) DO NOTHING"}
	waits       = table{"waits", waitColumns, replace("run, token", waitColumns...)}
	gates       = table{"gates", gateColumns, replace("id", gateColumns...)}
	flows       = table{"flows", flowColumns, replace("name", flowColumns...)}
	pauses      = table{"pauses", pauseColumns, "ON CONFLICT (flow) DO NOTHING"}
	revisions   = table{"revisions", revisionColumns, ""}
	drafts      = table{"drafts", draftColumns, ""}
	schedules   = table{"schedules", scheduleColumns, ""}
	surfaces    = table{"surfaces", surfaceColumns, "ON CONFLICT (id) DO NOTHING"}
	audits      = table{"audit", auditColumns, ""}
)
