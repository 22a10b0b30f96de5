// The control API of the workspace, as the page uses it. Nothing else in this folder makes requests.

/** A refusal by the workspace: `code` is its error, for machines; the message is for people; `body` is the whole answer. */
class Refused extends Error {
  constructor(body) {
    super(body.detail || body.error || 'unknown_error');
    this.code = body.error;
    this.body = body;
  }
}

async function request(address, options) {
  const response = await fetch(address, options).catch(() => {
    throw new Refused({ error: 'unreachable', detail: 'the workspace does not answer' });
  });
  const body = await response
    .json()
    .catch(() => ({ error: 'no_answer', detail: `the workspace answered ${response.status} without JSON` }));
  if (!body.ok) throw new Refused(body);
  return body;
}

/** GET /control/<path> with a query of plain values; undefined ones are left out. */
export async function ask(path, query = {}) {
  const wanted = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(wanted).toString();
  return request(`/control/${path}${search && `?${search}`}`);
}

/** POST /control/<path> with a JSON body. */
export async function tell(path, body) {
  return request(`/control/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}
