package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"sluice/engine/llm"
	"sluice/engine/naming"
)

// models asks every model provider whether it has what is asked of it.
func (d *examination) models(ctx context.Context) {
	if !d.Models {
		return // the configuration says so
	}
	if len(d.Providers) == 0 {
		d.say(Fine, "model", "", "none is configured: drafts are made from outlines, and people answer in the place of agents")
	}
	for _, p := range d.Providers {
		check := "model"
		if p.Name != d.Default {
			check += " provider " + p.Name
		}
		l, text, do := d.lookAt(ctx, p)
		d.say(l, check, do, "%s", text)
	}
}

// toCorrect names what to correct for a provider.
func (d *examination) toCorrect(p llm.Provider) (key, address, model string) {
	if p.Name == d.Default {
		return cmp.Or(p.KeyName, "OPENAI_API_KEY"), "OPENAI_BASE_URL", "OPENAI_MODEL"
	}
	return cmp.Or(p.KeyName, "its key"), "its base_url in the file of SLUICE_MODELS", "its models in the file of SLUICE_MODELS"
}

// lookAt asks a provider for its models, which is the cheapest question for which it looks at the key, and says what that means.
func (d *examination) lookAt(ctx context.Context, p llm.Provider) (l Level, text, do string) {
	key, address, model := d.toCorrect(p)
	ids, status, err := modelsOf(ctx, p)
	switch {
	case errors.Is(err, errNoList):
		return Warning, "its service answers something that is no list of models", "correct " + address + ": it should end in /v1 for most services"
	case err != nil:
		return Wrong, "its service does not answer: " + err.Error(), "start the service, or correct " + address
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Wrong, "its service does not accept the key (" + answered(status) + "): agents and drafts from words fail", "correct " + key
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return Warning, "its service answers, and does not list its models: whether it has " + p.Model + " is not known", "start a flow with an agent to see"
	case status != http.StatusOK:
		return Warning, "its service answers " + answered(status), "try again later"
	}
	var missing, near []string
	for _, name := range wanted(p) {
		if !slices.Contains(ids, name) {
			missing = append(missing, name)
			near = append(near, naming.Related(name, ids, 3)...)
		}
	}
	if len(missing) > 0 {
		do = "correct " + model
		if len(near) > 0 {
			do += "; near it are " + strings.Join(near, ", ")
		}
		return Wrong, "its service has no model " + strings.Join(missing, ", "), do
	}
	return Fine, "its service accepts the key and has " + strings.Join(wanted(p), ", "), ""
}

func answered(status int) string {
	return strings.TrimSpace(fmt.Sprint(status, " ", http.StatusText(status)))
}

// wanted lists the models that a provider is asked for by name, the default one first.
func wanted(p llm.Provider) []string {
	names := []string{p.Model}
	for name := range p.Prices {
		if name != p.Model {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	return names
}

var errNoList = errors.New("no list of models")

// modelsOf lists the models of a provider, when the status is 200.
func modelsOf(ctx context.Context, p llm.Provider) (ids []string, status int, err error) {
	base := strings.TrimSuffix(cmp.Or(p.BaseURL, llm.DefaultBaseURL), "/")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil, 0, err
	}
	if p.Key != "" {
		req.Header.Set("Authorization", "Bearer "+p.Key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, res.StatusCode, nil
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(&list); err != nil {
		return nil, res.StatusCode, errNoList
	}
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids, res.StatusCode, nil
}
