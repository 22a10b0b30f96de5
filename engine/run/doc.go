// Package run is the state machine of a run, and pure: it reads no clock, no storage, no network and knows no Slack.
//
// Deciding and doing are two steps with a record between them. Decide says what an input means for a run: facts, and effects
// to carry out once the facts are stored. Apply turns facts into state, and is the only way the state changes: Decide itself
// applies what it emits to a scratch copy. Only facts are stored for good; folding Apply over them gives the state.
//
//	worker: Claimed, Finished, Called, Lost    person: Answer, Cancel    timer: Fired    other runs: ChildOver, Happened    Start
//	                  \                                   |                        /            /
//	                   v                                  v                       v            v
//	Program (flow, compiled) ------------------------>  Decide  <------------------------ State, Reads, Context
//	                                                   /      \
//	                      facts (stored, one transition)      effects (after that): Perform, Dispatch, Revoke, Unlease
//	                                 |
//	                                 v
//	                   Apply: State, 'Fact -> State        View: facts -> what people see
//
// A token moves through the graph; a fork splits it, a join closes the fork's frame. A foreach opens a frame too, whose branches
// are slots: an item takes a free one, and leaves its result as a fact. A token's phase says what it is doing:
//
//	        +------------------------- route taken --------------------------+
//	        v                                                                |
//	-->  ready  -- Claimed -->  started  -- Finished -->  (route chosen) ----+--> path ended
//	      ^  ^                   |  |  \
//	      |  +---- lost ---------+  |   +-- error, retry left --> timer --+
//	      |                         |                                     |
//	      +--- answered --- gate <--+-- lost during a once act            |
//	      |                         |                                     |
//	      +--- retried --- failed <-+-- error that nothing catches        |
//	      +-----------------------------------------------------------<---+
//
// At a subflow node it waits for another run (child, until ChildOver), at a wait for an event for that (event, until Happened), held
// by nobody.
//
// Decisions, variable writes, values, terminals, loops, forks, joins and the opening of gates are pure: they are folded into the transition
// that reaches them. A worker's token goes on to the next acting node in the same transition; a token that nobody holds is
// dispatched.
//
// # Routes
//
// A finished step leaves by its routes (route.go). What other formats ask of it is in its output: Failed (a business "no", which is
// no error), Handle (the way out that it chose), Next and Tool. The token carries the first two to the choice of the route, and the
// others on its way, where expressions read them as state.next and state.tool. Gates have their choice as handle, decisions their
// value. Under the policy first one route is taken. Under all, every route that matches is (split.go): TokenSplit makes tokens of the
// same frame and branch, and nothing joins them. Under priority TokenForked opens a frame (Spread) whose branches end at the node
// where their ways meet; that node runs once, after all of them, with what they said together as previous output.
//
// A step with criteria, or with a route that asks a model, is judged before its routes are chosen (judge.go): JudgingStarted is the
// intent, Perform with Questions the effect, Finished with Verdicts the answer, Judged the fact. Nothing outside changes by it, so that
// it is repeated after a crash, and the finished step is not. The outcome is success when the step says so and all criteria are met;
// state.verdicts.ID tells them apart. Criteria are asked about together, routes when their turn comes.
//
// When no route is taken the path ends, and with it the innermost block goes on (NoMatch end and block are the same here: a block's
// frame hears of every path that ends in it). NoMatch caller takes the token back to the node at the start of the edge by which it
// came (cameFrom), over flow.CallerEdge: who is called needs no other memory of the caller than Token.Edge.
//
// Where to look next: state.go, fact.go and decide.go are the vocabulary; take.go begins a decision, move.go walks the graph,
// route.go and split.go choose where it goes on, perform.go starts acts, fail.go, gate.go, fork.go, foreach.go, timer.go, limit.go, lost.go,
// cases.go, pause.go, defer.go, judge.go, reopen.go, revision.go, child.go and event.go are what their names say; again.go and forkplan.go
// fork a run; view_past.go is how a view looks back beyond a change of revision; trial.go is what a dry run (engine/try) asks and decides; block.go and loop.go are
// loops and sequences, compute.go entries and values, talk.go the calls of agents that other nodes perform, endrun.go and arrival.go
// what their names say; scope.go is what expressions see; vars.go is what a variable's value takes and where it lives; apply.go, wait.go and items.go fold; kinds.go stores; view.go looks. testdata/flows shows every rule of the format by
// a small run; engine/enginetest has the driver, the generator and the scripts; engine is the conductor.
//
// # Decisions
//
//   - The active-time limit needs no timer: the state adds up the time it spent running, and the limit is looked at before a
//     visit. A step that hangs is ended by its node's timeout, which is the conductor's.
//   - What a token brings along (previous output, latest agent JSON, latest caught error) is in the token, and a branch has
//     its own outputs, variables and answers, instead of one run-wide scope: a branch must not see a running sibling, and what
//     is merged must not depend on who was first. A join merges outputs and answers of all branches in declared order, but
//     variables only of branches that reached their end: half a branch must not leave half its variables.
//   - A branch that failed keeps its tokens where they stopped until the join is closed. Trying a fork again, by its retry or
//     by a person, goes on from there instead of from the head of the branch: finished steps are never repeated. A step that
//     was in flight when the join's time was over is treated as after a crash.
//   - The list of a foreach is stored in parts of 100 items that follow each other without a gap, instead of as one output: who
//     needs an item reads one part, and not the whole list ten thousand times. An item is stored once more when it starts: it is
//     the previous output of its body's first node, so that an agent there reads its item and not the list.
//   - The output of a foreach is in no fact. StepFinished names its items, and the conductor gathers their results when somebody
//     reads them (Items.Gather). Such a read needs results that are stored: after its last item a foreach is dispatched once more
//     before it chooses its route, also when a limit keeps the rest out; and nobody asks in advance for what is not stored yet.
//   - Items are isolated like branches, also when they come one at a time: none sees another's outputs, answers or variables. What
//     they leave when the foreach is over comes from the item with the highest index that has it, whoever ended last.
//   - In the body <as>, <as>_index (from 0, as in <foreach>.result.0), <as>_number (from 1, as people count: there is no
//     arithmetic) and <as>_total are known, the innermost foreach first. A node of the same id hides them.
//   - An error that is not kept lets no more items in. Those that are open come to their end, then the foreach fails; trying it
//     again goes on with the items that failed, and then with the rest. At most 100 items are open at once.
//   - max_iterations counts the visits of one item, without those of items in an inner foreach; outside it counts the visits
//     outside. A limit that keeps further items out acts on the foreach, once no item is open.
//   - A path of an item that leads back to its own foreach is an error, instead of a list inside the list without end.
//   - Under "all" a failed branch does not end its siblings: the join waits for every branch (S3-47), then fails.
//   - A caught error is error.* on the token's way from there on; an error that is only retried, or that stopped the run, is
//     not, so that a repeated act has the same parameters under the same key. For the same reason now() in an act's parameters
//     is the time when the step first started.
//   - A decision and a wait leave "previous" as it was: the previous output is the last node that said something.
//   - An error that leaves open whether a once act took effect (NodeError.Unknown) is not retried by itself: an error route that
//     the author wrote for it is taken, else a person is asked what became of it.
//   - A second vote of the same person replaces the first: people change their minds while a quorum gathers, and one person
//     has one vote. The vote that decides is not stored as a vote but as the decision.
//   - An expired gate is an error of type GateTimeout unless a route names 'timeout' and matches. An error route with default
//     catches it: it was written for errors. A default route never does. The failure gate that remains offers to ask again or
//     to abort, and not to skip with a value: that would decide in the place of those who were asked.
//   - A gate that nobody may answer is an error of its node of type GateUnanswerable, like one that expired: the failure gate that
//     remains offers to ask again or to abort. Whether anybody may is asked once, when the gate opens, by a timer that is due at once
//     (people.go). When everybody leaves later the gate stays open: they may come back, and its reminders say that nobody may answer.
//   - A state with a field that a release does not know is refused, and not read without it: while processes are replaced one by one, an
//     older one leaves alone what a newer one has moved, until it is replaced. It would store the state without the field otherwise.
//   - A result that arrives after its token was ended is known by (token, step, epoch), kept in State.Unsettled (at most 64):
//     anything else from an old epoch is fenced without a trace.
//   - A limit of one node (its timeout, an agent's turns, tokens, money and time) is an error of that node first: it is tried again, and error
//     routes are asked. What nothing catches follows on_limit: handoff once, interrupt asks at the node, also inside a branch. end_path does so
//     in flows of other formats only: it is what holds when nobody has said anything, and no error may end a path silently (S3-63).
//   - Retry at a limit grants the limit once more; so does a handoff, once.
//   - One transition passes at most 200 pure nodes; then the token is dispatched and goes on in another.
//   - While a run is paused (pause.go) a token that becomes ready is held instead, by a rule of the fold and not by a fact of its
//     own: no fact can let a token slip through. A step in flight finishes and its route is chosen, so that what is held stands
//     before what would come next; a run whose last step finishes meanwhile has ended. A timer that fires is kept and its row
//     taken away; on resume the rows come back and fire one by one, each in a transition of its own. So a deadline that passed
//     during the pause still loses against an answer given during the pause.
//   - A variable's value above 8 KiB stays in the fact that sets it, and the state refers to that fact (State.Large); so do the largest of
//     what is set when the state has no more room. The 64 KiB count over all scopes, those of branches and open items too, so that a merge
//     never brings more than there is room for. What was set before stays where it is: nothing is stored twice. Facts say which values
//     they keep (VarsSet.Large), so that folding needs no bound, and bounds may change.
//   - One value may take 1 MiB, as much as a tool answers. Together variables are limited only by their names, with a reference each: more,
//     as a larger value, is a LimitError of the node. What branches beside it hold does not make a node fail.
//   - A failed run keeps its status while it is paused; whoever retries it finds it held.
//   - The time of a pause is not active time, except that of steps in flight. Clocks of joins that may stand do.
//   - Ways of a node that spread meet at the node that all of them can lead to and that is nearest to the farthest of them; this is
//     computed when they are taken, and stored in the fact. A way that never gets there is over when it ends. If none gets there the
//     meeting does not take place. Inner ways may meet at an outer meeting.
//   - A failed way stops the node that spread, with all that its siblings did kept, like the branch of a fork: retry goes on there. It
//     cannot be skipped with a value, since the node itself did not fail. Its error routes are not asked for the same reason.
//   - When one of several tokens of a branch stops the branch, the gates and timers of the others are taken away, as at a join timeout.
//   - Where somebody is asked and the rules say that all others pause then (PauseAll, defer.go), a token that newly reaches a node, or
//     stands before one that no worker has taken yet, waits its turn. Attempts of a started step are no news. Those that wait go on one
//     after the other: the next one when nobody is asked any more and what went on has come to its end (S1-32, S1-x12), and not all at
//     once, where a second question would stop some of them again in no order that anybody could foresee. They are kept in order of
//     arrival at their nodes, whoever came to wait first.
//   - Without a model, and when the model has no usable answer, a person is asked (GateJudge), one question after the other, by those
//     who would answer in an agent's place. The other system takes such a step as successful (S0-x20, S0-x21): nobody would know that
//     nobody had judged. A model that leaves questions open is asked again for those; one that answers none has no usable answer.
//   - In a trial nothing is judged: what hangs on a verdict is doubtful.
//   - A token sees its own output of the step that it has just finished; of other nodes, tokens of one scope (TokenSplit) see the latest,
//     whoever gave it. "previous" is always a token's own.
//   - Questions and criteria are sentences as they stand, not templates.
//   - A name that an agent gives as the next one counts as written, else in another spelling if no route has it exactly (S2-x07).
//   - Under priority, an expression that cannot be evaluated does not hold, instead of being an error of the node (S0-x19).
//   - A limit on the visits of one node (flow.Rules.Visits) is looked at where a route leads there; heads of branches and bodies are
//     not limited by it. It has a name of its own for every node, so that lifting one leaves the others.
//   - A run fits another revision when what is live is at nodes of the same id and kind there. More is asked of what cannot be turned
//     back: an act under way, or one that may have happened, must be the same act, and the branches of an open fork the same
//     branches. A step that failed may be another one: its next act gets a new generation.
//   - A view lights an edge of an earlier revision where the same edge is there now: same id, from, to and condition, for a decision its
//     expression too. Else a picture would show ways that nobody took.
//   - Going over to a revision asks every gate anew, also those about a failed step: its retry would be another step. What a person
//     wrote in a vote is in the facts, and counts no more.
//   - The id of a child is made of its parent, the step and a generation, so that a decision that is made twice asks for one run. Trying
//     the step again, by its retry or by a person, asks for another run: the one before is over and done with, and what it did keeps
//     its own keys.
//   - A child that stopped at an error keeps its parent waiting: people can still retry, skip or abort there. Only its end, or its
//     cancellation (SubflowError), comes to the parent.
//   - A run may begin held by what is paused (Start.Held): nothing of it happens then, not even a question.
//   - A join's clock stands while its branches wait for other runs, as it does for people and events, also when those runs are at
//     work: the parent does not know what they do. A node's timeout bounds how long it waits.
//   - The timeout of a fork or a foreach is an error of its own (TimeoutError), whatever its join says: it bounds the node, while the timeout
//     of a join says for how long branches are waited for. What had not ended stays where it stood, and a retry goes on there. The timeout
//     of a question is its deadline; that of a step that is performed is the conductor's.
//   - A child is told to end (ChildCancelled) in the transition that stops to wait for it: a join, a timeout, a cancel. It is not waited
//     for until it has ended.
//   - A run receives an event once, whatever waits for it, and the token that has waited longest has it. It remembers up to 256
//     events one by one; of earlier ones only up to when they happened.
//   - What an event carries may be heard by every run of the workspace: sensitive inputs are dots in it. An event that carries nothing
//     leaves "previous" as it was.
//   - A forked run has copies of the facts up to the fork point, so that nothing that reads them must know of another run. Its keys
//     name the origin, and its acts have a generation that no other run of that origin has: a step of the same number may be
//     another act there. Outputs that are kept for nodes further on are facts, one for each visit.
//   - What a fork has taken over counts as done in a fork of the fork, also what it had not come to yet (PlanFork). Any visit can be the
//     fork point, not only a node's latest. What was done under another revision than that of the fork point is not taken over: it may
//     have been another act.
//   - A run is forked where nothing else was live. Inside a branch or an item the siblings' halves would have to be taken or done
//     again without anybody having said which.
//   - Only the gate at which the run itself stopped can be reopened. One that expired inside a branch has failed the branch; what
//     comes of that is asked of those who answer for failures.
//   - A loop and a sequence (Block) keep their token: it goes through the rounds, and comes back to the block's node, in the same
//     visit, when its path ends. So rounds share outputs and variables, as the other system has it (S4-x12, S4-x15, S4-x16), an error in a
//     round stops the run where it happened instead of failing the loop, and neither the state nor a fact grows with the rounds. A
//     list is stored in parts, like that of a foreach.
//   - An edge that leads a token back to a block it is inside of begins that block anew, and leaves those inside of it (S4-x17). A
//     path that leaves the body for nodes behind the loop is still inside of it, and comes back when it ends.
//   - When a token inside a block is split (policy all) the first way stays in the block; the others are outside. Branches of a fork
//     end at their join, and their token is inside the block throughout.
//   - A way from inside a loop back to the loop itself leaves its rounds: that visit counts outside, or a circle through the loop would
//     have no cap.
//   - max_iterations counts the visits of one round, like those of an item; parts of a sequence are no rounds. limits.items bounds
//     the rounds: those of a for or an each before the first one, those of a while as they come.
//   - What an entry gives, and a compute with pull, is made whenever an expression reads it (S4-x04), so that no input is stored twice.
//     What is wrong with such a value is the error of the node that reads it; a value that needs itself names the circle (S4-x05).
//   - An agent with external tools does not repeat its conversation in any fact: a token keeps the numbers of the facts that hold what
//     the agent said and what came of its calls. Its first words are rendered anew with the previous output of then, because they
//     may hold sensitive inputs. The conversation is over when the agent answers without a call, or after tool_turns turns.
//   - An agent with pending calls takes its first route to a toolexec node whatever the route's condition says (S2-24, S2-x05); without one
//     its routes are tried as usual, and none that matches is an error: an agent must not end silently in the middle of a sentence.
//   - A toolexec with no route that matches gives back to the agent that asked, and not to the node that the token came from
//     (S2-16). With nothing pending it gives an empty list.
//   - A terminal that ends the run ends other tokens like a join ends branches: gates are superseded, timers deleted, workers told
//     to stop; once acts that may have happened stand in the run's end.
//   - Parameters by the arriving edge replace those of the same name of tools, agents, values, and the texts of questions and
//     messages; the expressions of decisions and loops are the same for every edge.
//   - In a trial a loop whose rounds are doubtful may go on or be over, before every round.
//   - A regular expression that does not compile matches literally; a broken expression is an error of its node (S3-36).
//   - A name is looked up among the roots first (event, inputs, vars, ...), then node ids, then items, then in the latest agent
//     JSON. A node called "output" is nodes.output.
//   - Messages, gates, stored parameters, the texts of values and the values behind a route show sensitive inputs as dots; conditions, agents and
//     tools see them. A run key holds their fingerprint.
//   - A run that is queued behind another with its key (on_duplicate: queue) exists at once and is held, under the scope key, instead of
//     being started later: nothing is lost, and people see it. No pause brings that hold about and no resume takes it away: whom it waits
//     for, and when its turn has come, the conductor says. Once it is gone it does not come back.
package run
