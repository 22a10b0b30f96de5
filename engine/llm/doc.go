// Package llm is what Sluice asks of a language model: one turn of a conversation, with tools it may call and a schema its
// answer should have. [Model] is the whole interface; [OpenAI] fills it in over any endpoint that speaks OpenAI's chat
// completions.
//
// A turn is repeated here, and only here, when the service is busy (429), broken (5xx) or lost the connection; what is left
// is an [*Error] with a type that error routes can match. Neither prompts nor answers nor keys are logged, and keys are
// removed from error messages.
//
// The package imports nothing of the project. It does not know agents, tools that do something, journals or runs: the loop is
// in engine/agent. A scripted service for tests is in engine/llm/llmtest.
//
// Decisions:
//   - Waiting times double and have no random part: a bot sends few turns at once, and tests and logs stay readable. When
//     the service names a time (Retry-After), that is kept; when it is longer than MaxWait, the error has it instead.
//   - A service that does not know response_format is asked once more without it, and not again with it: agents check the
//     answer against the schema anyway.
//   - Redirects are not followed: they would take the key and the conversation to an address nobody configured.
//   - A service that reports no usage is charged an estimate (a token for every four bytes), so that limits still hold.
//   - The cost of a model without a price is unknown, which is not 0 USD: a usage says whether its price is known. A flow that
//     limits USD for such a model is refused when it is checked; limits in tokens and turns always hold.
//   - What is in front of the first slash of a model's name is its provider when one is called so; else the whole name is one
//     of the default provider, since some services have slashes in their models' names.
//   - Requests a minute are counted per process: services count for themselves, and answer 429 when several processes are too many.
package llm
