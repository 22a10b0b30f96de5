// Package registry has the agents of the installation, which flows name by id.
//
//	ReadFiles     reads them from a file, or from the files of a directory
//	Files.Check   says what is wrong with them, with places
//	Change        adds agents to the database, which all processes share, and removes them
//	New           makes the registry of what was read, and of the database
//	Instructions  renders what an agent is told, for one step
//
// An agent of a file looks like one that a flow declares: id, description, model (or provider and model), temperature, instructions, tools,
// subagents, output and limits. Its instructions are templates. They read what the step gives it (input), what the step before said
// (previous), and the run: {{input.language}}, {{run.title}}.
//
// The package knows no runs. engine/flow/agents puts the agents into flows; engine/lock compares them with what was approved; engine/node
// lets them answer.
//
// # Decisions
//
//   - Instructions do not read the steps, inputs and variables of a flow by name: an agent of the installation serves many flows.
//   - Where a file and the database have an agent of one id, the file counts: its installation was set up so. An agent that a file declares cannot
//     be added to the database.
//   - The database keeps the text that was added, so that a later release reads what was written, and people see their own words.
//   - A flow has a copy of each agent that it names, and runs with this copy. An agent that has changed is a change of the flow,
//     which asks for approval, as with a changed tool.
package registry
