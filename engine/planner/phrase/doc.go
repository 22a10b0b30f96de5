// Package phrase reads the parts of sentences: the tokens of a text with their places, the items of lists, patterns of words, and the people,
// numbers, times and verbs in them.
//
//	Token, Scan        words and signs with their places             token.go, spelling.go
//	Arrange, Item      numbered, bulleted and running text           layout.go
//	Fit, Whole         patterns with alternatives and slots          pattern.go
//	ReadWho, ReadTerm  people, durations, counts, times of day       values.go
//	ReadDate           days, and times of them                       date.go
//	TimeAt, SentAt     which words say when something is done        times.go, clock.go
//	ReadCounted        times that are counted from a date            counted.go
//	Finished, Approved what only states that something has happened  said.go
//	ClauseEnd          where one clause ends and another begins      clause.go
//	StartsStep         which words are verbs and what they stand in  words.go, verb.go, subject.go
//
// It makes no steps and knows no tree: the grammar of steps is in engine/planner/outline.
package phrase
