package surface

import (
	"cmp"
	"fmt"

	"sluice/engine/llm"
	"sluice/engine/view"
)

// Cost is the price of a model's answers in words, or the reason why it is not known.
func Cost(u llm.Usage) string {
	unpriced := ""
	if !u.Priced {
		unpriced = cmp.Or(u.Model, "the model")
	}
	return costWords(u.USD, unpriced)
}

// costWords says a sum in USD; unpriced names a model whose cost is not in it.
func costWords(usd float64, unpriced string) string {
	switch {
	case unpriced == "":
		return "model cost " + amount(usd)
	case usd > 0:
		return fmt.Sprintf("model cost %s and more: no price for %s", amount(usd), unpriced)
	}
	return "cost unknown: no price for " + unpriced
}

// amount writes USD. An amount below a cent is not rounded to nothing.
func amount(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "less than 0.01 USD"
	}
	return fmt.Sprintf("%.2f USD", usd)
}

// spent is the use of models by a run in words; empty when none was asked.
func spent(v *view.View) string {
	tokens := v.Usage.InputTokens + v.Usage.OutputTokens
	if tokens == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d tokens)", costWords(v.Usage.USD, v.Usage.Unpriced), tokens)
}

// cost is what a run has spent, as the end of a line.
func cost(v *view.View) string {
	if words := spent(v); words != "" {
		return " · " + words
	}
	return ""
}
