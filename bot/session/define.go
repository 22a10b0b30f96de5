package session

import (
	"context"
	"errors"
	"io"
	"net/http"

	"sluice/bot/drafts"
	"sluice/bot/httpapi"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/usererror"
	"sluice/storage"
)

// WorkflowPath is where definitions of flows are put.
const WorkflowPath = "/api/workflows/"

// Define drafts a definition in the place of a person.
type Define func(ctx context.Context, user, channel, name string, src []byte) (drafts.Put, error)

// Remove removes a flow in the place of a person.
type Remove func(ctx context.Context, user, name string) error

// remove ends a flow: it starts no run until a definition of it is put and approved again.
func (h *Handler) remove(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), httpapi.RequestMost)
	defer cancel()
	c, p, ok := h.enter(w, r.WithContext(ctx))
	if !ok {
		return
	}
	err := c.Remove(ctx, p.User, r.PathValue("id"))
	if ue, known := errors.AsType[*usererror.Error](err); known && (ue.Code == "no_flow" || errors.Is(err, storage.ErrNotFound)) {
		err = request.ErrAbsent
	}
	if err != nil {
		h.refuseDefinition(w, err)
		return
	}
	httpapi.Answer(w, http.StatusOK, defined{Flow: flow.Slug(r.PathValue("id")), Status: "removed"})
}

// defined answers a definition that was put.
type defined struct {
	Flow    string   `json:"flow"`
	Status  string   `json:"status"` // proposed, unchanged, or removed
	Draft   string   `json:"draft,omitempty"`
	Missing []string `json:"needs,omitempty"` // names of which somebody has to say in chat what stands for them
}

// define takes the definition of a flow, in any format that a file may have.
func (h *Handler) define(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), httpapi.RequestMost)
	defer cancel()
	c, p, ok := h.enter(w, r.WithContext(ctx))
	if !ok {
		return
	}
	src, err := io.ReadAll(http.MaxBytesReader(w, r.Body, flow.MaxDocumentBytes))
	if err != nil {
		httpapi.Answer(w, http.StatusRequestEntityTooLarge, httpapi.Problem{Code: "too_large", Error: "The definition is too large, or it did not arrive whole."})
		return
	}
	put, err := c.Define(ctx, p.User, r.URL.Query().Get("channel"), r.PathValue("id"), src)
	if err != nil {
		h.refuseDefinition(w, err)
		return
	}
	code, out := http.StatusCreated, defined{Flow: put.Flow, Status: "proposed", Draft: put.Draft, Missing: put.Missing}
	if put.Same {
		code, out.Status = http.StatusOK, "unchanged"
	}
	httpapi.Answer(w, code, out)
}

// refuseDefinition answers a definition of which no draft was made.
func (h *Handler) refuseDefinition(w http.ResponseWriter, err error) {
	if problems, ok := errors.AsType[flow.Problems](err); ok {
		words := make([]string, len(problems))
		for i, p := range problems {
			words[i] = p.Error()
		}
		httpapi.Answer(w, http.StatusUnprocessableEntity, httpapi.Problem{Code: "bad_definition", Error: "The definition cannot become a flow.", Problems: words})
		return
	}
	if _, denied := request.AsDenied(err); denied || errors.Is(err, request.ErrHidden) || errors.Is(err, request.ErrAbsent) {
		httpapi.Answer(w, http.StatusNotFound, httpapi.Problem{Code: "no_such_workflow", Error: "There is no such workflow or channel, or the token's person may not change it."})
		return
	}
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		httpapi.Answer(w, http.StatusConflict, httpapi.Problem{Code: ue.Code, Error: ue.Text})
		return
	}
	h.refuse(w, err)
}
