// Package approval says what a revision of a flow newly allows, and so whether a second person must approve it.
//
// [Review] compares two revisions and lists everything that counts. [NewlyAllows] is the part about effects, hosts, channels, secrets,
// triggers and gates; [CompareLock] is the part about the dependencies of a flow; [CanWrite] tells whether a run may change something
// outside.
//
// The package is pure. It does not know approvers, tools or the store: callers pass [Surroundings].
//
// Where to look next: package flow has the document and [flow.ApprovalHash], which an approval is valid for; engine and bot ask for a review
// before they show a draft.
//
// # Decisions
//
//   - A review is a comparison of canonical forms with a short list of harmless paths: a field that is added to the format later counts
//     automatically. A flow's description is harmless only where no model reads it as the goal.
//   - A message that a tool posts to people is a write, and so is an event that other runs wait for. A message in the run's own thread
//     (say) is not. The effects that a step declares decide how it is repeated after a crash; they do not turn a tool that writes into one that
//     reads.
//   - A lock of an older release does not name a tool's policy, host and request. Fields that were not recorded are not compared.
package approval
