package main

import (
	"fmt"
	"maps"
	"os"
	"strings"

	"sluice/engine/secret"
)

// secrets are the settings whose values are never shown, by the name of their variable.
func (c *config) secrets() map[string]string {
	all := map[string]string{
		"SLACK_BOT_TOKEN": c.SlackBotToken, "SLACK_APP_TOKEN": c.SlackAppToken, "SLUICE_OPS_TOKEN": c.OpsToken,
	}
	for name, address := range map[string]string{"DATABASE_URL": c.DatabaseURL, "SLACK_API_URL": c.SlackAPIURL} {
		for i, value := range secret.AddressSecrets(address) {
			all[fmt.Sprintf("%s_%d", name, i+1)] = value
		}
	}
	maps.Copy(all, c.Settings.Secrets())
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// hide removes secrets from a text for a log or a terminal.
func (c *config) hide() func(string) string {
	env, err := secret.NewEnv(os.Environ())
	if err != nil {
		env = &secret.Env{} // an error in it is reported where it is used
	}
	r := env.RedactorWith(c.secrets())
	return func(text string) string { return r.Redact(secret.HideAddresses(text)) }
}

// fromEnvironment are the settings of which an error may say something before they are read.
func fromEnvironment() *config {
	var c config
	c.SlackBotToken, c.SlackAppToken = os.Getenv("SLACK_BOT_TOKEN"), os.Getenv("SLACK_APP_TOKEN")
	c.OpenAIKey, c.OpsToken = os.Getenv("OPENAI_API_KEY"), os.Getenv("SLUICE_OPS_TOKEN")
	c.DatabaseURL, c.OpenAIBaseURL, c.Models = os.Getenv("DATABASE_URL"), os.Getenv("OPENAI_BASE_URL"), os.Getenv("SLUICE_MODELS")
	return &c
}

// shown is an error's text for a terminal.
func shown(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return fromEnvironment().hide()(text)
}
