package flow

// Limits of a document. With them the cost of a hostile file is proportional to its length.
const (
	MaxDocumentBytes = 1 << 20 // size of a flow file
	MaxDepth         = 64      // nesting of lists and mappings
	MaxNodes         = 2000    // run-time nodes of a flow
	MaxAgents        = 500     // agents of a flow, and triggers
	MaxSubagents     = 8       // agents that call each other, from the first to the last
	MaxKeys          = 1000    // keys of one mapping
	MaxValues        = 200_000 // values of a document after YAML aliases are followed
	MaxProblems      = 200     // problems reported for one document
)
