// Package models reads which services answer for agents and make drafts: the variables of one OpenAI-compatible service, and a file of named
// providers with prices and limits.
//
//	Settings.List        the providers, and what is wrong with them
//	Settings.Open        the language models
//	Settings.Priced      whether the price of a model is known
//	Settings.Rows        the settings for people, without keys
//
// It does not know what a model is asked; see engine/llm for the services, and engine/budget for what prices and limits mean.
package models
