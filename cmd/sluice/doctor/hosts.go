package doctor

import (
	"context"
	"net"

	"sluice/engine/tool"
)

// host asks whether the host of a tool answers.
func (d *examination) host(ctx context.Context, t tool.Tool) {
	check := "host " + t.Host
	name, port, err := net.SplitHostPort(t.Host)
	if err != nil {
		name, port = t.Host, "443"
	}
	if _, err := net.DefaultResolver.LookupHost(ctx, name); err != nil {
		d.say(Wrong, check, "correct the url of "+t.Name+" in the actions file, or this machine's DNS", "%s calls it, and no address is known for it: %v", t.Name, err)
		return
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(name, port))
	if err != nil {
		d.say(Warning, check, "start the service, or open the way to it", "%s calls it, and it does not answer: %v", t.Name, err)
		return
	}
	_ = conn.Close()
	d.say(Fine, check, "", "it answers (%s calls it)", t.Name)
}

// webhooks checks the secrets of the webhooks that start flows.
func (d *examination) webhooks(ctx context.Context) {
	_, secrets, err := d.Open()
	if err != nil {
		return // the tools say so
	}
	for _, f := range d.flows {
		for _, t := range f.Triggers {
			if t.Webhook == nil {
				continue
			}
			check := "webhook " + t.Webhook.Path
			if words := d.Hook(ctx, secrets, f.Name, *t.Webhook); words != "" {
				d.say(Wrong, check, "set it in the bot's environment, and give the sender the same", "deliveries for %s are refused: %s", f.Name, words)
				continue
			}
			d.say(Fine, check, "", "its secret is set, and starts %s", f.Name)
		}
	}
}
